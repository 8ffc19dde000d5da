"""What can be said to a search."""

from typing import Annotated

from classmark.auto.budget import BUDGET
from classmark.checks import Constraint, choice
from classmark.metrics.table import choices
from classmark.parameters import Parameterized


def _are_names(value: object) -> bool:
    return value is None or (isinstance(value, str) and all(part.strip() for part in value.split(",")))


NAMES = Constraint(_are_names, "names of methods with commas between them, or None", lambda text: _named(text))


def _named(text: str) -> str | None:
    return None if text == "none" else text


class AutoSettings(Parameterized, frozen=True):
    """How to search for the best model."""

    budget: Annotated[
        float | None, BUDGET, "How long searching and learning may take, in seconds or as in 90s, 10m and 2h."
    ] = 300.0
    measure: Annotated[str, choice(choices()), "What to choose by, on documents held out."] = "hf"
    methods: Annotated[str | None, NAMES, "The methods to choose among; by default those that suit the documents."] = (
        None
    )
    without: Annotated[str | None, NAMES, "Methods to leave out."] = None

    @property
    def wanted(self) -> list[str] | None:
        """The methods to choose among, if they are named."""
        return None if self.methods is None else _listed(self.methods)

    @property
    def unwanted(self) -> list[str]:
        """The methods to leave out."""
        return [] if self.without is None else _listed(self.without)


def _listed(names: str) -> list[str]:
    return [name.strip() for name in names.split(",")]
