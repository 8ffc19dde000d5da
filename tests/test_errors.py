"""Errors in the input of users have a class of their own."""

import ast
from pathlib import Path

import pytest

import classmark
from classmark.errors import InputError, attempt, collecting
from classmark.registry import find_method


def test_input_error_is_a_value_error():
    with pytest.raises(ValueError, match="nonsense") as caught:
        find_method("nonsense")
    assert isinstance(caught.value, InputError)


def test_package_raises_no_plain_value_error():
    files = sorted(Path(classmark.__file__).parent.rglob("*.py"))
    assert len(files) > 100
    plain = [
        f"{path}:{node.lineno}"
        for path in files
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "ValueError"
    ]
    assert not plain


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
