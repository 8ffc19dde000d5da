"""Token patterns: those that people write, and those that never end."""

from __future__ import annotations

import pytest

from classmark.text import Analyser


@pytest.mark.parametrize("pattern", ["(?:a+)+b", "(?:a|aa)+!", "(?:.*)*x"])
def test_a_pattern_without_end_is_refused(pattern, monkeypatch):
    monkeypatch.setattr("classmark.text.patterns.SECONDS", 2.0)
    with pytest.raises(ValueError, match=r"takes too long.*without a repetition inside another"):
        Analyser(token_pattern=pattern).check()


@pytest.mark.parametrize("pattern", [r"\w+(?:-\w+)*", r"(?u)\b\w\w+\b", "[^\\s]+", r"[A-Z]?[a-z]+|\d+", "\ud800+"])
def test_patterns_that_people_write(pattern):
    Analyser(token_pattern=pattern).check()
