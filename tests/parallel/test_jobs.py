"""Ranges cover everything once; threads answer in order and pass on what is raised."""

import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from classmark.parallel import MOST_A_CORE, balanced_ranges, n_cores, n_processes, n_threads, threads


@given(st.lists(st.integers(0, 9), min_size=1, max_size=40), st.integers(1, 8))
def test_ranges_cover_every_row_once(sizes, parts):
    indptr = np.cumsum([0, *sizes])
    ranges = balanced_ranges(indptr, parts)
    assert [row for start, stop in ranges for row in range(start, stop)] == list(range(len(sizes)))
    assert len(ranges) <= parts
    # A range ends with the first row that fills its part, so it exceeds that by less than a row.
    assert all(indptr[stop - 1] - indptr[start] <= indptr[-1] / parts + max(sizes) for start, stop in ranges)


@pytest.mark.parametrize("count", [1, 2, 3])
def test_threads_answer_in_order(count):
    with threads(count) as run:
        assert run(divmod, [(i, 7) for i in range(50)]) == [divmod(i, 7) for i in range(50)]
        with pytest.raises(ZeroDivisionError):
            run(divmod, [(1, 1), (1, 0)])


def test_the_number_of_threads():
    assert n_threads(None) == n_threads(-(10**6)) == 1
    assert n_threads(-1) >= 1
    assert n_threads(10**30) == n_processes(10**30) == n_threads(10**6) <= MOST_A_CORE * n_cores()
    assert (n_processes(None), n_processes(-1), n_processes(2)) == (None, -1, 2)
    with pytest.raises(ValueError, match="n_jobs=0"):
        n_threads(0)


ALLOWED = "import os; os.sched_setaffinity(0, {min(os.sched_getaffinity(0))}); from classmark.parallel import *; "


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="the system has no CPU affinity")
def test_n_cores_with_affinity_to_one_core_is_one():
    code = ALLOWED + "print(n_cores(), n_threads(-1))"
    child = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert child.stdout.split() == ["1", "1"]
