"""The walks of CONTRIBUTING: what they say is written is written, into a copy of the source, and their commands run."""

import ast
import doctest
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.test_docs import FLAGS, ROOT, Step, steps

PAGE = ROOT / "CONTRIBUTING.md"
CODE = re.compile(r"^```python\n(?P<body># src/.*?)^```$", re.M | re.S)
PLACE = re.compile(r"^# (?P<path>src/\S+?)(?:, below: (?P<line>.*))?\n(?P<text>(?:(?!# src/).*\n)*)", re.M)
WALKS = re.findall(r"^## Adding a (\w+)$", PAGE.read_text(encoding="utf-8"), re.M)


def walk(kind: str) -> str:
    """Give the section of a walk."""
    return PAGE.read_text(encoding="utf-8").split(f"\n## Adding a {kind}\n")[1].split("\n## ")[0]


def files_of(kind: str) -> list[str]:
    """Give the files of the source that a walk touches."""
    return sorted({place["path"] for code in CODE.finditer(walk(kind)) for place in PLACE.finditer(code["body"])})


def write(kind: str, root: Path) -> None:
    """Write what a walk says, new files as they are and lines below others."""
    for code in CODE.finditer(walk(kind)):
        for place in PLACE.finditer(code["body"]):
            path = root / place["path"]
            if place["line"] is None:
                path.write_text(place["text"], encoding="utf-8")
                continue
            below = re.compile(rf"^ *{re.escape(place['line'])}\n", re.M)
            written, count = below.subn(lambda line: line[0] + place["text"], path.read_text(encoding="utf-8"), count=1)  # noqa: B023
            assert count, place["line"]
            path.write_text(written, encoding="utf-8")


def run(step: Step, folder: Path, root: Path) -> str:
    """Run a command of the copy, and give what it prints."""
    environment = {name: value for name, value in os.environ.items() if name != "CLASSMARK_DATA"}
    environment |= {"PYTHONPATH": str(root / "src"), "PATH": f"{root / 'bin'}:{os.environ['PATH']}", "COLUMNS": "100"}
    command = step.command
    done = subprocess.run(command, shell=True, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"$ {command}\n{done.stdout}{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """A copy of the source with everything that the walks add."""
    root = tmp_path_factory.mktemp("copy")
    # Byte code and compiled kernels come along: their dates are those of the sources.
    shutil.copytree(ROOT / "src", root / "src")
    shutil.copy(ROOT / "pyproject.toml", root)
    (root / "bin").mkdir()
    script = root / "bin" / "classmark"
    script.write_text(f'#!/bin/sh\nexec {sys.executable} -m classmark "$@"\n')
    script.chmod(0o755)
    for kind in WALKS:
        write(kind, root)
    return root


def test_there_are_five_walks():
    assert WALKS == ["method", "decision", "metric", "command", "format"]


@pytest.mark.parametrize("kind", WALKS)
def test_a_walk_touches_few_files(kind):
    assert len(files_of(kind)) == (3 if kind == "method" else 2)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="the commands are those of a shell")
def test_what_the_walks_add_works_from_the_command_line(copy, tmp_path):
    done = [step for step in steps(PAGE) if not step.fails]
    assert len(done) >= 8
    for step in done:
        printed = run(step, tmp_path, copy)
        same = doctest.OutputChecker().check_output(f"{step.output}\n", printed, FLAGS)
        assert same or not step.output, f"$ {step.command}\n{printed}\ninstead of\n\n{step.output}"


@pytest.mark.slow
def test_the_new_class_is_public(copy):
    environment = dict(os.environ, PYTHONPATH=str(copy / "src"))
    tree = ast.parse((copy / "src" / "classmark" / "__init__.py").read_text(encoding="utf-8"))
    assert "RocchioClassifier" in {
        alias.name for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) for alias in node.names
    }
    examples = [sys.executable, "-m", "doctest", str(copy / "src" / "classmark" / "linear" / "rocchio.py")]
    subprocess.run(examples, env=environment, check=True)
