"""Tasks and residents on real workers: in order, with what is raised, and through the death of a worker."""

import os
import signal
import warnings
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("distributed")

from classmark.parallel import in_order


class Counter:
    """A part that counts."""

    def __init__(self, start: int) -> None:
        self.count = start

    def add(self, number: int) -> int:
        self.count += number
        return self.count

    def process(self) -> int:
        return os.getpid()

    def fail(self) -> None:
        raise ValueError("as asked for")


def scaled(values, factor):
    return values * factor


def dies_once(path, number):
    """End the worker that comes to task 2 first."""
    if number == 2 and not Path(path).exists():
        Path(path).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return number * number


def test_tasks_in_order_without_a_warning(farm):
    values = np.arange(3_000_000.0)
    with farm.cluster(2), warnings.catch_warnings():
        warnings.simplefilter("error")
        found = list(in_order(scaled, [(i,) for i in range(12)], shared=(values,)))
        assert [one[1] for one in found] == list(range(12))
        large = list(in_order(scaled, [(values, i) for i in range(3)], costs=[1, 3, 2]))
        assert [one[1] for one in large] == [0, 1, 2]
        assert large[0].flags.writeable
        with pytest.raises(TypeError):
            list(in_order(scaled, [(1, 2, 3)]))


def test_a_task_whose_worker_dies_is_done_by_another(farm, tmp_path):
    with farm.cluster(2):
        done = list(in_order(dies_once, [(i,) for i in range(6)], shared=(str(tmp_path / "died"),)))
    assert done == [0, 1, 4, 9, 16, 25]


def test_residents_answer_together(farm):
    with farm.cluster(2) as place, place.residents(Counter, [(1,), (2,), (3,)]) as parts:
        assert parts.ask("add", 10) == [11, 12, 13]
        assert parts.ask_one(1, "add", 0) == 12
        assert len(set(parts.ask("process"))) == 2
        with pytest.raises(ValueError, match="as asked for"):
            parts.ask("fail")
        assert parts.ask("add", 1) == [12, 13, 14]
        assert parts.sent > 0 and parts.received > 0


def test_a_part_whose_worker_is_killed_is_brought_to_where_the_others_are(farm):
    done: list[int] = []
    with (
        farm.cluster(2) as place,
        place.residents(Counter, [(1,), (2,)], since=lambda part: [("add", (number,)) for number in done]) as parts,
    ):
        for number in (5, 6):
            parts.ask("add", number)
            done.append(number)
        os.kill(parts.ask("process")[0], signal.SIGKILL)
        assert parts.ask("add", 7) == [19, 20]
        assert parts.lost == 1


def test_too_little_memory_is_said_beforehand(farm):
    with farm.cluster(1) as place, pytest.raises(ValueError, match=r"GB of memory left, and a part needs 1000.00 GB"):
        place.residents(Counter, [(1,)], needed=1e12).__enter__()
