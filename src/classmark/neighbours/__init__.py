"""Classifiers whose model is an index of their training documents: the nearest ones vote.

`base` has what they share, `voting` the way from neighbours to votes; `hierarchical` adds what the hierarchy tells,
with `centroids`. The index itself is in `index`.
"""

from classmark.index import InvertedIndex, LiveIndex, Neighbours
from classmark.neighbours.bm25 import BM25KNN
from classmark.neighbours.hierarchical import HierarchicalKNN
from classmark.neighbours.overlap import OverlapKNN

__all__ = ["BM25KNN", "HierarchicalKNN", "InvertedIndex", "LiveIndex", "Neighbours", "OverlapKNN"]
