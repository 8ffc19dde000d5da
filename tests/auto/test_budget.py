"""A budget as people write it, and what is left of it."""

import pytest

from classmark import TextClassifier
from classmark.auto.settings import Clock, read_budget


@pytest.mark.parametrize(
    ("text", "seconds"), [("90s", 90.0), ("10m", 600.0), ("2h", 7200.0), ("0.5 m", 30.0), ("45", 45.0), ("none", None)]
)
def test_times(text, seconds):
    assert read_budget(text) == seconds


@pytest.mark.parametrize("text", ["0", "0s", "-5m", "soon", "5 days", "", "1e3", "nan", "inf"])
def test_what_is_no_time(text):
    with pytest.raises(ValueError, match=r"budget=.*must be a time above 0 such as 90s, 10m or 2h, or none"):
        TextClassifier("auto", settings={"budget": text}).check()


def test_a_clock_keeps_some_back():
    clock = Clock(100.0)
    assert clock.allows(80.0)
    assert not clock.allows(99.0)
    assert Clock(None).allows(1e9)
