"""An encoder learned on together with the hierarchy: a softmax over own labels and a sigmoid for every node.

`examples`, `network` and `learning` import numpy, torch and transformers only, and nothing of classmark's but each other,
so that they run on a machine that has a GPU and little else.
"""
