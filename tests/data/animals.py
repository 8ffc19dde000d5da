"""Two animals in JSON Lines."""

import json
from pathlib import Path
from typing import Any

from classmark import Hierarchy

ANIMALS = Hierarchy.from_nested({"animal": ["bird", "fish"]})


def write_jsonl(file: Path, *documents: dict[str, Any]) -> Path:
    """Write some documents."""
    file.write_text("".join(json.dumps(document) + "\n" for document in documents), encoding="utf-8")
    return file


def write_animals(folder: Path) -> Path:
    """Write a dataset folder of two documents."""
    write_jsonl(
        folder / "docs.jsonl",
        {"id": "a", "text": "an owl", "labels": ["bird"], "split": "train"},
        {"id": "b", "text": "a cod", "labels": ["fish"], "split": "test"},
    )
    ANIMALS.to_tsv(folder / "hierarchy.tsv")
    return folder
