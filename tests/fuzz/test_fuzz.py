"""Some dozens of mutations; `python -m tests.fuzz --mutations 2000` tries more, and of more methods."""

import pytest

from tests.fuzz.driver import fuzz
from tests.fuzz.subjects import ask, make_model, write
from tests.fuzz.worker import outcome


def test_no_mutation_is_taken_up_without_a_word():
    counts, wrong = fuzz(first=0, mutations=120, seed=0, which="few")
    assert wrong == []
    assert counts.total() == 120
    # Each kind of mutation was tried, and each good outcome was seen.
    assert len({kind for kind, _ in counts}) == 5
    assert {said for _, said in counts} == {"refused", "same", "other"}


@pytest.fixture(scope="module")
def majority(tmp_path_factory):
    folder = tmp_path_factory.mktemp("fuzz") / "model"
    files = make_model("majority", folder)
    return files, ask(folder)


def test_what_is_wrong_is_called_so(majority, tmp_path, monkeypatch):
    files, answers = majority
    assert outcome(files, False, answers, tmp_path / "1") == "same"
    assert outcome({}, False, answers, tmp_path / "2") == "refused"
    assert outcome(files, True, [], tmp_path / "3") == "other"
    assert outcome(files, False, [], tmp_path / "4") == "another answer without a word"
    errors = {
        TypeError("bare"): "TypeError: bare",
        MemoryError(): "MemoryError",
        ValueError("two\nlines"): "several lines",
        OSError("full"): "OSError: full",
    }
    for error, expected in errors.items():
        with monkeypatch.context() as patch:
            patch.setattr("tests.fuzz.worker.ask", _raising(error))
            said = outcome(files, True, answers, tmp_path / type(error).__name__)
        assert expected in said
    write(files, tmp_path / "last")
    assert ask(tmp_path / "last") == answers


def _raising(error):
    def fail(_):
        raise error

    return fail
