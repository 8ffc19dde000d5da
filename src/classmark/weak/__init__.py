"""Dataless classification: categories that are known by their names and descriptions alone.

`dataless` compares documents with categories and gives the nearest ones as weak labels, `similarities` reads what was
compared elsewhere, `embedding` learns by EM among vectors. What makes vectors of texts is in `text.encoders`.
"""

from classmark.data.names import category_texts
from classmark.text.encoders.features import TextEncoder
from classmark.text.encoders.kinds import ENCODERS, check_encoder, make_encoder
from classmark.weak.dataless import KINDS, WeakLabels, labels_of_similarities, weak_labels
from classmark.weak.embedding import EmbeddingEM
from classmark.weak.similarities import read_similarities

__all__ = [
    "ENCODERS",
    "KINDS",
    "EmbeddingEM",
    "TextEncoder",
    "WeakLabels",
    "category_texts",
    "check_encoder",
    "labels_of_similarities",
    "make_encoder",
    "read_similarities",
    "weak_labels",
]
