"""Who listens hears every step; who does not, costs nothing."""

from threading import Thread

import pytest

from classmark.progress import hearing, listening, notice, tell, track


def test_nobody_listens():
    assert list(track([1, 2, 3], "counting", 3)) == [1, 2, 3]


def test_every_step_is_heard():
    heard = []
    with listening(lambda *step: heard.append(step)):
        assert list(track("ab", "spelling")) == ["a", "b"]
        assert list(track([], "nothing", 0)) == []
    assert heard == [("spelling", 0, None), ("spelling", 1, None), ("spelling", 2, None), ("nothing", 0, 0)]


def test_a_step_is_done_when_the_next_is_asked_for():
    heard = []
    with listening(lambda what, done, total: heard.append(done)):
        steps = track("ab", "spelling", 2)
        assert next(steps) == "a"
        assert heard == [0]
        assert next(steps) == "b"
        assert heard == [0, 1]
        assert next(steps, None) is None
        assert heard == [0, 1, 2]


def test_listening_ends_with_the_block_and_may_be_nested():
    outer, inner = [], []
    with listening(lambda *step: outer.append(step)):
        with listening(lambda *step: inner.append(step)):
            list(track("a", "inner"))
        list(track("b", "outer"))
    list(track("c", "nobody"))
    assert {what for what, *_ in inner} == {"inner"}
    assert {what for what, *_ in outer} == {"outer"}


def test_an_error_ends_the_listening():
    heard = []
    with pytest.raises(ZeroDivisionError), listening(lambda *step: heard.append(step)):
        for item in track([1, 0], "dividing"):
            1 / item
    list(track("a", "after"))
    assert heard == [("dividing", 0, None), ("dividing", 1, None)]


def test_what_is_told_is_heard_as_it_is():
    heard = []
    tell("nobody", 1, 2)
    with listening(lambda *step: heard.append(step)):
        tell("owls.zip", 0, None)
        tell("owls.zip", 65536, 100000)
    tell("nobody", 1, 2)
    assert heard == [("owls.zip", 0, None), ("owls.zip", 65536, 100000)]


def test_a_notice_is_heard_once_and_from_any_thread():
    heard = []
    notice("nobody")
    with hearing(heard.append):
        for line in ("compiling", "compiling", "reading"):
            thread = Thread(target=notice, args=(line,))
            thread.start()
            thread.join()
    notice("nobody")
    assert heard == ["compiling", "reading"]


def test_whoever_hears_later_hears_it_again():
    heard = []
    for _ in range(2):
        with hearing(heard.append):
            notice("compiling")
    assert heard == ["compiling", "compiling"]
