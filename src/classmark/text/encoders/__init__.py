"""Vectors in place of terms: `kinds` turns texts into vectors, by `bert` for one, `features` makes them a classifier's.

The vectors of two texts say by their cosine how much alike these are.
"""
