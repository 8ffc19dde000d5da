"""The options of reading documents, which many commands share."""

import inspect
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from classmark import names
from classmark.cli.completion import among
from classmark.cli.options import column_names
from classmark.errors import InputError
from classmark.wording import one_of

if TYPE_CHECKING:
    from classmark.data import CorpusOptions

    Reading: TypeAlias = CorpusOptions
else:
    Reading = Any
    """What commands get of these options; its class is not imported before a command runs."""

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
EmptyLabels: TypeAlias = Annotated[
    str,
    typer.Option(
        help=f"What an empty CSV cell means: {one_of(names.EMPTY_LABELS)}.",
        autocompletion=among(names.EMPTY_LABELS),
    ),
]
UnknownLabels: TypeAlias = Annotated[
    str,
    typer.Option(
        help=f"What to do with a label the hierarchy lacks: {one_of(names.ON_UNKNOWN)}.",
        autocompletion=among(names.ON_UNKNOWN),
    ),
]
Language: TypeAlias = Annotated[
    str, typer.Option(help="Of the names of categories, where a thesaurus or vocabulary has several.")
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
    language: Language = "en",
) -> Reading:
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
        raise InputError(str(error).replace("on_unknown", "--unknown-labels")) from None


answer_options = partial(corpus_options, unknown_labels="drop")
"""The same where the labels of documents are not asked for."""
