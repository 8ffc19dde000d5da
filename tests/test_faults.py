import pytest

from classmark.errors import InputError
from classmark.faults import attempt, collecting


def halved(value: int) -> int:
    if value % 2:
        raise InputError(f"{value} is odd")
    return value // 2


def both(one: int, other: int) -> tuple[int | None, int | None]:
    return attempt(halved, one), attempt(halved, other)


def test_without_a_collector_the_first_fault_is_raised():
    assert attempt(both, 4, 6) == (2, 3)
    with pytest.raises(ValueError, match="5 is odd"):
        attempt(both, 5, 7)


def test_all_faults_are_collected_and_nothing_broken_is_given():
    faults: list[str] = []
    with collecting(lambda error: faults.append(str(error))):
        assert attempt(both, 5, 7) is None
        assert attempt(both, 4, 6) == (2, 3)
        assert attempt(both, 4, 9) is None
    assert faults == ["5 is odd", "7 is odd", "9 is odd"]


def test_collecting_ends():
    with collecting(lambda error: None):
        assert attempt(halved, 1) is None
    with pytest.raises(ValueError, match="1 is odd"):
        attempt(halved, 1)


def test_other_errors_are_no_faults():
    with collecting(lambda error: None), pytest.raises(TypeError):
        attempt(halved, "4")  # type: ignore[arg-type]


def test_attempt_programming_error_is_raised_not_collected():
    faults: list[str] = []
    with collecting(lambda error: faults.append(str(error))), pytest.raises(ValueError, match="invalid literal"):
        attempt(int, "four")
    assert not faults
