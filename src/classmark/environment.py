"""The environment variables that classmark reads: the one table of them."""

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
