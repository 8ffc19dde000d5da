"""A command is its file: nothing else lists it."""

import sys

import pytest

from classmark.cli import commands

TOY = """
import typer

def toy(name: str) -> None:
    '''Greet somebody.'''
    typer.echo(f"hello {name}")
"""


@pytest.fixture
def toy(tmp_path, monkeypatch):
    """A file beside those of the commands."""
    (tmp_path / "toy.py").write_text(TOY)
    monkeypatch.setattr(commands, "__path__", [*commands.__path__, str(tmp_path)])
    yield
    sys.modules.pop("classmark.cli.commands.toy")


def test_a_new_file_is_a_new_command(toy, capsys):
    assert commands.names() == [*commands.ORDER, "toy"]
    dict(commands.commands())["toy"]("owl")
    assert capsys.readouterr().out == "hello owl\n"


def test_every_file_is_in_the_order_of_the_help():
    assert commands.names() == list(commands.ORDER)
