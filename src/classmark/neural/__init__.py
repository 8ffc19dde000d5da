"""Encoders with two heads over the hierarchy: a softmax over own labels and a sigmoid for every node.

`rates`, `network`, `learning` and `fine_tuning` import numpy, torch, transformers, safetensors, each other, and
`examples` and `torch_encoder` of `classmark.text.encoders` only, so that they run on a machine that has a GPU and
little else.
"""
