"""Kernels are compiled, also where no cache can be written, and who hears notices is told before it takes time."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from classmark.compilation import ANEW, ONCE, kernel
from classmark.progress import hearing

SOURCE = """
from classmark.compilation import kernel
from classmark.progress import hearing

@kernel
def twice(number):
    return 2 * number

with hearing(print):
    assert twice(4) == 8
    assert twice(4.5) == 9
print(twice.signatures)
"""


def said(source: Path | str, folder: Path, **environment: str) -> str:
    """Run a program in a process of its own; a path is run, and text is read from standard input."""
    command, given = ([sys.executable, "-"], source) if isinstance(source, str) else ([sys.executable, source], None)
    surroundings = {key: value for key, value in os.environ.items() if key != "NUMBA_CACHE_DIR"} | environment
    done = subprocess.run(
        command, input=given, env=surroundings, cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    return done.stdout


def test_where_no_cache_can_be_written(tmp_path):
    # Read from standard input, a function has no file to keep its machine code beside.
    found = said(SOURCE, tmp_path, NUMBA_CACHE_DIR="/proc/nowhere", HOME="/proc/nowhere")
    assert found == f"{ANEW}\n[(int64,), (float64,)]\n"


def test_what_is_kept_is_compiled_and_said_once(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(SOURCE)
    cache = str(tmp_path / "cache")
    signatures = "[(int64,), (float64,)]\n"
    assert said(program, tmp_path, NUMBA_CACHE_DIR=cache) == f"{ONCE}\n{signatures}"
    assert said(program, tmp_path, NUMBA_CACHE_DIR=cache) == signatures


def test_what_is_kept_of_a_version_whose_types_stood_elsewhere_is_compiled_anew(tmp_path):
    types = "from typing import NamedTuple\n\nclass Pair(NamedTuple):\n    one: int\n    two: int\n"
    source = """
from classmark.compilation import kernel
from {module} import Pair

@kernel
def total(pair):
    return pair.one + pair.two

print(total(Pair(1, 2)))
"""
    program, cache = tmp_path / "program.py", str(tmp_path / "cache")
    for module in ("older", "newer"):
        (tmp_path / f"{module}.py").write_text(types)
        program.write_text(source.format(module=module))
        assert said(program, tmp_path, NUMBA_CACHE_DIR=cache, PYTHONDONTWRITEBYTECODE="1") == "3\n"
        (tmp_path / f"{module}.py").unlink()


def test_kernel_cached_under_another_module_name_is_recompiled(tmp_path):
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "program.py").write_text(PROGRAM)
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    for arguments in (["-c", "import package.program"], [tmp_path / "package" / "program.py"]):
        command = [sys.executable, *arguments]
        done = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert (done.stdout, done.stderr) == ("3\n", "")


PROGRAM = """
import numpy as np
from classmark.compilation import kernel

@kernel
def total(values):
    return values.sum()

@kernel
def apply(values):
    return total(values)

print(apply(np.array([1, 2])))
"""


def test_a_command_says_it_on_standard_error(tmp_path):
    documents = tmp_path / "documents.csv"
    documents.write_text("text,labels\n" + "owls hoot,owl\ngulls cry,gull\n" * 3)
    command = [sys.executable, "-m", "classmark", "train", documents, "-m", "nb", "-o", tmp_path / "model"]
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    first, second = (subprocess.run(command, env=environment, capture_output=True, check=True) for _ in range(2))
    assert first.stderr.decode() == f"classmark: {ONCE}\n"
    assert second.stderr == b""


def test_nobody_is_told_of_what_is_not_ours():
    from numba import njit

    heard = []
    with hearing(heard.append):
        assert njit(lambda number: 2 * number)(4) == 8
    assert heard == []


@pytest.mark.parametrize("reassociate", [False, True])
def test_with_and_without_another_order_of_sums(reassociate):
    @kernel(reassociate=reassociate)
    def twice(number):
        return 2 * number

    assert twice(4) == 8
