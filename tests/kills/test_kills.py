"""A few kills; `python -m tests.kills --kills 100` does more."""

from tests.kills.driver import COMMANDS, kill_all


def test_a_kill_loses_nothing_and_leaves_nothing():
    killed = kill_all(len(COMMANDS), seed=0)
    assert killed.total() == len(COMMANDS)
    assert set(killed) <= set(COMMANDS)
