"""CONTRIBUTING.md names what there is: files, tables and every module of the package."""

import re
import tomllib
from pathlib import Path

import classmark

ROOT = Path(__file__).parents[1]
PACKAGE = Path(classmark.__file__).parent
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
CITED = set(re.findall(r"`([^`\n]+)`", TEXT))


def test_files_are_there():
    examples = {"src/classmark/a/b.py", "tests/a/test_b.py"}
    files = {name for name in CITED if re.fullmatch(r"[\w./]+(\.py|\.md|/)", name)} - examples
    assert len(files) > 5
    assert not [name for name in files if not any((home / name).exists() for home in (ROOT, PACKAGE, PACKAGE.parent))]


def test_tables_are_there():
    source = "\n".join(path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py"))
    tables = {name for name in CITED if re.fullmatch(r"[A-Z]{5,}", name)}
    assert {"DECISIONS", "CATALOGUE"} <= tables
    assert not [name for name in tables if not re.search(rf"^{name}\b.* = ", source, re.MULTILINE)]


def test_every_module_has_a_line():
    layers = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"]
    known = {name.strip("() ") for layer in layers[0]["layers"] for name in layer.split("|")}
    there = {path.stem for path in PACKAGE.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()}
    listed = set(re.findall(r"^  (\w+)(?:\.py|/) ", TEXT, re.MULTILINE))
    assert there <= listed | {"tests"}
    assert listed - {"tests", "benchmarks"} <= there
    assert there - {"__init__"} <= known
