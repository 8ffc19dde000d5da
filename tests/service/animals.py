"""A few documents on animals, and what the tests of the service make of them."""

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from classmark import Hierarchy, TextClassifier
from classmark.data import Corpus
from classmark.service.answering import Question, classify
from classmark.service.judging import evaluate_model
from classmark.service.results import plain

TREE = Hierarchy.from_nested({"animal": {"bird": ["owl", "gull"], "fish": None}, "plant": ["oak"]})
TEXTS = ["hoots at night", "cries over the sea", "swims in the sea", "grows acorns", "an owl in the oak at night"]
LABELS = [["owl"], ["gull"], ["fish"], ["oak"], ["owl", "oak"]]
NAMES = "node\tname\nowl\ttawny owl\nbird\tfeathered\n"
"""Readable names, as `nodes.tsv` has them."""


def corpus_of(labels: Sequence[list[str] | None]) -> Corpus:
    """Give the first texts with other labels."""
    size = len(labels)
    return Corpus([str(row) for row in range(size)], TEXTS[:size], list(labels), [None] * size, TREE, "a corpus")


def numbered(texts: Sequence[str]) -> list[tuple[str, str]]:
    return [(str(number), text) for number, text in enumerate(texts)]


def write_dataset(folder: Path, hierarchy: Hierarchy | None = TREE) -> str:
    """Write the texts as a dataset folder, all of them to train and all of them to test."""
    folder.mkdir(exist_ok=True)
    with (folder / "docs.jsonl").open("w") as file:
        for split in ("train", "test"):
            for number, (text, labels) in enumerate(zip(TEXTS, LABELS, strict=True)):
                document = {"id": f"{split}{number}", "text": text, "labels": labels, "split": split}
                file.write(json.dumps(document) + "\n")
    if hierarchy is not None:
        hierarchy.to_tsv(folder / "hierarchy.tsv")
    return str(folder)


def evaluated(model: TextClassifier, corpus: Corpus, **asked: Any) -> dict[str, Any]:
    """Evaluate a fitted model, and give the result as plain data."""
    return plain(evaluate_model(model, corpus, **asked))


def answered(model: TextClassifier, documents: Iterable[tuple[str, Any]], **asked: Any) -> Iterator[dict[str, Any]]:
    """Classify documents by a fitted model, and give the answers as plain data."""
    return map(plain, classify(model, documents, Question(**asked)))
