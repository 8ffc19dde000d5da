"""The documentation tells the truth: its commands run and print what is shown, its pages are linked, its tables whole.

The Python examples of `docs/` are doctests, which pytest runs by itself. Here every console block of the pages and of
the README is run, page by page and line by line, in a folder of its own, with the files that the page offers. Shown
output is compared as doctest does, `...` standing for anything; a block of the class `fails` must end with exit code 2
and print exactly the line shown.
"""

import doctest
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from runpy import run_path
from typing import Any, NamedTuple

import pytest
import typer

from classmark.cli.main import app
from classmark.compilation import ONCE
from classmark.parameters import parameters as declared_by
from classmark.registry import METHODS
from classmark.text import TextSettings

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PAGES = sorted([*DOCS.glob("*.md"), *DOCS.glob("how-to/*.md")])
README = ROOT / "README.md"
COMMANDS: dict[str, Any] = typer.main.get_command(app).commands
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE

BLOCK = re.compile(r"^```(?:console|\{code-block\} console\n:class: (?P<kind>\w+))\n(?P<body>.*?)^```$", re.M | re.S)
HEREDOC = re.compile(r"<<\s*'?(?P<end>\w+)'?")
TOCTREE = re.compile(r"^```\{toctree\}\n(?P<body>.*?)^```$", re.M | re.S)
DOWNLOAD = re.compile(r"\{download\}`[^`<]*<(?P<target>[^>]+)>`")
# The gallery is made when the pages are built.
LINK = re.compile(r"\]\((?!https?:|#|gallery/)(?P<target>[^)#\s]+)")


class Step(NamedTuple):
    """A command of a page, what the page says it prints, and whether it must be refused."""

    command: str
    output: str
    fails: bool


def steps(page: Path) -> list[Step]:
    """Read the commands of a page; a here-document belongs to its command, all else below one is its output."""
    found = []
    for block in BLOCK.finditer(page.read_text(encoding="utf-8")):
        lines = iter(block["body"].splitlines())
        commands: list[tuple[list[str], list[str]]] = []
        for line in lines:
            if not line.startswith("$ "):
                commands[-1][1].append(line)
                continue
            command = [line.removeprefix("$ ")]
            if heredoc := HEREDOC.search(line):
                while command[-1] != heredoc["end"]:
                    command.append(next(lines))
            commands.append((command, []))
        found += [Step("\n".join(c), "\n".join(o), block["kind"] == "fails") for c, o in commands]
    return found


