"""A file for documents, and a folder that has some."""

from pathlib import Path

import pytest

from tests.data.animals import write_animals


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "docs.jsonl"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_animals(tmp_path)
