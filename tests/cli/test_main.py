import importlib.metadata
import json
import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest
import typer
from typer.main import get_command

import classmark
from classmark.cli.commands import ORDER, names
from classmark.cli.groups import UsageError
from classmark.cli.main import app

COMMANDS = names()
STOPPED = b"classmark: interrupted; files are as they were before\n"
HEAVY = ("sklearn", "scipy", "numba", "joblib")


def test_help_lists_every_command(run):
    said = run("--help").out
    assert said.startswith("Usage: classmark ")
    registered = typer.main.get_command(import_module("classmark.cli.main").app).commands
    assert list(registered) == COMMANDS == list(ORDER)
    assert [line.split()[0] for line in said.partition("Commands:\n")[2].splitlines()] == COMMANDS


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_a_command(run, command):
    said = run(command, "--help").out
    assert said.startswith(f"Usage: classmark {command} ")
    assert "--help" in said


def test_no_command_shows_the_help(run):
    assert run() == run("--help")


def test_version(run):
    assert run("--version").out == f"{classmark.__version__}\n"
    assert importlib.metadata.version("classmark") == classmark.__version__


def test_the_installed_script_is_main():
    (script,) = importlib.metadata.entry_points(group="console_scripts", name="classmark")
    assert script.load() is import_module("classmark.cli").main


def test_as_a_module(run, animals):
    done = subprocess.run([sys.executable, "-m", "classmark", "info", animals], capture_output=True, check=True)
    assert done.stdout.decode() == run("info", animals).out
    wrong = subprocess.run([sys.executable, "-m", "classmark", "info", "missing"], capture_output=True, check=False)
    assert (wrong.returncode, wrong.stdout) == (2, b"")
    assert wrong.stderr == b"classmark: missing: there is no such file or folder; check the path\n"


@pytest.mark.parametrize("arguments", [None, ["--help"], ["--version"], *([name, "--help"] for name in COMMANDS)])
def test_start_up_imports_nothing_heavy(arguments):
    program = "import sys, classmark\n"
    if arguments is not None:
        program += f"from classmark.cli import main\nsys.argv = ['classmark', *{arguments!r}]\n"
        program += "try: main()\nexcept SystemExit as stopped: assert not stopped.code\n"
    program += f"print('imported', [name for name in {HEAVY!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.endswith("imported []\n")


def test_from_training_to_explanation(run, animals):
    assert "documents   9\n" in run("train", animals, "-o", "model").out
    assert run("evaluate", "model", animals).out.startswith("6 documents\n")
    assert [answer["id"] for answer in run("predict", "model", animals).answers] == [f"test{n}" for n in range(1, 7)]
    assert run("explain", "model", "hoots").out.startswith("animal › bird › owl: ")
    assert "linear-svm" in run("info", "model").out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nonsense"], "No such command 'nonsense'"),
        (["train", "x", "-o", "y", "--nonsense"], "--nonsense"),
        (["train", "x", "y", "-o", "z"], "extra argument"),
        (["train", "x"], "'--output' / '-o'"),
        (["train"], "'DATA'"),
        (["--nonsense"], "--nonsense"),
    ],
)
def test_a_wrong_request(refused, arguments, words):
    assert words in refused(*arguments)


def commands_below(group, path=()):
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from commands_below(command, (*path, name))
        else:
            yield " ".join((*path, name)), command


def single_options(command):
    return [one for one in command.params if one.param_type_name == "option" and not (one.multiple or one.is_flag)]


