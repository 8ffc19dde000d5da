import sqlite3
from pathlib import Path

import pytest

from classmark.service.batching import AnswerFile, Own, Row, RowAnswer


def said(doubt: float, *labels: str) -> RowAnswer:
    return RowAnswer(list(labels), [Own(labels[-1], labels[-1].title(), list(labels), 1 - doubt)], doubt, "v1")


@pytest.fixture
def answers(tmp_path: Path) -> AnswerFile:
    file = AnswerFile(tmp_path / "answers.sqlite")
    file.create(name="x.csv", rows=4)
    file.add([Row(1, 2, "one"), Row(2, 3, "two")], [said(0.1, "bird", "owl"), said(0.9, "plant")])
    file.add([Row(3, 4, "", "has nothing in 't'"), Row(4, 6, "four" * 500)], [None, said(0.5, "bird", "gull")])
    return file


def test_the_most_doubtful_come_first_and_those_without_an_answer_last(answers: AnswerFile) -> None:
    assert [row.number for row in answers.rows()] == [2, 4, 1, 3]
    assert [row.number for row in answers.rows(order="file")] == [1, 2, 3, 4]
    assert [row.number for row in answers.rows(offset=1, limit=2)] == [4, 1]


def test_rows_are_found_by_category_and_branch(answers: AnswerFile) -> None:
    assert [row.number for row in answers.rows(category="bird")] == [4, 1]
    assert [row.number for row in answers.rows(category="bird", order="file")] == [1, 4]
    assert [row.number for row in answers.rows(category="owl")] == [1]
    assert answers.rows(category="fish") == []
    assert answers.documents() == {"bird": 2, "owl": 1, "plant": 1, "gull": 1}


def test_what_could_not_be_read_is_found(answers: AnswerFile) -> None:
    assert answers.problems == 1
    assert [(row.line, row.problem) for row in answers.rows(problems=True)] == [(4, "has nothing in 't'")]


def test_answers_come_back_as_they_were(answers: AnswerFile) -> None:
    (row,) = answers.rows(category="owl")
    assert row.answer == said(0.1, "bird", "owl")
    assert row.text == "one"
    assert len(answers.rows(category="gull")[0].text) == 600
    assert answers.texts([4]) == {4: "four" * 500}


def test_a_piece_is_kept_whole_or_not_at_all(answers: AnswerFile) -> None:
    with pytest.raises(sqlite3.IntegrityError):
        answers.add([Row(5, 7, "five"), Row(1, 2, "one")], [said(0.2, "oak"), said(0.2, "oak")])
    assert answers.done == 4
    assert "oak" not in answers.documents()


def test_facts_are_kept(answers: AnswerFile) -> None:
    answers.note(state="done", rows=5)
    assert answers.facts() == {"name": "x.csv", "rows": 5, "state": "done"}


def test_what_was_deleted_is_not_made_again(answers: AnswerFile) -> None:
    answers.path.unlink()
    with pytest.raises(OSError, match="unable to open"):
        answers.note(state="done")
    assert not answers.path.exists()
