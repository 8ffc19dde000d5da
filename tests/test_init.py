"""The public names: one list, and quick to import."""

import ast
import re
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

import classmark
from classmark.registry import CLASSES

SOURCE = ast.parse(Path(classmark.__file__).read_text(encoding="utf-8"))


def test_every_name_is_there():
    assert len(set(classmark.__all__)) == len(classmark.__all__)
    for name in classmark.__all__:
        found = getattr(classmark, name)
        assert found.__name__ == name
        assert found.__module__.startswith(f"classmark.{classmark._MODULES[name]}")
    assert set(classmark.__all__) <= set(dir(classmark))


def test_type_checkers_see_the_same_names_and_every_class_of_a_method():
    (block,) = [node for node in SOURCE.body if isinstance(node, ast.If)]
    assert ast.unparse(block.test) == "TYPE_CHECKING"
    typed = {alias.name: node.module for node in block.body for alias in node.names}
    assert all(alias.asname == alias.name for node in block.body for alias in node.names)
    assert typed == {name: f"classmark.{module}" for name, module in classmark._MODULES.items()}
    assert set(CLASSES) <= set(classmark.__all__)


def test_a_star_brings_exactly_the_names():
    brought = {}
    exec("from classmark import *", brought)
    assert set(brought) - {"__builtins__"} == set(classmark.__all__)


def test_other_names_do_not_exist():
    with pytest.raises(AttributeError, match="module 'classmark' has no attribute 'Clasifier'"):
        classmark.Clasifier  # noqa: B018
    with pytest.raises(ImportError):
        exec("from classmark import Clasifier")


def test_the_version_is_that_of_the_package():
    assert classmark.__version__ == version("classmark")


@pytest.mark.parametrize("heavy", ["numpy", "scipy", "sklearn", "numba", "pandas", "networkx", "safetensors"])
def test_import_is_quick(heavy):
    code = f"import sys, classmark; dir(classmark); sys.exit({heavy!r} in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_imports_by_string_are_in_the_registry_and_in_lazy_packages():
    root = Path(classmark.__file__).parent
    importers = {
        path.relative_to(root).as_posix()
        for path in root.rglob("*.py")
        if re.search(r"\b(import_module|__import__)\(", path.read_text(encoding="utf-8"))
    }
    # The corpus of docstrings reads other packages.
    allowed = {"__init__.py", "registry.py", "text/__init__.py", "cli/commands/__init__.py", "data/docstrings.py"}
    assert importers == allowed
