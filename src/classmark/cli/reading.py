"""The options of reading documents, which many commands share, as one argument of a command."""

import inspect
from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from classmark.cli.options import column_names

if TYPE_CHECKING:
    from classmark.data import CorpusOptions

Kind: TypeAlias = Annotated[
    str | None, typer.Option(metavar="KIND", help="The format, such as lshtc, where the suffix does not tell it.")
]
TextColumn: TypeAlias = Annotated[str, typer.Option(help="The column or key that holds the text.")]
LabelColumn: TypeAlias = Annotated[str | None, typer.Option(help="That of the labels.  [default: labels or label]")]
PathColumns: TypeAlias = Annotated[
    str | None, typer.Option(help="Columns of a table that hold a path, a level each, separated by commas.")
]
IdColumn: TypeAlias = Annotated[str | None, typer.Option(help="That of the id.  [default: id]")]
SplitColumn: TypeAlias = Annotated[str | None, typer.Option(help="That of the split.  [default: split]")]
LabelSeparator: TypeAlias = Annotated[str, typer.Option(help="What stands between several labels in a CSV cell.")]
Delimiter: TypeAlias = Annotated[
    str | None, typer.Option(help="What stands between the cells of a CSV file, such as ';' or tab.")
]
MaxLine: TypeAlias = Annotated[int, typer.Option(metavar="MIB", help="The longest line, in MiB.")]
PathSeparator: TypeAlias = Annotated[str | None, typer.Option(help="What stands between the parts of a label path.")]
EmptyLabels: TypeAlias = Annotated[str, typer.Option(help="What an empty CSV cell means: unlabelled or nowhere.")]
UnknownLabels: TypeAlias = Annotated[
    str, typer.Option(help="What to do with a label the hierarchy lacks: error or drop.")
]

TABS = {"tab": "\t", "\\t": "\t"}
"""How a tab is written where it cannot be typed."""


def corpus_options(
    kind: Kind = None,
    text_column: TextColumn = "text",
    label_column: LabelColumn = None,
    path_columns: PathColumns = None,
    id_column: IdColumn = None,
    split_column: SplitColumn = None,
    label_separator: LabelSeparator = ",",
    path_separator: PathSeparator = None,
    empty_labels: EmptyLabels = "unlabelled",
    unknown_labels: UnknownLabels = "error",
    delimiter: Delimiter = None,
    max_line: MaxLine = 64,
) -> "CorpusOptions":
    """Make the options of reading out of those of the command line; its parameters are their declaration."""
    from classmark.data import CorpusOptions

    given: dict[str, Any] = locals()
    values = {name: given[name] for name in inspect.signature(corpus_options).parameters}
    values |= {"on_unknown": values.pop("unknown_labels"), "path_columns": column_names(path_columns)}
    values["delimiter"] = TABS.get(delimiter or "", delimiter)
    try:
        return CorpusOptions(**values)
    except ValueError as error:
        # The one option that Python calls by another name.
        raise ValueError(str(error).replace("on_unknown", "--unknown-labels")) from None


def reads_documents(**defaults: Any) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the options of reading documents, and its parameter `reading` what they make.

    Parameters
    ----------
    **defaults
        Defaults of the command's own, where they differ.
    """
    shared = inspect.signature(corpus_options).parameters

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        @wraps(command)
        def run(**given: Any) -> None:
            reading = corpus_options(**{name: given.pop(name) for name in shared})
            command(**given, reading=reading)

        own = [one for name, one in inspect.signature(command).parameters.items() if name != "reading"]
        added = [one.replace(default=defaults.get(name, one.default)) for name, one in shared.items()]
        parameters = [one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in (*own, *added)]
        # What typer looks at: the signature for the defaults, the annotations for the rest.
        run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        run.__annotations__ = {one.name: one.annotation for one in parameters}
        return run

    return decorate
