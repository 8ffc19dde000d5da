"""What a file's columns are called and how its labels are written."""

from dataclasses import dataclass, fields
from typing import Literal

from classmark.checks import is_whole, shown
from classmark.errors import InputError
from classmark.names import EMPTY_LABELS, ON_UNKNOWN, REUTERS_SPLITS

CHOICES = {"empty_labels": EMPTY_LABELS, "on_unknown": ON_UNKNOWN, "reuters_split": REUTERS_SPLITS}

LARGEST_LINE = 2**20
"""In MiB: a tebibyte, which is no limit at all."""
MEBIBYTE = 2**20


@dataclass(frozen=True)
class CorpusOptions:
    """How to read a file of documents. The defaults fit classmark's own format.

    A column is a column of a table or a key of a JSON object.

    Parameters
    ----------
    text_column : str
        Where a document's text stands.
    label_column : str, optional
        Where the labels stand; without a name, `labels` or `label`, whichever the file has.
    id_column, split_column : str, optional
        Where a document's id and the name of its split stand; without a name, `id` and `split`, if the file has them.
        Without ids documents are numbered from 1; without splits there are none. A column that is named must be there.
    label_separator : str
        What stands between the labels in a cell of a table.
    delimiter : str, optional
        The character between the cells of a CSV or TSV file; without one, that of CSV is found by the header: a comma,
        semicolon, tab or bar.
    path_separator : str, optional
        Given, labels such as `a/b/c` are paths, and the hierarchy is their tree where there is no other.
    empty_labels : "unlabelled" or "nowhere"
        Whether an empty label cell of a table means that the document is not labelled, or belongs nowhere.
    on_unknown : "error" or "drop"
        What to do with a label that the hierarchy does not have.
    path_columns : tuple of str
        The columns of a table that hold a document's path, one level each, instead of a label column. The label is
        the parts with the path separator between them, `/` unless given.
    kind : str, optional
        The format, such as `lshtc`, where the suffix does not tell it.
    reuters_split : "modapte", "modlewis" or "modhayes"
        Which of its splits a Reuters-21578 file is read with.
    language : str
        The language of the names that a SKOS thesaurus or a vocabulary of Annif gives to categories; where it has none
        in that language, the first that it has.
    field_column : str, optional
        Where something else stands that every document has, such as its author or its date: it becomes the corpus's
        `fields`, by which `group_split` and `time_split` divide.
    max_line : int
        The longest line, row or story in MiB; a longer one is refused before it fills memory.

    Examples
    --------
    >>> CorpusOptions(label_column="topics", label_separator=";").text_column
    'text'
    """

    text_column: str = "text"
    label_column: str | None = None
    id_column: str | None = None
    split_column: str | None = None
    label_separator: str = ","
    path_separator: str | None = None
    empty_labels: Literal["unlabelled", "nowhere"] = "unlabelled"
    on_unknown: Literal["error", "drop"] = "error"
    path_columns: tuple[str, ...] = ()
    kind: str | None = None
    reuters_split: Literal["modapte", "modlewis", "modhayes"] = "modapte"
    language: str = "en"
    delimiter: str | None = None
    max_line: int = 64
    field_column: str | None = None

    def __post_init__(self) -> None:
        for name, allowed in CHOICES.items():
            if getattr(self, name) not in allowed:
                raise InputError(f"{name}={getattr(self, name)!r}: must be {_listed(allowed)}")
        for field in fields(self):
            if getattr(self, field.name) == "":
                raise InputError(f"{field.name} is empty; give a name or a separator, or leave {field.name} out")
        if not (
            isinstance(self.path_columns, tuple) and all(isinstance(name, str) and name for name in self.path_columns)
        ):
            raise InputError(
                f"path_columns={self.path_columns!r}: must be a tuple of column names, the top level first"
            )
        if len(set(self.path_columns)) < len(self.path_columns):
            raise InputError(f"path_columns is {self.path_columns!r}; name each column once")
        if self.path_columns and self.label_column is not None:
            raise InputError("path_columns and label_column are both given; labels stand in one or the other")
        if self.delimiter is not None and (len(self.delimiter) != 1 or self.delimiter in '"\r\n'):
            raise InputError(f"delimiter={shown(self.delimiter)}: must be one character, such as ';', or a tab")
        if not is_whole(self.max_line) or not 1 <= self.max_line <= LARGEST_LINE:
            raise InputError(
                f"max_line={shown(self.max_line)}: must be an integer >= 1 and <= {LARGEST_LINE:,}, in MiB"
            )

    @property
    def id_name(self) -> str:
        """What the column of ids is called where there is one."""
        return self.id_column or "id"

    @property
    def split_name(self) -> str:
        """What the column of splits is called where there is one."""
        return self.split_column or "split"

    @property
    def asked(self) -> list[tuple[str, str]]:
        """The columns beside the text's that somebody has named, which must be there, each with what it is for."""
        named = [("label", self.label_column), ("id", self.id_column), ("split", self.split_column)]
        named.append(("field", self.field_column))
        return [(role, name) for role, name in named if name] + [("path", name) for name in self.path_columns]

    @property
    def longest(self) -> int:
        """The longest line in bytes."""
        return self.max_line * MEBIBYTE

    @property
    def tree_separator(self) -> str | None:
        """What stands between the parts of a label where labels are paths; None where they are plain names."""
        return self.path_separator or ("/" if self.path_columns else None)


def _listed(allowed: tuple[str, ...]) -> str:
    return ", ".join(map(repr, allowed[:-1])) + f" or {allowed[-1]!r}"


DEFAULT_OPTIONS = CorpusOptions()
