"""What all tests share: hypothesis' manners, and the real corpora where they are at hand."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

# No deadline: the first call of a compiled kernel takes seconds. No database: a run leaves nothing behind.
settings.register_profile("classmark", deadline=None, database=None, derandomize="CI" in os.environ)
settings.load_profile("classmark")


@pytest.fixture(scope="session")
def corpora() -> Path:
    """The folder of the real corpora, one dataset folder each."""
    folder = os.environ.get("CLASSMARK_DATA")
    if not folder:
        pytest.skip("needs the real corpora: set CLASSMARK_DATA to the folder that holds them")
    return Path(folder)
