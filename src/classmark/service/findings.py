"""What a look at an installation gives: a line for each thing, how it is, and what to do about it."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

from classmark.service.results import plain

OK, ABSENT, WARNING, FAILED = "ok", "absent", "warning", "failed"


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One thing that was looked at."""

    part: str
    """To what it belongs: versions, machine and so on."""
    name: str
    """What it is."""
    said: str
    """How it is, in words."""
    state: str = OK
    """Whether that is `ok`, `absent` where it need not be there, a `warning`, or `failed`."""
    remedy: str | None = None
    """What to do about it, where there is something to do."""


@plain.register
def _(value: Finding) -> dict[str, Any]:
    # That something is well is to be read, too.
    return {name: given for name, given in vars(value).items() if given is not None}


Look: TypeAlias = Callable[[], Iterable[Finding]]


def looked(part: str, look: Look) -> Iterator[Finding]:
    """Give what a look finds; one that breaks off is a finding itself."""
    try:
        yield from look()
    except (ImportError, OSError, RuntimeError, ValueError, AttributeError, KeyError, TypeError) as error:
        said = " ".join(f"{type(error).__name__}: {error}".split())
        remedy = "if reinstalling classmark does not help, report this line"
        yield Finding(part=part, name="broke off", said=said, state=FAILED, remedy=remedy)
