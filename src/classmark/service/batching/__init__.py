"""Batches: a table of documents as somebody brought it, the answers to its rows, and the table with the answers.

`uploads` reads what was brought, `answers` keeps what the model says of it in a file beside, `folders` has both
together, and `joining` gives the table back as it came, with columns added.
"""

from classmark.service.batching.answers import AnswerFile, Own, RowAnswer, ShownRow
from classmark.service.batching.folders import Batch, Batches
from classmark.service.batching.joining import joined
from classmark.service.batching.uploads import Look, Row, Upload, kind_of, look_at, read_upload

__all__ = [
    "AnswerFile",
    "Batch",
    "Batches",
    "Look",
    "Own",
    "Row",
    "RowAnswer",
    "ShownRow",
    "Upload",
    "joined",
    "kind_of",
    "look_at",
    "read_upload",
]
