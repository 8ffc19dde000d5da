import pytest

pytest.importorskip("fastapi", reason="the extra serve is not installed")

from classmark.server.context import Remembered


class Slow:
    """Something that takes so many seconds to find out, by a clock of its own."""

    def __init__(self, seconds: float) -> None:
        self.now, self.seconds, self.times = 100.0, seconds, 0

    def __call__(self) -> int:
        self.now += self.seconds
        self.times += 1
        return self.times


def test_what_is_quick_is_found_out_each_time() -> None:
    quick = Slow(0.01)
    remembered = Remembered(lambda: quick.now)
    assert [remembered.get("a", quick) for _ in range(3)] == [1, 2, 3]


def test_what_takes_long_is_good_for_a_while() -> None:
    slow = Slow(0.5)
    remembered = Remembered(lambda: slow.now)
    assert [remembered.get("a", slow), remembered.get("a", slow), remembered.get("b", slow)] == [1, 1, 2]
    slow.now += 10.1
    assert remembered.get("a", slow) == 3
