"""How figures of models are printed: of one, and of several side by side."""

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from classmark.cli.console import echo, print_fields, print_json, print_table
from classmark.service.promises import in_words
from classmark.service.results import plain

if TYPE_CHECKING:
    from classmark.probability import Promised
    from classmark.service.comparing import Compared
    from classmark.service.judging import Evaluated
    from classmark.service.training import Trained

AVERAGES = ("micro_f1", "micro_precision", "micro_recall", "macro_f1", "macro_f1_present")
COLUMNS = ("micro_f1", "macro_f1", "hf", "train_seconds", "predict_seconds", "megabytes")
TESTS = {"micro_f1": "micro_sign_test", "macro_f1": "macro_t_test", "hf": "bootstrap_hf"}
SIGNIFICANT = 0.05
IN_WORDS = (
    *("leaves", "nodes", "hierarchical", "first", "hamming_loss", "subset_accuracy", "consistency"),
    *("tree_distance", "cosine", "lca", "ranking", "probabilities"),
)
"""The measures that are printed in words of their own."""
NOTES = {
    "left_out": "left out {:,} documents that are not labelled",
    "seen_in_training": "trained on {:,} of these documents, or on others with the same words",
    "errors": "wrong or missing labels in {:,} documents",
}
"""What is said of documents below the figures, where there is something to say."""


def print_evaluation(result: "Evaluated") -> None:
    """Print what `evaluate` gives, as people read it."""
    echo(f"{result.documents:,} documents")
    print_figures(result.figures)
    said = plain(result)
    for note, words in NOTES.items():
        if note in said:
            echo(words.format(said[note]))
    for part, print_part in PARTS.items():
        if getattr(result, part):
            print_part(result)


def print_figures(figures: Mapping[str, Any]) -> None:
    """Print the measures that people ask for."""
    header = ["", *(name.replace("_", " ") for name in AVERAGES)]
    print_table(header, [[part, *(f"{figures[part][name]:.3f}" for name in AVERAGES)] for part in ("leaves", "nodes")])
    hierarchical, first = figures["hierarchical"], figures["first"]
    echo(
        f"hF {hierarchical['hf']:.3f} (hP {hierarchical['hp']:.3f}, hR {hierarchical['hr']:.3f})\n"
        f"first category right {first['accuracy']:.3f}, its hF {first['hf']:.3f}\n"
        f"Hamming loss {figures['hamming_loss']:.4f}, subset accuracy {figures['subset_accuracy']:.3f}, "
        f"consistency {figures['consistency']:.3f}"
    )
    print_others(figures)


def print_others(figures: Mapping[str, Any]) -> None:
    """Print the measures that nothing else here speaks of, by their names."""
    for name, found in figures.items():
        if name not in IN_WORDS:
            numbers = found.items() if isinstance(found, Mapping) else [("", found)]
            echo(", ".join(f"{name} {part}".replace("_", " ").rstrip() + f" {value:.3f}" for part, value in numbers))


def print_categories(result: "Evaluated") -> None:
    """Print the figures of each category, and what its documents got instead."""
    echo("")
    rows = [
        [
            one.title or str(one.category),
            f"{one.documents:,}",
            f"{one.predicted:,}",
            *(f"{figure:.3f}" for figure in (one.precision, one.recall, one.f1)),
            ", ".join(f"{other.category} {other.documents:,}" for other in one.instead),
        ]
        for one in result.categories or ()
    ]
    print_table(["category", "documents", "predicted", "precision", "recall", "F1", "instead"], rows)


def print_more(result: "Evaluated") -> None:
    """Print the measures of `evaluate --all`."""
    further, lca = result.further, result.further["lca"]
    echo(f"tree distance {further['tree_distance']:.3f}, label cosine {further['cosine']:.3f}")
    echo(f"LCA-based F {lca['f']:.3f} (P {lca['p']:.3f}, R {lca['r']:.3f})")
    for average in ("macro", "instance"):
        found = result.figures["hierarchical"][average]
        echo(f"{average} hF {found['hf']:.3f} (hP {found['hp']:.3f}, hR {found['hr']:.3f})")
    echo(", ".join(f"{name.replace('_', ' ')} {value:.3f}" for name, value in further["ranking"].items()))
    if "probabilities" in further:
        found = further["probabilities"]
        echo(", ".join(f"{name.replace('_', ' ')} {value:.4f}" for name, value in found.items()))
    print_others(further)


def print_significance(result: "Evaluated") -> None:
    """Print whether the difference from another model is more than chance."""
    assert result.against is not None
    assert result.significance is not None
    other = result.against.figures
    sign, t, bootstrap = (result.significance[test] for test in TESTS.values())
    echo("\nagainst the other model")
    rows = [
        ["micro F1", f"{other['leaves']['micro_f1']:.3f}", f"{sign['p_value']:.4f}", "sign test over all decisions"],
        ["macro F1", f"{other['leaves']['macro_f1']:.3f}", f"{t['p_value']:.4f}", "t-test over categories"],
        [
            "hF",
            f"{other['hierarchical']['hf']:.3f}",
            f"{bootstrap['p_value']:.4f}",
            f"bootstrap, difference {bootstrap['low']:+.3f} to {bootstrap['high']:+.3f}",
        ],
    ]
    print_table(["", "theirs", "p", "test"], rows)


