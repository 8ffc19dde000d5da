"""A model of the animals, and their dataset folder."""

from pathlib import Path

import pytest

from classmark import Hierarchy, TextClassifier
from tests.counting import Scored, count_scored
from tests.service.animals import LABELS, TEXTS, TREE, answered, numbered, write_dataset


@pytest.fixture(scope="session")
def model() -> TextClassifier:
    return TextClassifier(hierarchy=TREE).fit(TEXTS, LABELS)


@pytest.fixture
def scored(monkeypatch: pytest.MonkeyPatch) -> Scored:
    """What classifiers score from here on."""
    return count_scored(monkeypatch)


@pytest.fixture
def data(tmp_path: Path) -> str:
    return write_dataset(tmp_path)


@pytest.fixture(scope="session")
def many_categories() -> tuple[TextClassifier, list[tuple[str, str]]]:
    """A model by neighbours of 8,000 categories, two documents each, and documents to classify."""
    names = [f"c{number % 40}/c{number}" for number in range(8000)]
    texts = [f"word{number % 5000}x word{number % 301}x word{number % 77}y" for number in range(16000)]
    model = TextClassifier("knn-bm25", hierarchy=Hierarchy.from_paths(names)).fit(texts, names * 2)
    documents = numbered(texts[::40])
    list(answered(model, documents[:10], scores=True))  # what is compiled or kept at first is not counted
    return model, documents
