"""`classmark convert`."""

from dataclasses import replace
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any

import typer

from classmark.cli import console, options
from classmark.cli.reading import reads_documents

if TYPE_CHECKING:
    from classmark.data import Corpus, CorpusOptions
    from classmark.data.convert import Conversion


@reads_documents()
def convert(
    source: Annotated[str, typer.Argument(metavar="SOURCE", help="A corpus, in any format that is read.")],
    target: Annotated[str, typer.Argument(metavar="TARGET", help="A file, or a dataset folder: no suffix.")],
    to: Annotated[str | None, typer.Option(metavar="KIND", help="That of the target, such as files.")] = None,
    hierarchy: Annotated[str | None, typer.Option(help="A hierarchy file of any format.")] = None,
    split: Annotated[str | None, typer.Option(help="Splits to convert, separated by commas; by default all.")] = None,
    reuters_split: Annotated[str, typer.Option(help="For Reuters SGML: modapte, modlewis or modhayes.")] = "modapte",
    language: Annotated[str, typer.Option(help="Of the names of categories in a SKOS file.")] = "en",
    to_path_columns: Annotated[
        str | None, typer.Option(help="Write a label into these columns, a level each, separated by commas.")
    ] = None,
    resplit: Annotated[
        str | None,
        typer.Option(
            metavar="WAY[,NAME=SHARE…]",
            help="Divide the documents anew: random, stratified or ordered, as in random,train=0.8,test=0.2.",
        ),
    ] = None,
    label_rate: Annotated[
        float | None, typer.Option(min=0, max=1, help="Keep this share of the training labels, hide the others.")
    ] = None,
    seed: options.Seed = 0,
    force: Annotated[bool, typer.Option("--force", help="Replace the target if it is there.")] = False,
    json: options.Json = False,
    *,
    reading: "CorpusOptions",
) -> None:
    """Write a corpus in another format."""
    from classmark.data import CorpusOptions, experiments
    from classmark.data.convert import convert as convert_corpus
    from classmark.service import read
    from classmark.service.corpora import check_spared

    # Checked where it is stored, as every option is.
    further: dict[str, Any] = {"reuters_split": reuters_split, "language": language}
    reading = replace(reading, **further)
    target_options = None
    if to_path_columns is not None:
        target_options = CorpusOptions(
            path_columns=options.column_names(to_path_columns),
            path_separator=reading.path_separator,
            empty_labels=reading.empty_labels,
        )

    def change(corpus: "Corpus") -> "Corpus":
        corpus = corpus if resplit is None else experiments.resplit(corpus, resplit, seed)
        return corpus if label_rate is None else experiments.with_label_rate(corpus, label_rate, seed)

    check_spared(target, source, hierarchy)
    with console.progress():
        done = convert_corpus(
            read(source, hierarchy, reading),
            target,
            kind=to,
            splits=options.split_names(split),
            options=reading,
            target_options=target_options,
            change=change,
            overwrite=force,
        )
    console.print_json(as_data(done)) if json else console.echo(in_a_line(done))


def as_data(done: "Conversion") -> dict[str, object]:
    """Give what was written as plain data."""
    hierarchy = done.corpus.hierarchy
    return {
        "written": [str(path) for path in done.written],
        "format": done.kind,
        "documents": len(done.corpus),
        "categories": None if hierarchy is None else len(hierarchy),
        **({"read_with": done.options} if done.options else {}),
    }


def in_a_line(done: "Conversion") -> str:
    """Say what was written."""
    hierarchy = done.corpus.hierarchy
    categories = "no hierarchy" if hierarchy is None else f"{len(hierarchy):,} categories"
    target, *beside = done.written
    listed = f" (in {', '.join(map(str, beside))})" if beside else ""
    flags = " ".join(f"--{name.replace('_', '-')} {quote(value)}" for name, value in done.options.items())
    read_with = f"; read it with {flags}" if flags else ""
    return f"{target}: {len(done.corpus):,} documents, {categories}{listed}{read_with}"
