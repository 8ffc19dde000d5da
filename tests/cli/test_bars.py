"""Progress in figures, and a line a minute where there is no terminal."""

import pytest
import rich.progress

from classmark.cli import bars
from classmark.progress import listening, tell, track


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ((0, 10, 5.0), "0 of 10"),
        ((0, None, 0.0), "0"),
        ((5, 10, 0.0), "5 of 10"),
        ((5, 10, 2.0), "5 of 10, 2.5/s, 0:02 left"),
        ((5, 10, 2.0, 4), "5 of 10, 2 s each, 0:10 left"),
        ((5, 10, 2.0, 5), "5 of 10"),
        ((10**6, 10**6, 1e-4), "1,000,000 of 1,000,000"),
        ((12, 10, 2.0), "12 of 10, 6/s, 0:00 left"),
        ((1, 3, 7200.0), "1 of 3, 7.2e+03 s each, 4:00:00 left"),
    ],
)
def test_figures(given, words):
    assert bars.figures(*given) == words


def test_a_line_a_minute(capsys):
    clock = iter([0.0, 0.0, 30.0, 59.0, 61.0, 90.0, 130.0])
    with bars.lines(lambda: next(clock)):
        for _ in track(range(4), "rounds", 4):
            pass
        tell("rounds", 4, 4)
    # Two of four took a minute; the line after that is due in another.
    assert capsys.readouterr().err.splitlines() == [
        "classmark: rounds: 3 of 4, 20.3 s each, 0:20 left",
        "classmark: rounds: 4 of 4, 32.5 s each, 0:00 left",
    ]


def test_what_ends_within_a_minute_says_nothing(capsys):
    with bars.lines():
        assert list(track("abc", "letters")) == list("abc")
    assert capsys.readouterr().err == ""


def test_who_listens_already_goes_on_hearing(capsys):
    heard: list[int] = []
    with listening(lambda what, done, total: heard.append(done)), bars.lines(lambda: 1e9):
        tell("rounds", 4, 4)
    assert heard == [4]
    assert capsys.readouterr().err == ""


def test_a_loop_that_begins_anew_has_one_bar(monkeypatch):
    added: list[str] = []

    class Noted(rich.progress.Progress):
        def add_task(self, description, **options):
            added.append(description)
            return super().add_task(description, **options)

    monkeypatch.setattr(rich.progress, "Progress", Noted)
    with bars.bars():
        for _ in range(3):
            list(track(range(2), "rounds", 2))
        tell("steps (epoch 1)", 1, 4)
        tell("steps (epoch 2)", 3, 4)
    assert added == ["rounds", "steps (epoch 1)"]


def test_bar_whose_last_items_come_at_once_shows_the_mean_rate():
    assert bars.figures(1000, 1000, 10.0001) == "1,000 of 1,000, 100/s, 0:00 left"
