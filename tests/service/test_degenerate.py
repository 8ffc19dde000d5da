"""Warnings about training documents that little can be learned from, and training that continues."""

import warnings
from pathlib import Path

import pytest

from classmark import TextClassifier
from classmark.service.recipes import Recipe
from classmark.service.training import train


def train_on(rows):
    """Train on a table, and return the warnings; the model is written whatever they say."""
    Path("table.csv").write_text("text,labels\n" + "".join(f"{text},{label}\n" for text, label in rows))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        train("table.csv", "m.classmark", Recipe("nb"))
    assert TextClassifier.load("m.classmark").classes_.size
    return [str(one.message) for one in caught]


@pytest.fixture(autouse=True)
def inside(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


USUAL = [(f"hoots at night {word}", "owl") for word in "abcdef"] + [
    (f"cries at sea {word}", "gull") for word in "abcdef"
]

DIFFERENT = [4 * letter for letter in "abcdefghijkl"]


def test_train_usual_documents_gives_no_warning():
    # One text with two labels among twelve documents is below the tenth that is reported.
    assert train_on([*USUAL, *((f"by day {word}", "gull") for word in "abcdefgh"), (USUAL[0][0], "gull")]) == []


def test_train_one_text_with_contradicting_labels_warns_with_count_and_example():
    (message,) = train_on([("the same text", label) for label in ("owl", "gull", "gull", "cod") * 500])
    assert "table.csv: 2,000 of 2,000 labeled documents have the text of another one and other labels" in message
    assert "'1' (owl) and '2' (gull)" in message
    assert "--text-column" in message


def test_train_some_contradicting_texts_are_counted():
    (message,) = train_on([*USUAL, ("hoots by day", "owl"), ("hoots by day", "gull"), ("hoots by day", "gull")])
    assert "3 of 15 labeled documents" in message
    assert "'13' (owl) and '14' (gull)" in message


def test_train_single_category_warns_with_count_and_example():
    (message,) = train_on([(text, "owl") for text, _ in USUAL])
    assert "table.csv: all 12 labeled documents have the one label 'owl'" in message


def test_train_no_term_twice_warns_with_count_and_example():
    (message,) = train_on([(word, ("owl", "gull")[at % 2]) for at, word in enumerate(DIFFERENT)])
    assert "none of the 12 terms of 12 documents occurs in two of them, such as '" in message


def test_fit_no_term_twice_warns_in_python():
    with pytest.warns(UserWarning, match="none of the 12 terms"):
        assert TextClassifier("nb").fit(DIFFERENT, ["owl", "gull"] * 6).predict(["aaaa"]).tolist() == ["owl"]
