"""What a reader of hierarchies says of a bad line."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


def assert_refused(read: Callable[[Path], Any], file: Path, line: int, reason: str) -> None:
    """See to it that a file is refused at a line, for a reason."""
    with pytest.raises(ValueError) as caught:
        read(file)
    assert str(caught.value).startswith(f"{file}:{line}: ")
    assert reason in str(caught.value)
