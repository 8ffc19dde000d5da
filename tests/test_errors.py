"""Errors in the input of users have a class of their own."""

import ast
from pathlib import Path

import pytest

import classmark
from classmark.errors import InputError
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
