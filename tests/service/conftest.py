"""A model of the animals, and their dataset folder."""

from pathlib import Path

import pytest

from classmark import TextClassifier
from tests.service.animals import LABELS, TEXTS, TREE, write_dataset


@pytest.fixture(scope="session")
def model() -> TextClassifier:
    return TextClassifier(hierarchy=TREE).fit(TEXTS, LABELS)


@pytest.fixture
def data(tmp_path: Path) -> str:
    return write_dataset(tmp_path)
