"""Training again with corrections: what is learned, what is held out, and what it is compared with."""

import json
from pathlib import Path

import pytest

from classmark import TextClassifier
from classmark.service.recipes import Recipe
from classmark.service.retraining import STEPS, retrain
from classmark.service.training import train
from classmark.store import Lesson, Store

WORDS = {"owl": "hoots at night", "gull": "cries over the sea", "oak": "grows acorns in the wood"}


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    path = tmp_path / "animals.jsonl"
    rows = [
        {"id": f"{name}-{number}", "text": f"{words} number{number}", "labels": [name]}
        for name, words in WORDS.items()
        for number in range(10)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


@pytest.fixture
def model(corpus: Path, tmp_path: Path) -> Path:
    path = tmp_path / "animals.classmark"
    train(str(corpus), str(path), Recipe("nb", settings={"smoothing": 0.5}))
    return path


def corrected(tmp_path: Path, *lessons: Lesson) -> str:
    with Store.open(tmp_path / "said.sqlite") as store:
        store.learn("animals", lessons, who="Ada")
    return f"{tmp_path / 'said.sqlite'}#animals"


def test_it_learns_what_people_say_as_the_model_was_made(corpus: Path, model: Path, tmp_path: Path) -> None:
    lessons = [Lesson(f"new-{number}", f"paints in blue hue{number}", ["oak"]) for number in range(9)]
    feedback = corrected(tmp_path, *lessons, Lesson("owl-0", "hoots at night number0", ["gull"]))
    heard: list[str] = []
    found = retrain(str(model), str(corpus), str(tmp_path / "new.classmark"), feedback, tell=heard.append)
    assert heard == list(STEPS)
    assert (found.documents, found.corrections, found.replaced, found.against) == (39, 10, 1, "without")
    assert 0 < found.held_out < 39
    hf = next(one for one in found.figures if one.name == "hf")
    assert hf.second > hf.first
    assert hf.difference == pytest.approx(hf.second - hf.first)
    made = TextClassifier.load(tmp_path / "new.classmark")
    assert (made.method, made.settings) == ("nb", {"smoothing": 0.5})
    assert list(TextClassifier.load(model).predict(["paints in blue"])[0]) != ["oak"]
    assert list(made.predict(["paints in blue"])[0]) == ["oak"]


def test_a_model_that_has_not_seen_the_documents_is_compared_with_itself(
    corpus: Path, model: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other.jsonl"
    rows = [
        {"id": f"{name}-{number}", "text": f"{words} again again{number}", "labels": [name]}
        for name, words in WORDS.items()
        for number in range(6)
    ]
    other.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    feedback = corrected(tmp_path, Lesson("a", "hoots and hoots", ["owl"]))
    heard: list[str] = []
    found = retrain(str(model), str(other), str(tmp_path / "new.classmark"), feedback, tell=heard.append)
    assert (found.against, heard) == ("model", ["reading", "with", "everything"])


def test_nothing_is_written_where_nobody_has_said_anything(corpus: Path, model: Path, tmp_path: Path) -> None:
    with Store.open(tmp_path / "said.sqlite") as store:
        store.learn("animals", [], who="Ada")
    output = tmp_path / "new.classmark"
    with pytest.raises(ValueError, match=r"said\.sqlite"):
        retrain(str(model), str(corpus), str(output), f"{tmp_path / 'said.sqlite'}#animals")
    with pytest.raises(ValueError, match="no share"):
        retrain(str(model), str(corpus), str(output), "said.sqlite", holdout="2")
    assert not output.exists()
