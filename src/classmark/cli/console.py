"""Progress on standard error where it is a terminal, and plain tables on standard output."""

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import typer

from classmark.wording import visible


@contextmanager
def progress(printing: bool = False) -> Iterator[None]:
    """Show a bar for every tracked loop inside, if standard error is a terminal.

    Where results are printed inside, and to a terminal too, there is no bar: drawing it anew would wipe them out.
    """
    if not sys.stderr.isatty() or (printing and sys.stdout.isatty()):
        yield
        return
    from rich.console import Console
    from rich.progress import Progress, TaskID

    from classmark.progress import listening

    with Progress(console=Console(stderr=True), transient=True) as bars:
        tasks: dict[str, TaskID] = {}

        def listen(what: str, done: int, total: int | None) -> None:
            if done == 0 or what not in tasks:
                tasks[what] = bars.add_task(what, total=total)
            bars.update(tasks[what], completed=done)

        with listening(listen):
            yield


def echo(text: str) -> None:
    """Print lines, codes that a terminal would obey written out: names of categories may hold anything."""
    typer.echo("\n".join(map(visible, text.split("\n"))))


def print_json(value: Any) -> None:
    """Print plain data as JSON."""
    import msgspec

    typer.echo(msgspec.json.format(msgspec.json.encode(value, enc_hook=str), indent=2).decode())


def print_fields(fields: Mapping[str, Any]) -> None:
    """Print names and values, a line each."""
    width = max(map(len, fields))
    for name, value in fields.items():
        echo(f"{name:<{width}}  {in_words(value)}")


def print_training(result: Mapping[str, Any]) -> None:
    """Print what `train` gives, as people read it."""
    print_fields({name: value for name, value in result.items() if name != "held_out"})
    if "held_out" in result:
        echo("\nheld out")
        print_evaluation(result["held_out"])


def in_words(value: Any) -> str:
    """Give a value as people write it."""
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {in_words(inner)}" for key, inner in value.items()) or "none"
    if value is None:
        return "none"
    if isinstance(value, float):
        return f"{value:.1f}" if value.is_integer() else f"{value:.4g}"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:,}" if isinstance(value, int) else str(value)