def print_coverage(result: "Evaluated") -> None:
    """Print how good the surest answers are, more and more of them."""
    assert result.coverage is not None
    echo(f"\nthe surest answers, by {result.coverage.confidence}")
    columns = {"accuracy": "label set right", "first": "first right", "hf": "hF"}
    rows = [
        [f"{point.coverage:.0%}", f"{point.confidence:.3f}", *(f"{getattr(point, name):.3f}" for name in columns)]
        for point in result.coverage.curve.points
    ]
    print_table(["answered", "confidence", *columns.values()], rows)
    echo(f"label set right, mean over all shares: {result.coverage.curve.area:.3f}")


def print_training(result: "Trained") -> None:
    """Print what `train` gives, as people read it."""
    said = {} if result.promised is None else {"promised": in_words(result.promised)}
    said |= {} if result.feedback is None else {"feedback": str(result.feedback)}
    apart = ("held_out", "search")
    print_fields({name: value for name, value in plain(result).items() if name not in apart} | said)
    if result.search is not None:
        print_search(result.search)
    if result.held_out is not None:
        echo("\nheld out")
        print_evaluation(result.held_out)


def print_search(search: Mapping[str, Any]) -> None:
    """Print what a search has tried, what it has chosen and what it expects."""
    from classmark.auto.expecting import expected_in_words, rows_of_trials
    from classmark.auto.expecting import in_words as trial_in_words

    echo(f"\n{len(search['trials'])} trials, the best on all documents first")
    print_table(["score", "documents", "seconds", "what"], rows_of_trials(search["trials"]), left=(3,))
    echo(f"\nchosen    {trial_in_words(search)}")
    echo(f"because   {search['why']}")
    if search["expected"] is not None:
        echo(f"expected  {expected_in_words(search['expected'])}")


def print_promises(promises: Sequence["Promised"]) -> None:
    """Print what became of held-out documents under some promises."""
    if not promises:
        return
    echo(f"\nwhat {promises[0].documents:,} training documents held out promise")
    columns = ("probability", "right", "in_full", "in_part", "without")
    rows = [[f"{one.confidence:g}", *(f"{getattr(one, column):.3f}" for column in columns)] for one in promises]
    print_table(["min-confidence", *(column.replace("_", " ") for column in columns)], rows)


PARTS: dict[str, Callable[["Evaluated"], None]] = {
    "further": print_more,
    "significance": print_significance,
    "categories": print_categories,
    "coverage": print_coverage,
}
"""What prints the parts of an evaluation that are not always there."""


def comparison_cells(row: "Compared", first: "Compared") -> list[str]:
    """Give the cells of a row of `compare`; ▲ and ▼ mark what is significantly better or worse than the first."""
    figures = {column: getattr(row, column) for column in COLUMNS}
    cells = (
        f"{figure:.3f}{_mark(column, row, first)}" if column in TESTS else f"{figure:.1f}"
        for column, figure in figures.items()
    )
    return [row.method, *cells]


def _mark(column: str, row: "Compared", first: "Compared") -> str:
    """Give the mark of a figure where its difference from the first one's is more than chance.

    The sign test counts decisions that are right, those to leave a label out among them, so it may say the opposite of
    F1; such a figure is neither better nor worse.
    """
    if row.significance is None:
        return ""
    test, shown = row.significance[TESTS[column]], getattr(row, column) - getattr(first, column)
    tested = test["difference"] if "difference" in test else test["wins"] - test["losses"]
    if test["p_value"] >= SIGNIFICANT or shown * tested <= 0:
        return ""
    return " ▲" if shown > 0 else " ▼"


def print_markdown(rows: Sequence["Compared"]) -> None:
    """Print a comparison as a Markdown table."""
    table = [["method", *(column.replace("_", " ") for column in COLUMNS)]]
    table += [comparison_cells(row, rows[0]) for row in rows]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    table.insert(1, ["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])])
    for line in table:
        echo(f"| {' | '.join(map(str.ljust, line, widths))} |")
    if len(rows) > 1:
        echo(f"\n▲ ▼: better or worse than {rows[0].method}, p < {SIGNIFICANT}")


def print_csv(rows: Sequence["Compared"]) -> None:
    """Print a comparison as CSV, the p-values as columns of their own."""
    import csv

    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(["method", *COLUMNS, *(f"{column}_p" for column in TESTS)])
    for row in rows:
        tests = row.significance
        values = [tests[test]["p_value"] if tests else "" for test in TESTS.values()]
        writer.writerow([row.method, *(getattr(row, column) for column in COLUMNS), *values])


COMPARISONS: dict[str, Callable[[Sequence["Compared"]], None]] = {
    "markdown": print_markdown,
    "csv": print_csv,
    "json": print_json,
}
