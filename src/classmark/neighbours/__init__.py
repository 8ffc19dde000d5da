"""Nearest neighbours among millions of documents, by an inverted index.

`scoring` has the measures of nearness, `segment` the postings, `searching` the kernels that find the best without
looking at everything, `index` the whole, and `live` the index that is a folder and changes.
"""

from classmark.neighbours.bm25 import BM25KNN
from classmark.neighbours.hierarchical import HierarchicalKNN
from classmark.neighbours.index import InvertedIndex, Neighbours
from classmark.neighbours.live import LiveIndex
from classmark.neighbours.overlap import OverlapKNN

__all__ = ["BM25KNN", "HierarchicalKNN", "InvertedIndex", "LiveIndex", "Neighbours", "OverlapKNN"]
