"""What every experiment is."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from reproductions.surroundings import Surroundings
from reproductions.verdicts import Measured


class Parameters(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the condition of an experiment holds."""

    def corpora(self) -> tuple[str, ...]:
        """Give the names of the corpora it needs."""
        return ()

    def check(self) -> None:
        """Refuse before anything is run what would be refused after hours."""


@dataclass(frozen=True)
class Experiment:
    """A kind of experiment.

    Parameters
    ----------
    parameters : type
        What its conditions hold.
    run : callable
        From parameters, as many of them as rows share a fit, and surroundings to as many measured values. They differ
        in the varying parameter alone.
    varying : str, optional
        The parameter whose values share a fit.
    """

    parameters: type[Parameters]
    run: Callable[[Sequence[Any], Surroundings], list[Measured]]
    varying: str | None = None
