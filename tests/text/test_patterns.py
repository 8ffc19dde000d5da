"""Token patterns: those that people write, and those that never end."""

from __future__ import annotations

import subprocess

import pytest

from classmark import TextClassifier
from classmark.text import Analyser
from classmark.text.patterns import Automaton, check_pattern

ENDLESS = [
    "(?:a+)+b",
    "(?:a|aa)+!",
    "(?:.*)*x",
    r"(?:\w+\s?)*!",
    r"\w+(?:_\w+)*!",
    r"(?:\w|\d)+!",
    "(?:a+)+b|a",
    "(?:(?:ab)+)+c",
    "a?" * 40 + "b",
    "(?:a?){25}a{25}b",
    "(?:|){60}b",
    "(?=(?:a+)+b)a",
    r"(?:\w|\U0001D4B3)+!",
    r"\w+\w+\w+!",
    "(?i:A+)(?:a+)+!",
]
USUAL = [
    r"\w+(?:-\w+)*",
    r"\w+(?:_\w+)*",
    r"(?u)\b\w\w+\b",
    "[^\\s]+",
    r"[A-Z]?[a-z]+|\d+",
    "\ud800+",
    "[a-z]+[a-z0-9]*",
    r"\d{1,3}(?:,\d{3})*",
    r"\w{2,1000}",
    r"(?:\w+\s?)*",
    "(?i)[a-z]+'?s",
    r"[\w.%+-]+@[\w.-]+|\w+",
    r"https?://\S+|\w+|[^\w\s]",
    r"(?<![a-z])[a-z]+(?=\W|$)",
    r"(?P<token>\w+?)\b",
    r"(?#words)[]a{}]+|a{}|b{,2}|\x41+\N{BULLET}",
]


@pytest.mark.parametrize("pattern", ENDLESS)
def test_check_endless_pattern_is_an_error(pattern):
    with pytest.raises(ValueError, match=r"takes too long.*without a repetition inside another"):
        Analyser(token_pattern=pattern).check()


@pytest.mark.parametrize("pattern", USUAL)
def test_check_usual_pattern_passes(pattern):
    Analyser(token_pattern=pattern).check()


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        (r"(\w)\1", "back reference"),
        (r"(?P<a>\w)(?P=a)", "back reference"),
        (r"(\w)?(?(1)a|b)", "condition"),
        ("(?x) (?: a + ) + b", "flag x"),
        ("(?:" * 8 + "){64}" * 8, "too long"),
        ("a" * 2000, "too long"),
    ],
)
def test_check_pattern_that_is_not_analyzed_is_an_error(pattern, words):
    with pytest.raises(ValueError, match=f"token_pattern=.*{words}"):
        check_pattern(pattern)


def test_automaton_counts_the_ways_between_positions():
    # a is followed by a within a+ and from one turn of the group to the next: 2 ways, and by b in one.
    assert dict(Automaton("(?:a+)+b").edges) == {0: {0: 2.0, 1: 1.0}}
    # Each of two empty alternatives three times: 8 ways to the first character.
    assert Automaton("(?:|){3}b").whole.first == {0: 8.0}


def test_load_model_with_own_pattern_starts_no_process(tmp_path, monkeypatch):
    pattern = r"\w+(?:_\w+)*"
    model = TextClassifier("nb", settings={"token_pattern": pattern}).fit(["an owl", "a gull"], ["owl", "gull"])
    model.save(tmp_path / "model")
    check_pattern.cache_clear()
    monkeypatch.delattr(subprocess, "Popen")
    assert TextClassifier.load(tmp_path / "model").text_.token_pattern == pattern