def print_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print columns, the first to the left and the others to the right."""
    widths = [max(len(row[i]) for row in [header, *rows]) for i in range(len(header))]
    for row in [header, *rows]:
        cells = [
            row[0].ljust(widths[0]),
            *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)),
        ]
        echo("  ".join(cells).rstrip())


def print_evaluation(result: Mapping[str, Any]) -> None:
    """Print what `evaluate` gives, as people read it."""
    echo(f"{result['documents']:,} documents")
    averages = ("micro_f1", "micro_precision", "micro_recall", "macro_f1", "macro_f1_present")
    header = ["", *(name.replace("_", " ") for name in averages)]
    rows = [[part, *(f"{result[part][name]:.3f}" for name in averages)] for part in ("leaves", "nodes")]
    print_table(header, rows)
    hierarchical, first = result["hierarchical"], result["first"]
    echo(
        f"hF {hierarchical['hf']:.3f} (hP {hierarchical['hp']:.3f}, hR {hierarchical['hr']:.3f})\n"
        f"first category right {first['accuracy']:.3f}, its hF {first['hf']:.3f}\n"
        f"Hamming loss {result['hamming_loss']:.4f}, subset accuracy {result['subset_accuracy']:.3f}, "
        f"consistency {result['consistency']:.3f}"
    )
    if "left_out" in result:
        echo(f"left out {result['left_out']:,} documents that are not labelled")
    if "seen_in_training" in result:
        echo(f"trained on {result['seen_in_training']:,} of these documents, or on others with the same words")
    if "errors" in result:
        echo(f"wrong or missing labels in {result['errors']:,} documents")
    if "tree_distance" in result:
        print_more(result)
    if "significance" in result:
        print_significance(result["against"], result["significance"])
    if "categories" in result:
        print_categories(result["categories"])


def print_categories(categories: Sequence[Mapping[str, Any]]) -> None:
    """Print the figures of each category, and what its documents got instead."""
    echo("")
    rows = [
        [
            one.get("title") or str(one["category"]),
            f"{one['documents']:,}",
            f"{one['predicted']:,}",
            *(f"{one[figure]:.3f}" for figure in ("precision", "recall", "f1")),
            ", ".join(f"{other['category']} {other['documents']:,}" for other in one["instead"]),
        ]
        for one in categories
    ]
    print_table(["category", "documents", "predicted", "precision", "recall", "F1", "instead"], rows)


def print_more(result: Mapping[str, Any]) -> None:
    """Print the measures of `evaluate --all`."""
    lca, ranking = result["lca"], result["ranking"]
    echo(f"tree distance {result['tree_distance']:.3f}, label cosine {result['cosine']:.3f}")
    echo(f"LCA-based F {lca['f']:.3f} (P {lca['p']:.3f}, R {lca['r']:.3f})")
    for average in ("macro", "instance"):
        found = result["hierarchical"][average]
        echo(f"{average} hF {found['hf']:.3f} (hP {found['hp']:.3f}, hR {found['hr']:.3f})")
    echo(", ".join(f"{name.replace('_', ' ')} {value:.3f}" for name, value in ranking.items()))
    if "probabilities" in result:
        found = result["probabilities"]
        echo(", ".join(f"{name.replace('_', ' ')} {value:.4f}" for name, value in found.items()))


def print_significance(other: Mapping[str, Any], tests: Mapping[str, Any]) -> None:
    """Print whether the difference from another model is more than chance."""
    sign, t, bootstrap = tests["micro_sign_test"], tests["macro_t_test"], tests["bootstrap_hf"]
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


COLUMNS = ("micro_f1", "macro_f1", "hf", "train_seconds", "predict_seconds", "megabytes")
TESTS = {"micro_f1": "micro_sign_test", "macro_f1": "macro_t_test", "hf": "bootstrap_hf"}
SIGNIFICANT = 0.05


def comparison_cells(row: Mapping[str, Any], first: Mapping[str, Any]) -> list[str]:
    """Give the cells of a row of `compare`; ▲ and ▼ mark what is significantly better or worse than the first."""
    figures = [
        f"{row[column]:.3f}{_mark(column, row, first)}" if column in TESTS else f"{row[column]:.1f}"
        for column in COLUMNS
    ]
    return [row["method"], *figures]


def _mark(column: str, row: Mapping[str, Any], first: Mapping[str, Any]) -> str:
    """Give the mark of a figure where its difference from the first one's is more than chance.

    The sign test counts decisions that are right, those to leave a label out among them, so it may say the opposite of
    F1; such a figure is neither better nor worse.
    """
    test = row["significance"][TESTS[column]] if "significance" in row else None
    if test is None or test["p_value"] >= SIGNIFICANT:
        return ""
    tested = test["difference"] if "difference" in test else test["wins"] - test["losses"]
    shown = row[column] - first[column]
    return (" ▲" if shown > 0 else " ▼") if shown * tested > 0 else ""


def print_markdown(rows: Sequence[Mapping[str, Any]]) -> None:
    """Print a comparison as a Markdown table."""
    table = [["method", *(column.replace("_", " ") for column in COLUMNS)]]
    table += [comparison_cells(row, rows[0]) for row in rows]
    widths = [max(len(line[i]) for line in table) for i in range(len(table[0]))]
    table.insert(1, ["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])])
    for line in table:
        echo("| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) + " |")
    if len(rows) > 1:
        echo(f"\n▲ ▼: better or worse than {rows[0]['method']}, p < {SIGNIFICANT}")


def print_csv(rows: Sequence[Mapping[str, Any]]) -> None:
    """Print a comparison as CSV, the p-values as columns of their own."""
    import csv

    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(["method", *COLUMNS, *(f"{column}_p" for column in TESTS)])
    for row in rows:
        tests = row.get("significance")
        values = [tests[test]["p_value"] if tests else "" for test in TESTS.values()]
        writer.writerow([row["method"], *(row[column] for column in COLUMNS), *values])


COMPARISONS: dict[str, Callable[[Sequence[Mapping[str, Any]]], None]] = {
    "markdown": print_markdown,
    "csv": print_csv,
    "json": print_json,
}
