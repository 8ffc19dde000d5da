"""The nearest documents by common terms among millions, exactly: an inverted index, and one that is a folder.

`scoring` has the measures of nearness, `segment` the postings, `searching` the kernels that find the best without
looking at everything, `inverted` the whole, and `live` the index that is a folder and changes. Nothing here knows a
category: `neighbours` has the classifiers.
"""

from classmark.index.inverted import InvertedIndex, Neighbours
from classmark.index.live import LiveIndex

__all__ = ["InvertedIndex", "LiveIndex", "Neighbours"]
