"""The commands together, and what becomes of an error."""

import os
import sys
import warnings
from typing import Annotated, Any

import typer

from classmark.cli.demo import demo
from classmark.cli.evaluate import evaluate
from classmark.cli.explain import explain
from classmark.cli.info import info
from classmark.cli.methods import methods
from classmark.cli.predict import predict
from classmark.cli.train import train

app = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
for command in (demo, train, predict, evaluate, explain, info, methods):
    app.command()(command)

FAILED, ASKED_WRONGLY = 1, 2
UsageError: Any = typer.BadParameter.__bases__[0]
"""Some versions of typer bring their own copy of click, so its classes are only to be had through typer."""


def show_version(wanted: bool) -> None:
    """Print the version and stop."""
    if wanted:
        from classmark import __version__

        typer.echo(__version__)
        raise typer.Exit


@app.callback()
def classmark(
    version: Annotated[bool, typer.Option("--version", callback=show_version, is_eager=True)] = False,
) -> None:
    """Put texts into a hierarchy of categories."""


def main() -> None:
    """Run a command; every error is one line on standard error."""
    warnings.showwarning = _show_warning  # type: ignore[assignment]
    sys.exit(_run())


def _run() -> int:
    try:
        code = app(standalone_mode=False)
    except UsageError as error:
        return _say(error.format_message(), ASKED_WRONGLY)
    except (KeyboardInterrupt, typer.Abort):
        return _say("interrupted; files are as they were before", FAILED)
    except BrokenPipeError:
        # Whoever read our output has had enough; let the interpreter's own flush at exit not complain about it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError, PermissionError, ValueError) as error:
        return _say(str(error), ASKED_WRONGLY)
    except (OSError, ImportError, MemoryError) as error:
        return _say(str(error) or type(error).__name__, FAILED)
    return int(code or 0)


def _say(message: str, code: int) -> int:
    """Print an error as one line."""
    print("classmark:", " ".join(message.split()), file=sys.stderr)  # noqa: T201
    return code


def _show_warning(message: Any, category: Any, *_: Any) -> None:
    """Print a warning as one line, without the place in the code that it comes from."""
    _say(f"warning: {message}", 0)
