"""What a file's columns are called and how its labels are written."""

from dataclasses import dataclass, fields
from typing import Any, Literal

CHOICES = {"empty_labels": ("unlabelled", "nowhere"), "on_unknown": ("error", "drop")}


@dataclass(frozen=True)
class CorpusOptions:
    """How to read a file of documents. The defaults fit classmark's own format.

    A column is a column of a table or a key of a JSON object.

    Parameters
    ----------
    text_column, id_column, split_column : str
        Where a document's text, its id and the name of its split stand. Without ids documents are numbered
        from 1; without splits there are none.
    label_column : str, optional
        Where the labels stand; without a name, `labels` or `label`, whichever the file has.
    label_separator : str
        What stands between the labels in a cell of a table.
    path_separator : str, optional
        Given, labels such as `a/b/c` are paths, and the hierarchy is their tree where there is no other.
    empty_labels : "unlabelled" or "nowhere"
        Whether an empty label cell of a table means that the document is not labelled, or belongs nowhere.
    on_unknown : "error" or "drop"
        What to do with a label that the hierarchy does not have.

    Examples
    --------
    >>> CorpusOptions(label_column="topics", label_separator=";").text_column
    'text'
    """

    text_column: str = "text"
    label_column: str | None = None
    id_column: str = "id"
    split_column: str = "split"
    label_separator: str = ","
    path_separator: str | None = None
    empty_labels: Literal["unlabelled", "nowhere"] = "unlabelled"
    on_unknown: Literal["error", "drop"] = "error"

    def __post_init__(self) -> None:
        for name, allowed in CHOICES.items():
            if getattr(self, name) not in allowed:
                raise ValueError(f"{name} is {getattr(self, name)!r}; it may be {' or '.join(map(repr, allowed))}")
        for field in fields(self):
            _check_not_empty(field.name, getattr(self, field.name))


def _check_not_empty(name: str, value: Any) -> None:
    """Refuse an empty name or separator, which nothing can be found by."""
    if value == "":
        raise ValueError(f"{name} is empty; give a name or a separator, or leave {name} out")


DEFAULT_OPTIONS = CorpusOptions()
