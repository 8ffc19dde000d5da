"""`classmark diff`."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from classmark.cli import console, options
from classmark.cli.console import aligned, echo, in_words, print_table
from classmark.cli.groups import takes

if TYPE_CHECKING:
    from classmark.service.changes import ChangedDocument
    from classmark.service.diffing import Difference

WIDTH = 80
NAME = 28
"""So many characters of a category's name are shown in a table."""
SIGNIFICANT = 0.05
FEW_DOCUMENTS = 30
"""With fewer documents the bootstrap, which draws from them alone, is too sure of itself."""
FIGURES = {"micro_f1": "micro F1", "macro_f1_present": "macro F1 present", "hf": "hF"}
"""What figures are called; others by their names."""
TESTS = {"micro_sign_test": "sign test over all decisions", "macro_t_test": "t-test over categories"}
KINDS = {"too shallow": "shallow", "too deep": "deep", "other branch": "branch"}
"""How kinds of error are called in the head of a table, where that is shorter."""
NOTES = {
    "left_out": "left out {:,} documents that are not labelled",
    "seen_by_first": "A was trained on {:,} of these documents, or on others with the same words",
    "seen_by_second": "B was trained on {:,} of these documents, or on others with the same words",
}


def print_difference(result: "Difference") -> None:
    """Print what `diff` gives, as people read it."""
    echo(f"{result.documents:,} documents: {verdict(result)}")
    for note, words in NOTES.items():
        if count := getattr(result, note):
            echo(words.format(count))
    for print_part in PARTS if _anything_new(result) else PARTS[:1]:
        print_part(result)


def _anything_new(result: "Difference") -> bool:
    return result.by_document.same < result.documents


def verdict(result: "Difference") -> str:
    """Say which model is better, if that is more than chance."""
    if not _anything_new(result):
        return "both models give the same answers"
    figure = next(one for one in result.figures if one.name == "hf")
    if result.documents < FEW_DOCUMENTS:
        return f"too few to say which model is better, hF {figure.difference:+.3f}"
    if figure.p_value > SIGNIFICANT:
        return f"no difference in hF that is more than chance ({_p(figure.p_value)})"
    return f"B is {'better' if figure.difference > 0 else 'worse'}, hF {figure.difference:+.3f} ({_p(figure.p_value)})"


def _print_models(result: "Difference") -> None:
    """Print what is not the same in how the models were made."""
    echo("\nfrom A to B")
    rows = [(f"  {one.what}", f"{in_words(one.first)} → {in_words(one.second)}") for one in result.models]
    for line in aligned(rows, WIDTH) if rows else ["  made alike"]:
        echo(line)


def _print_figures(result: "Difference") -> None:
    """Print the figures of both."""
    echo("")
    rows = [
        [
            FIGURES.get(one.name, one.name.replace("_", " ")),
            *(f"{value:.3f}" for value in (one.first, one.second)),
            f"{one.difference:+.3f}",
            f"{one.low:+.3f} to {one.high:+.3f}",
            _number(one.p_value),
        ]
        for one in result.figures
    ]
    print_table(["", "A", "B", "B − A", "95 % interval", "p"], rows)
    echo("interval and p by paired bootstrap; F1 over the leaves")
    echo(", ".join(f"{words} {_p(result.tests[test])}" for test, words in TESTS.items() if test in result.tests))


def _print_documents(result: "Difference") -> None:
    """Print how many documents are answered better and worse."""
    found = result.by_document
    echo(
        f"\ndocuments by hF: B better {found.better:,}, worse {found.worse:,} (sign test {_p(found.p_value)})\n"
        f"as good {found.as_good:,}, the same answer {found.same:,}"
    )


def _print_kinds(result: "Difference") -> None:
    """Print from which kind of error to which the answers go."""
    found = result.by_kind
    echo("\nkinds of error, from A (rows) to B (columns)")
    rows = [
        [kind, *(f"{count:,}" if count else "·" for count in row.values()), f"{sum(row.values()):,}"]
        for kind, row in found.table.items()
    ]
    totals = [f"{sum(row[kind] for row in found.table.values()):,}" for kind in found.table]
    heads = [KINDS.get(kind, kind) for kind in found.table]
    print_table(["", *heads, "in A"], [*rows, ["in B", *totals, f"{result.documents:,}"]])
    echo(
        f"right in B alone {found.second_alone:,}, in A alone {found.first_alone:,} "
        f"(McNemar's exact test {_p(found.p_value)})"
    )


def _print_categories(result: "Difference") -> None:
    """Print the categories that change most."""
    found = result.by_category
    echo(f"\n{found.changed:,} categories are answered otherwise, {found.significant:,} of them by more than chance")
    if not found.most:
        return
    rows = [
        [
            shortened(one.title or str(one.category), NAME),
            f"{one.documents:,}",
            f"{one.first_f1:.3f}",
            f"{one.second_f1:.3f}",
            f"+{one.found:,} −{one.lost:,}",
            f"+{one.intruding:,} −{one.gone:,}",
            _number(one.p_value),
        ]
        for one in found.most
    ]
    print_table(["", "documents", "F1 in A", "in B", "right", "wrong", "p"], rows)
    echo("right, wrong: documents of it and of others that B (+) or A (−) alone puts there")
    echo("p: sign test over these documents, corrected for many (Benjamini and Hochberg)")


def _print_changed(result: "Difference") -> None:
    """Print the documents that change most."""
    if not result.by_document.most:
        return
    echo("\ndocuments that change most")
    for one in result.by_document.most:
        for line in _changed(one):
            echo(line)


def _changed(one: "ChangedDocument") -> list[str]:
    said = {
        "true": _labels(one.labels),
        "A": f"{_labels(one.first)} ({one.first_kind})",
        "B": f"{_labels(one.second)} ({one.second_kind})",
    }
    head = f"{one.second_hf - one.first_hf:+.3f}  {one.id}  {one.excerpt}"
    return [_begun(head), *(_begun(f"        {who:<4}  {what}") for who, what in said.items())]


def _labels(names: Sequence[object]) -> str:
    return ", ".join(map(str, names)) or "nothing"


def _begun(line: str) -> str:
    return line if len(line) <= WIDTH else f"{line[: WIDTH - 1]}…"


def shortened(name: str, width: int) -> str:
    """Give the end of a name that is too long: paths differ there.

    >>> shortened("animal/bird/owl", 10)
    '…/bird/owl'
    """
    return name if len(name) <= width else f"…{name[len(name) - width + 1 :]}"


def _p(value: float) -> str:
    return f"p {_number(value)}"


def _number(p_value: float) -> str:
    return "< 0.0001" if p_value < 0.0001 else f"{p_value:.4f}"


PARTS: tuple[Callable[["Difference"], None], ...] = (
    _print_models,
    _print_figures,
    _print_documents,
    _print_kinds,
    _print_categories,
    _print_changed,
)


@takes(reading=options.corpus_options)
def diff(
    first: Annotated[str, typer.Argument(metavar="A", help="A model file.")],
    second: Annotated[str, typer.Argument(metavar="B", help="Another one, of the same hierarchy.")],
    data: options.Data,
    split: options.Split = None,
    top: Annotated[int, typer.Option(min=0, help="So many categories and documents that change most.")] = 10,
    json: options.Json = False,
    *,
    reading: options.Reading,
) -> None:
    """Say what changes from one model to another: figures, documents, categories and kinds of error."""
    from classmark.service.diffing import diff as diff_models

    with console.progress():
        result = diff_models(first, second, data, splits=options.split_names(split), options=reading, top=top)
    console.show(result, json, print_difference)