@pytest.mark.parametrize(
    ("name", "command"),
    [(name, command) for name, command in commands_below(get_command(app)) if single_options(command)],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_command_repeated_single_option_is_an_error_that_names_it(name, command):
    for option in single_options(command):
        for other in option.opts:
            with pytest.raises(UsageError, match=f"{option.opts[0]} is given 2 times; give it once"):
                command.make_context(name, [option.opts[0], "1", other, "1"])


def test_command_repeated_option_with_several_values_keeps_both(run, animals):
    result = run("train", animals, "-m", "linear-svm", "--set", "C=2", "--set", "ngrams=2", "-o", "model.classmark")
    assert json.loads(run("info", "model.classmark", "--json").out)["settings"] == {"C": "2", "ngrams": "2"}
    assert result.code == 0


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--text-column", "a", "--text-column", "text"], "--text-column is given 2 times; give it once"),
        (["--split", "train", "--split", "test"], "--split is given 2 times; give it once; separate several values by"),
        (["-o", "other"], "--output is given 2 times"),
        (["--set", "C=1", "--set", "C=2"], "--set C=2: C is given twice"),
        (["--decision", "threshold,value=0.2,value=0.3"], "value is given twice"),
        (["--select", "chi-square,share=0.1,share=0.2"], "share is given twice"),
        (["-m", "mp-boost", "--set", "committee=near,limit=5,limit=6"], "limit is given twice"),
    ],
)
def test_train_repeated_option_or_setting_is_an_error(refused, animals, options, words):
    assert words in refused("train", animals, "-o", "model", *options)


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (ValueError("two\n  lines"), 2, "classmark: two lines\n"),
        (PermissionError("locked"), 2, "classmark: locked\n"),
        (OSError("broken disk"), 1, "classmark: broken disk\n"),
        (ImportError("no such extra"), 1, "classmark: no such extra\n"),
        (MemoryError(), 1, "classmark: MemoryError\n"),
        (RuntimeError("a worker died"), 1, "classmark: a worker died\n"),
        (KeyboardInterrupt(), 1, "classmark: interrupted; files are as they were before\n"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, BaseException) else "",
)
def test_errors_become_exit_codes(refused, monkeypatch, error, code, said):
    def fail(name, settings):
        raise error

    monkeypatch.setattr("classmark.service.listing.methods", fail)
    assert refused("methods", code=code) == said


@pytest.mark.parametrize("module", ["typer", "classmark.cli.commands.train", "numpy", "sklearn"])
def test_an_interrupt_while_it_starts(start, animals, module):
    stop = f"""
import sys

class Stop:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            raise KeyboardInterrupt

sys.meta_path.insert(0, Stop())
"""
    process = start("train", animals, "-o", "model", before=stop, new=True)
    assert process.communicate() == (b"", STOPPED)
    assert process.returncode == 1
    assert not Path("model").exists()


def test_an_error_in_the_program_is_not_hidden(monkeypatch, run):
    monkeypatch.setattr("classmark.service.listing.methods", lambda name, settings: {}["missing"])
    with pytest.raises(KeyError):
        run("methods")


def test_a_warning_is_one_line(run, folder, documents, hierarchy):
    result = run("train", folder("twice", documents, hierarchy + "bird\towl\nbird\tgull\n"), "-o", "model")
    assert result.err == "classmark: warning: dropped 2 duplicate edge(s), the first from 'bird' to 'owl'\n"
    assert Path("model").exists()


def test_a_warning_is_shown_once(run, animals):
    said = run("train", animals, "-o", "model", "--set", "max_iter=1").err
    assert said.startswith("classmark: warning: ")
    assert said.count("\n") == 1  # and not four times, once a category


@pytest.mark.parametrize("command", ["predict", "--help"])
def test_a_reader_that_has_had_enough_before_the_first_line(start, model, animals, command):
    reading, writing = os.pipe()
    os.close(reading)
    process = start(*([command, model, animals] if command == "predict" else [command]), stdout=writing)
    os.close(writing)
    assert process.communicate() == (None, b"")
    assert process.returncode == 1


def test_a_reader_that_has_had_enough_after_the_first_line(start, model):
    lines = b"an owl hoots at night\n" * 5000  # answers of some 200 kB, more than a pipe holds
    Path("many").write_bytes(lines)
    with Path("many").open("rb") as stream:
        process = start("predict", model, "-", stdin=stream)
        assert process.stdout.readline() == b'{"id":"1","labels":["animal","bird","owl"]}\n'
        process.stdout.close()
        assert process.stderr.read() == b""
        process.stderr.close()
    assert process.wait() == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full, a device that is always full")
@pytest.mark.parametrize("command", ["predict", "evaluate"])
def test_output_to_a_full_disk(start, model, animals, command):
    with Path("/dev/full").open("wb") as full:
        process = start(command, model, animals, stdout=full)
        said = process.communicate()[1].decode()
    assert process.returncode == 1
    assert said.startswith("classmark: ")
    assert said.count("\n") == 1


@pytest.mark.parametrize("closed", [1, 2])
def test_started_without_an_output(start, model, animals, closed):
    # As a shell does for `>&-`: the interpreter then has None for the stream.
    reopen = f"import os, sys; os.close({closed}); sys.{'stdout' if closed == 1 else 'stderr'} = None"
    process = start("predict", model, animals, "-o", "answers.jsonl", before=reopen, new=True)
    assert process.communicate() == (b"", b"")
    assert process.returncode == 0
    assert len(Path("answers.jsonl").read_text().splitlines()) == 6


@pytest.mark.parametrize("command", [(), ("train",), ("index", "add")])
def test_the_short_way_to_help(run, command):
    assert run(*command, "-h").out == run(*command, "--help").out
