"""What shells are told, by the protocol that they speak: variables in, words out."""

import os
import shutil
import subprocess
import sys

import pytest

from classmark.cli import completion
from classmark.registry import METHODS

SCRIPT = "import sys; sys.argv[0] = 'classmark'; from classmark.cli import main; main()"
TELLING = "import atexit, sys; atexit.register(lambda: print(*sys.modules, file=sys.stderr)); "


def ask(*arguments: str, before: str = "", **variables: str) -> subprocess.CompletedProcess[str]:
    """Run the command as a shell does that wants to complete something."""
    return subprocess.run(
        [sys.executable, "-c", before + SCRIPT, *arguments],
        env=os.environ | variables,
        capture_output=True,
        text=True,
        check=False,
    )


def in_bash(line: str, before: str = "") -> subprocess.CompletedProcess[str]:
    words = line.replace("=", " = ").strip().split(" ") if "=" in line else line.split(" ")
    position = {"COMP_WORDS": "\n".join(words), "COMP_CWORD": str(len(words) - 1)}
    return ask(before=before, _CLASSMARK_COMPLETE="complete_bash", **position)


def test_nothing_that_is_slow_is_imported():
    done = in_bash("classmark train data -m nb", before=TELLING)
    assert "nb-plus" in done.stdout.split()
    imported = done.stderr.split()
    assert "classmark.registry" in imported
    assert not {"numpy", "scipy", "sklearn", "numba", "msgspec.json"} & set(imported)


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("classmark dem", ["demo"]),
        ("classmark train data --calibration is", ["isotonic"]),
        ("classmark compare data -m nb,linear", ["nb,linear-svm"]),
        ("classmark train data --set C=10 -m hierc", ["hiercost"]),
    ],
)
def test_in_bash(line, found):
    assert in_bash(line).stdout.split() == found


def test_in_zsh():
    done = ask(_CLASSMARK_COMPLETE="complete_zsh", _TYPER_COMPLETE_ARGS="classmark methods linear")
    assert done.stdout.startswith('_arguments \'*: :(("linear-svm":"Linear SVM, each category')


def test_in_fish():
    asked = {"_CLASSMARK_COMPLETE": "complete_fish", "_TYPER_COMPLETE_FISH_ACTION": "get-args"}
    done = ask(_TYPER_COMPLETE_ARGS="classmark train data --calibration is", **asked)
    assert done.stdout.split() == ["isotonic"]


@pytest.mark.parametrize(("shell", "word"), [("bash", "complete -o"), ("zsh", "compdef"), ("fish", "complete --comm")])
def test_the_script_of_each_shell(shell, word):
    assert word in ask(_CLASSMARK_COMPLETE=f"source_{shell}").stdout
    shown = ask("--show-completion", shell, _TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION="1")
    assert word in shown.stdout


@pytest.mark.skipif(sys.platform == "win32", reason="a home folder as others have it")
def test_it_is_installed(tmp_path):
    variables = {"_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1", "HOME": str(tmp_path)}
    done = ask("--install-completion", "bash", **variables)
    assert done.returncode == 0, done.stderr
    assert "bash completion installed in" in done.stdout
    written = tmp_path / ".bash_completions" / "classmark.sh"
    assert "_CLASSMARK_COMPLETE=complete_bash" in written.read_text()
    assert str(written) in (tmp_path / ".bashrc").read_text()


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_the_script_in_bash_itself(tmp_path):
    command = tmp_path / "classmark"
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -c "{SCRIPT}" "$@"\n')
    command.chmod(0o755)
    (tmp_path / "script").write_text(ask(_CLASSMARK_COMPLETE="source_bash").stdout)
    asked = "source ./script; COMP_WORDS=(classmark methods majo); COMP_CWORD=2; _classmark_completion ./classmark"
    done = subprocess.run(
        ["bash", "--norc", "-c", f'{asked}; echo "${{COMPREPLY[@]}}"'],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "majority\n", done.stderr


def names(words):
    return [word for word, _ in words]


def test_methods_and_decisions():
    assert names(completion.methods("")) == list(METHODS)
    assert names(completion.several_methods("nb,majority+dscu")) == ["nb,majority+dscut"]
    assert names(completion.several_methods("nb,majo")) == ["nb,majority"]
