"""The commands together, and what becomes of an error."""

import errno
import os
import signal
import sys
import threading
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from classmark.cli.commands import commands
from classmark.cli.groups import SingleOptionCommand, UsageError
from classmark.progress import hearing
from classmark.wording import in_a_line

app = typer.Typer(
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for name, command in commands():
    if isinstance(command, typer.Typer):
        app.add_typer(command, name=name)
    else:
        app.command(name)(command)
    for registered in command.registered_commands if isinstance(command, typer.Typer) else app.registered_commands[-1:]:
        registered.cls = SingleOptionCommand

FAILED, ASKED_WRONGLY = 1, 2
INTERRUPTED = 130
"""What newer versions of typer return after Ctrl-C; older ones raise `Abort`."""
SHOWN = 60
"""So many characters of a name that is too long are shown."""


def show_version(wanted: bool) -> None:
    """Print the version and stop."""
    if wanted:
        from classmark import __version__

        typer.echo(__version__)
        raise typer.Exit


@app.callback(invoke_without_command=True)
def classmark(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=show_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Put texts into a hierarchy of categories."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def main(program: typer.Typer = app) -> None:
    """Run a command of a program; every error and every notice is one line on standard error."""
    warnings.showwarning = _shown_once()
    _open_missing_streams()
    if threading.current_thread() is threading.main_thread():
        # Asked to end, as by a shutting down system, a command leaves its files as whole as after Ctrl-C.
        signal.signal(signal.SIGTERM, signal.default_int_handler)
    with hearing(_tell):
        sys.exit(_run(program))


def _run(program: typer.Typer) -> int:
    try:
        code = program(standalone_mode=False)
        # Here and not when the interpreter exits: that the output cannot be written is this command's failure.
        sys.stdout.flush()
    except UsageError as error:
        return _say(error.format_message(), ASKED_WRONGLY)
    except (KeyboardInterrupt, typer.Abort):
        code = INTERRUPTED
    except BrokenPipeError:
        # Whoever read our output has had enough.
        _drop_stuck_output()
        return FAILED
    except (
        FileExistsError,
        FileNotFoundError,
        IsADirectoryError,
        NotADirectoryError,
        PermissionError,
        ValueError,
    ) as error:
        return _say(_in_words(error), ASKED_WRONGLY)
    except (OSError, ImportError, MemoryError, RuntimeError) as error:
        _drop_stuck_output()
        return _say(_in_words(error), ASKED_WRONGLY if _is_too_long(error) else FAILED)
    if code == INTERRUPTED:
        return _say("interrupted; files are as they were before", FAILED)
    return int(code or 0)


def _open_missing_streams() -> None:
    """Give a process that was started without standard output or error (`>&-`) one that goes nowhere."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open("w"))  # noqa: SIM115 - open to the end


def _drop_stuck_output() -> None:
    """Let the interpreter's own flush at exit not fail once more over output that cannot be written."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _in_words(error: Exception) -> str:
    """Give what is wrong; where the system says so, the file first and no number."""
    if not isinstance(error, OSError) or error.filename is None or error.strerror is None:
        return str(error) or type(error).__name__
    name = str(error.filename)
    if _is_too_long(error):
        return f"{name[:SHOWN]}…: the name of the file is too long, or that of its folder; give a shorter one"
    return f"{name}: {error.strerror[:1].lower()}{error.strerror[1:]}"


def _is_too_long(error: Exception) -> bool:
    return isinstance(error, OSError) and error.errno == errno.ENAMETOOLONG


def _say(message: str, code: int) -> int:
    """Print an error."""
    _tell(message)
    return code


def _tell(message: str) -> None:
    """Print one line that people can read, whatever stands in the message."""
    print("classmark:", in_a_line(message), file=sys.stderr)  # noqa: T201


def _shown_once() -> Callable[..., None]:
    """Give a function that prints a warning as one line, without its place in the code, and only the first time.

    A solver that stops too early would otherwise say so for each of a thousand categories.
    """
    shown: set[str] = set()

    def show(message: Any, *_: Any) -> None:
        if str(message) not in shown:
            shown.add(str(message))
            _tell(f"warning: {message}")

    return show
