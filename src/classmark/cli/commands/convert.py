"""`classmark convert`."""

from dataclasses import replace
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any

import typer

from classmark import names
from classmark.cli import console, options
from classmark.cli.groups import takes
from classmark.errors import InputError
from classmark.wording import one_of

if TYPE_CHECKING:
    from classmark.service.converting import Change, Converted


@takes(reading=options.corpus_options)
def convert(
    source: Annotated[str, typer.Argument(metavar="SOURCE", help="A corpus, in any format that is read.")],
    target: Annotated[str, typer.Argument(metavar="TARGET", help="A file, or a dataset folder: no suffix.")],
    to: Annotated[str | None, typer.Option(metavar="KIND", help="That of the target, such as files.")] = None,
    shards: Annotated[
        int | None,
        typer.Option(
            metavar="N", help="Write a folder in so many shards: docs-00000.jsonl …; --to dataset-gz or -parquet."
        ),
    ] = None,
    hierarchy: Annotated[str | None, typer.Option(help="A hierarchy file of any format.")] = None,
    split: Annotated[str | None, typer.Option(help="Splits to convert, separated by commas; by default all.")] = None,
    reuters_split: Annotated[str, typer.Option(help=f"For Reuters SGML: {one_of(names.REUTERS_SPLITS)}.")] = "modapte",
    to_path_columns: Annotated[
        str | None, typer.Option(help="Write a label into these columns, a level each, separated by commas.")
    ] = None,
    resplit: Annotated[
        str | None,
        typer.Option(
            metavar="[WAY,]SHARES",
            help=f"Divide anew: {one_of(names.SPLITS)}, as in random,train=0.8,test=0.2 or 80/10/10.",
        ),
    ] = None,
    by_group: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="Divide so that these stay together, as authors; or near-duplicates."),
    ] = None,
    by_time: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Divide by this date or number, the latest for the test.")
    ] = None,
    label_rate: Annotated[
        float | None, typer.Option(min=0, max=1, help="Keep this share of the training labels, hide the others.")
    ] = None,
    seed: options.Seed = 0,
    force: Annotated[bool, typer.Option("--force", help="Replace the target if it is there.")] = False,
    json: options.Json = False,
    *,
    reading: options.Reading,
) -> None:
    """Write a corpus in another format."""
    from classmark.service.converting import convert as convert_corpus

    # Checked where it is stored, as every option is.
    further: dict[str, Any] = {"reuters_split": reuters_split}
    with console.progress():
        done = convert_corpus(
            source,
            target,
            kind=to,
            hierarchy=hierarchy,
            splits=options.split_names(split),
            options=replace(reading, **further),
            path_columns=options.column_names(to_path_columns),
            change=_change(resplit, by_group, by_time, label_rate, seed),
            overwrite=force,
            shards=shards,
        )
    console.show(done, json, lambda done: console.echo(in_a_line(done)))


def _change(
    resplit: str | None, by_group: str | None, by_time: str | None, label_rate: float | None, seed: int
) -> "Change":
    from classmark.service.converting import Change

    if by_group is not None and by_time is not None:
        raise InputError("--by-group and --by-time are both given; divide by one of them")
    return Change(resplit=resplit, by_group=by_group, by_time=by_time, label_rate=label_rate, seed=seed)


def in_a_line(done: "Converted") -> str:
    """Say what was written."""
    categories = "no hierarchy" if done.categories is None else f"{done.categories:,} categories"
    target, *beside = done.written
    listed = f" (in {', '.join(beside)})" if beside else ""
    flags = " ".join(f"--{name.replace('_', '-')} {quote(value)}" for name, value in (done.read_with or {}).items())
    read_with = f"; read it with {flags}" if flags else ""
    splits = f" ({console.in_words(done.splits)})" if done.splits else ""
    shards = "" if done.shards is None else f" in {done.shards:,} shard{'s' if done.shards > 1 else ''}"
    return f"{target}: {done.documents:,} documents{shards}{splits}, {categories}{listed}{read_with}"
