"""Small problems for clusters: texts in a hierarchy, and what a model file has."""

from pathlib import Path

import numpy as np

from classmark import Hierarchy, TextClassifier

TREE = {"animal": ["owl", "gull", "bat"], "plant": ["oak", "fern"], "stone": ["flint", "chalk"]}
LEAVES = [leaf for leaves in TREE.values() for leaf in leaves]


def corpus(documents: int = 160, seed: int = 0) -> tuple[list[str], list[list[str]]]:
    """Draw texts of made-up words, some of them typical of a leaf, and one or two labels each."""
    random = np.random.default_rng(seed)
    texts, labels = [], []
    for _ in range(documents):
        own = random.choice(len(LEAVES), size=random.integers(1, 3), replace=False)
        words = [f"common{word}x" for word in random.integers(0, 60, 12)]
        words += [f"{LEAVES[leaf]}{word}x" for leaf in own for word in random.integers(0, 12, 5)]
        texts.append(" ".join(words))
        labels.append([LEAVES[leaf] for leaf in own])
    return texts, labels


def partly(labels: list[list[str]]) -> list[list[str] | None]:
    """Leave two documents of three without labels."""
    return [own if row % 3 == 0 else None for row, own in enumerate(labels)]


def model_file(folder: Path, method: str, *, unlabelled: bool = False, **parameters: object) -> bytes:
    """Train on such texts, and give the bytes of the model file."""
    texts, own = corpus()
    tree = Hierarchy.from_nested(TREE)
    model = TextClassifier(method, hierarchy=tree, **parameters).fit(texts, partly(own) if unlabelled else own)
    path = folder / "model"
    model.save(path)
    return path.read_bytes()
