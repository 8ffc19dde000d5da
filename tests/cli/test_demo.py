import re
import shlex
import socket
from pathlib import Path

import pytest


def test_demo(run, monkeypatch):
    monkeypatch.setattr(socket.socket, "connect", lambda *_: pytest.fail("it wants the network"))
    said = run("demo").out
    measured, baseline = (float(found) for found in re.findall(r"\bhF (\d\.\d+)(?: \(|\))", said))
    assert 0.8 < measured <= 1
    assert baseline < measured
    placed = re.search(r"belongs to\n\n(.+): ", said).group(1)
    assert placed.startswith("scipy › scipy.")
    assert "The model is in demo.classmark." in said
    assert list(Path().iterdir()) == [Path("demo.classmark")]
    command = said.splitlines()[-1].strip()
    assert command == 'classmark explain demo.classmark "Interpolate scattered points by a spline"'
    assert run(*shlex.split(command)[1:]).out.startswith("scipy › scipy.interpolate: ")


def test_output(refused):
    assert "missing: no such folder" in refused("demo", "-o", "missing/demo.classmark")
    Path("folder").mkdir()
    assert "folder: a folder" in refused("demo", "-o", "folder")


def test_without_docstrings(start, monkeypatch):
    monkeypatch.setenv("PYTHONOPTIMIZE", "2")
    process = start("demo", new=True)
    out, err = process.communicate()
    assert (process.returncode, out) == (1, b"")
    assert err == b"classmark: Python runs with -OO, which takes the docstrings away; run it without\n"
