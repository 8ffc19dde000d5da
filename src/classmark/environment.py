"""The environment variables that classmark reads: the one table of them."""

import os
from collections.abc import Mapping
from typing import NamedTuple

PREFIX = "CLASSMARK_"
CACHE, DATA, SERVER = f"{PREFIX}CACHE", f"{PREFIX}DATA", f"{PREFIX}SERVER"


class Variable(NamedTuple):
    """An environment variable: what it says, and what is where it is not set."""

    name: str
    meaning: str
    default: str


VARIABLES = (
    Variable(
        CACHE,
        "The folder in which vectors of texts are kept, below `vectors`; `off` keeps none.",
        "The user's cache folder, such as `~/.cache/classmark`.",
    ),
    Variable(
        DATA,
        "The folder in which datasets are looked for by their names first, and to which new ones go.",
        "The user's data folder alone, such as `~/.local/share/classmark/datasets`.",
    ),
    Variable(
        SERVER,
        "The settings of a server, which `classmark serve` leaves there for its worker processes; not for people.",
        "Nothing.",
    ),
)


def known() -> list[str]:
    """Give the names of all variables.

    >>> known()
    ['CLASSMARK_CACHE', 'CLASSMARK_DATA', 'CLASSMARK_SERVER']
    """
    return [variable.name for variable in VARIABLES]


def set_variables(environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Give the variables with our prefix that are set, known or not.

    >>> set_variables({"HOME": "/", "CLASSMARK_DAAT": "/data"})
    {'CLASSMARK_DAAT': '/data'}
    """
    return {name: value for name, value in sorted(environment.items()) if name.startswith(PREFIX)}