def run(step: Step, folder: Path, scripts: Path) -> str:
    """Run a command, see that it ends as the page says, and give what it prints."""
    environment = {name: value for name, value in os.environ.items() if name != "CLASSMARK_DATA"}
    path = [str(scripts), str(Path(sys.executable).parent), os.environ["PATH"]]
    # The checkout, for `python -m reproductions`.
    modules = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment |= {"PATH": os.pathsep.join(path), "COLUMNS": "100", "PYTHONPATH": os.pathsep.join(modules)}
    done = subprocess.run(
        step.command,
        shell=True,
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == (2 if step.fails else 0), f"$ {step.command}\n{done.stdout}"
    # Said by whichever command is the first on this machine, and by no other.
    return done.stdout.replace(f"classmark: {ONCE}\n", "")


def test_there_are_commands_to_run():
    assert sum(len(steps(page)) for page in [README, *PAGES]) > 20


@pytest.mark.parametrize("page", [page for page in [README, *PAGES] if steps(page)], ids=lambda page: page.name)
def test_commands_do_what_the_page_shows(page, tmp_path, scripts):
    for offered in DOWNLOAD.finditer(page.read_text(encoding="utf-8")):
        shutil.copy(page.parent / offered["target"], tmp_path)
    for step in steps(page):
        printed = run(step, tmp_path, scripts)
        if step.fails:
            assert printed == f"{step.output}\n", f"$ {step.command}"
        elif step.output:
            same = doctest.OutputChecker().check_output(f"{step.output}\n", printed, FLAGS)
            assert same, f"$ {step.command}\n{printed}\ninstead of\n\n{step.output}"


def test_python_of_the_readme_runs():
    result = doctest.testfile(str(README), module_relative=False, optionflags=FLAGS)
    assert result.attempted > 5
    assert result.failed == 0


def test_every_page_is_in_a_toctree():
    listed: set[str] = set()
    for page in PAGES:
        for tree in TOCTREE.finditer(page.read_text(encoding="utf-8")):
            listed |= {line.strip() for line in tree["body"].splitlines() if line.strip() and not line.startswith(":")}
    there = {page.relative_to(DOCS).with_suffix("").as_posix() for page in PAGES}
    assert listed == there - {"index"} | {"gallery/index"}


@pytest.mark.parametrize(
    "file", [README, ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *PAGES], ids=lambda f: f.name
)
def test_links_lead_somewhere(file):
    for link in LINK.finditer(file.read_text(encoding="utf-8")):
        assert (file.parent / link["target"]).exists(), link["target"]


@pytest.mark.parametrize("name", METHODS)
def test_every_method_is_on_the_methods_page_and_its_settings_on_a_page_that_names_it(name):
    assert f"| `{name}` |" in (ROOT / "docs" / "methods.md").read_text(encoding="utf-8")
    pages = [text for text in (page.read_text(encoding="utf-8") for page in PAGES) if f"`{name}`" in text]
    method = METHODS[name]
    for setting in (*method.declared(), *declared_by(TextSettings)):
        assert any(f"| `{setting}` |" in text for text in pages), setting


def test_comparison_has_every_method():
    top, _, every = (DOCS / "comparison.md").read_text(encoding="utf-8").partition("## Every figure")
    assert [name for name in METHODS if f"| `{name}` |" not in top or f"| `{name}` |" not in every] == []


def test_figures_are_those_of_the_tables_that_were_measured(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "tools")
    tables = run_path(str(ROOT / "tools" / "tables.py"))
    blocks = run_path(str(ROOT / "tools" / "write_figures.py"))["BLOCKS"]
    blocks |= (tree := run_path(str(ROOT / "tools" / "write_which_method.py")))["BLOCKS"]
    texts = {page: page.read_text(encoding="utf-8") for page in [README, *PAGES]}
    assert {found[1] for text in texts.values() for found in tables["BLOCK"].finditer(text)} == set(blocks)
    for page, text in texts.items():
        assert text == tables["filled"](text, blocks), f"{page.name}: run the tools that write figures"
    assert tree["DRAWING"].read_text(encoding="utf-8") == tree["drawing"]()


def test_the_benchmark_puts_rows_where_they_belong():
    benchmark = run_path(str(ROOT / "benchmarks" / "methods.py"))
    page = (DOCS / "comparison.md").read_text(encoding="utf-8")
    assert benchmark["merged"](page, []) == page
    new = benchmark["Result"]("reuters90", "nb", 0.1, 0.2, 0.3, 4.0, 5000.0, 6.0)
    lines = set(benchmark["merged"](page, [new]).splitlines()) ^ set(page.splitlines())
    assert {line for line in lines if line in page.splitlines()} == {
        line for line in page.splitlines() if line.startswith("| reuters90 | `nb` |")
    }
    assert "| reuters90 | `nb` | 0.100 | 0.200 | 0.300 | 4.0 | 5,000 | 6.0 |" in lines


def parameters(command: Any) -> Iterator[Any]:
    """Give the parameters of a command and of the commands below it."""
    yield from command.params
    for below in getattr(command, "commands", {}).values():
        yield from parameters(below)


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_command_line_page_has_every_command_and_option(name):
    page = (ROOT / "docs" / "command-line.md").read_text(encoding="utf-8")
    assert f"\n| [`classmark {name}`](#classmark-{name}) |" in page
    assert f"\n## `classmark {name}`\n" in page
    section = page.split(f"\n## `classmark {name}`\n")[1].split("\n## ")[0]
    assert all(f"\n| `classmark {name} {below}" in section for below in getattr(COMMANDS[name], "commands", ()))
    shared = page.split("\n## Reading documents\n")[1] if "#reading-documents" in section else ""
    for parameter in parameters(COMMANDS[name]):
        for option in (*parameter.opts, *parameter.secondary_opts):
            assert not option.startswith("-") or f"`{option}`" in section + shared, option


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_command_line_page_has_no_option_that_there_is_not(name):
    page = (ROOT / "docs" / "command-line.md").read_text(encoding="utf-8")
    section = page.split(f"\n## `classmark {name}`\n")[1].split("\n## ")[0]
    there = {option for one in parameters(COMMANDS[name]) for option in (*one.opts, *one.secondary_opts)}
    rows = re.findall(r"^\| (`-.*?) \|", section, re.M)
    assert {option for row in rows for option in re.findall(r"`(-.*?)`", row)} <= there


def test_shared_options_are_those_of_every_command_that_reads():
    page = (ROOT / "docs" / "command-line.md").read_text(encoding="utf-8")
    section = page.split("\n## Reading documents\n")[1]
    listed = set(re.findall(r"^\| `(--.*?)` \|", section, re.M))
    readers = re.findall(r"`(\w+)`", section.split(" share these")[0])
    assert {name for name in COMMANDS if "--text-column" in {o for p in COMMANDS[name].params for o in p.opts}} == (
        set(readers)
    )
    for name in readers:
        there = {option for parameter in COMMANDS[name].params for option in parameter.opts}
        assert listed - there <= ({"--empty-labels"} if name == "predict" else set())


def test_tables_of_settings_are_what_is_declared():
    written = run_path(str(ROOT / "tools" / "write_settings_tables.py"))["written"]
    pages = [page for page in PAGES if "<!-- settings of " in page.read_text(encoding="utf-8")]
    assert len(pages) > 7
    for page in pages:
        assert page.read_text(encoding="utf-8") == written(page.read_text(encoding="utf-8")), page.name
