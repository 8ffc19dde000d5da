"""Encoders with two heads over the hierarchy: a softmax over own labels and a sigmoid for every node.

`examples`, `rates`, `network`, `torch_encoder`, `learning` and `fine_tuning` import numpy, torch, transformers and
safetensors only, and nothing of classmark's but each other, so that they run on a machine that has a GPU and little
else.
"""
