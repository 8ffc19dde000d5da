"""What is done elsewhere is done in order, and residents are asked together."""

import pytest

from classmark.parallel import Here, at, elsewhere, in_order


def test_tasks_answer_in_order():
    assert list(in_order(divmod, [(i,) for i in range(1, 9)], shared=(50,))) == [divmod(50, i) for i in range(1, 9)]
    assert list(in_order(pow, [(2,), (3,)], shared=(5,), n_jobs=2, threads=True)) == [25, 125]


def test_an_error_is_passed_on():
    with pytest.raises(ZeroDivisionError):
        list(in_order(divmod, [(1, 0)]))


def test_a_place_is_that_of_the_block():
    assert elsewhere() is None
    with at(Here(3)) as _, pytest.raises(KeyError):
        assert elsewhere().n_workers == 3
        raise KeyError
    assert elsewhere() is None


def test_residents_remember():
    with Here(2).residents(list, [("a",), ("b",)]) as parts:
        assert parts.ask("append", "c") == [None, None]
        assert parts.ask("copy") == [["a", "c"], ["b", "c"]]
        assert parts.ask_one(1, "index", "c") == 1
