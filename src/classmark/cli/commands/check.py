"""`classmark check`."""

from collections import Counter
from textwrap import wrap
from typing import TYPE_CHECKING, Annotated

import typer

from classmark.cli import console, options
from classmark.cli.groups import takes
from classmark.service.results import plain
from classmark.wording import in_a_line

if TYPE_CHECKING:
    from classmark.inspection import CorpusCheck

WIDTH = 80
APART = ("findings", "verdict")
"""What is not printed as a name and a value."""


@takes(reading=options.corpus_options)
def check(
    data: options.Data,
    hierarchy: options.HierarchyFile = None,
    limit: Annotated[int, typer.Option(min=0, help="How many examples of each finding to show.")] = 5,
    json: options.Json = False,
    *,
    reading: options.Reading,
) -> None:
    """Find all that is wrong with documents, before training; exit code 1 if reading would refuse them."""
    from classmark.service.checking import check as check_data

    with console.progress():
        result = check_data(data, hierarchy, reading, limit=limit)
    console.show(result, json, _print)
    if result.errors:
        raise typer.Exit(1)


def _print(result: "CorpusCheck") -> None:
    fields = {name: value for name, value in plain(result).items() if name not in APART and value not in (None, {})}
    width = max(map(len, fields)) + 2
    for name, value in fields.items():
        lines = wrap(console.in_words(value), WIDTH - width) or [""]
        console.echo(f"{name.replace('_', ' '):<{width}}" + f"\n{' ' * width}".join(lines))
    typer.echo()
    if result.findings:
        counts = Counter[str]()
        for one in result.findings:
            counts[f"{one.level:<7}  {one.what}"] += one.count
        console.print_table(("level    finding", "count"), [(what, f"{count:,}") for what, count in counts.items()])
    else:
        console.echo("nothing was found")
    for finding in result.findings:
        typer.echo()
        _print_wrapped("", f"{finding.level}: {finding.what}: {finding.count:,}")
        for example in finding.examples:
            _print_wrapped("  ", f"{example.where}: {example.what}")
        hidden = finding.count - len(finding.examples)
        if hidden > 0 and finding.examples:
            console.echo(f"  … and {hidden:,} more (--limit shows more)")
        _print_wrapped("  ", f"→ {finding.then}; {finding.remedy}")
    typer.echo()
    console.echo("\n".join(wrap(in_a_line(result.verdict), WIDTH)))


def _print_wrapped(indent: str, text: str) -> None:
    """Print a text in lines of at most 80 columns, those after the first further to the right."""
    for line in wrap(in_a_line(text), WIDTH, initial_indent=indent, subsequent_indent=f"{indent}  "):
        console.echo(line)
