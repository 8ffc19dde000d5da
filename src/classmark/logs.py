"""A file of JSON lines that grows by what is done, so that whoever is stopped goes on where it was.

The first line says what it is of, the *fingerprint*; each further one is written when something is done. A last line
that was cut off is passed over, and taken away.
"""

from pathlib import Path
from typing import Any, TypeVar

import msgspec

from classmark.errors import InputError

T = TypeVar("T")


def begin_log(path: Path, fingerprint: dict[str, Any]) -> None:
    """Write a log that has nothing but what it is of."""
    path.write_bytes(msgspec.json.encode(fingerprint) + b"\n")


def add_to_log(path: Path, done: Any) -> None:
    """Write what is done to the end of a log."""
    with path.open("ab") as file:
        file.write(msgspec.json.encode(done) + b"\n")


def read_log(path: Path, fingerprint: dict[str, Any], kind: type[T]) -> list[T]:
    """Give what a log has, or refuse one of another search, naming what is other.

    >>> import tempfile
    >>> place = Path(tempfile.mkdtemp()) / "trials.jsonl"
    >>> begin_log(place, {"seed": 0})
    >>> add_to_log(place, {"score": 0.5})
    >>> read_log(place, {"seed": 0}, dict)
    [{'score': 0.5}]
    >>> read_log(place, {"seed": 1}, dict)
    Traceback (most recent call last):
    classmark.errors.InputError: ...trials.jsonl: the trials are of another search (seed); choose another name, or ...
    """
    content = path.read_bytes()
    whole = content[: content.rfind(b"\n") + 1]
    first, *lines = whole.splitlines() or [b""]
    try:
        found = msgspec.json.decode(first)
        done = [msgspec.json.decode(line, type=kind) for line in lines]
    except (msgspec.DecodeError, msgspec.ValidationError) as error:
        raise InputError(f"{path}: not a record of trials ({error}); choose another name, or delete it") from None
    # As it comes back from a file: a tuple is a list there.
    given = msgspec.json.decode(msgspec.json.encode(fingerprint))
    if found != given:
        known = found if isinstance(found, dict) else {}
        other = ", ".join(name for name, value in given.items() if known.get(name, ...) != value)
        raise InputError(f"{path}: the trials are of another search ({other}); choose another name, or delete it")
    if len(whole) < len(content):
        path.write_bytes(whole)
    return done
