"""The top-down strategy: a local problem at each inner node, and a way down at prediction.

`classifier` has the classifier, `local` and `local_fit` the problems and how they are learned, `linear_bank` all linear
models as one matrix, `descent` the way down, `contributions` which terms decided on it, `state`
what goes into a model file.
"""
