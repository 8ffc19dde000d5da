"""`classmark index`."""

from typing import Annotated, TypeAlias

import typer

from classmark import names
from classmark.cli import completion, console, options
from classmark.cli.console import working
from classmark.cli.groups import command_group, takes
from classmark.wording import one_of

app = command_group("Keep documents in a folder where the nearest ones are found.")
Index: TypeAlias = Annotated[str, typer.Argument(metavar="INDEX", help="The folder of an index.")]


@app.command("create")
def create(
    index: Index,
    scoring: Annotated[
        str, typer.Option(help=f"{one_of(names.SCORINGS)}.", autocompletion=completion.among(names.SCORINGS))
    ] = "okapi",
    k1: Annotated[float, typer.Option(min=0, help="BM25: how late a count saturates.")] = 1.2,
    b: Annotated[float, typer.Option(min=0, max=1, help="BM25: how much a document's length counts.")] = 0.75,
    idf: Annotated[
        str,
        typer.Option(
            help=f"BM25: the weight of a term, {one_of(names.IDFS)}.", autocompletion=completion.among(names.IDFS)
        ),
    ] = "lucene",
    setting: Annotated[
        list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="Change how texts become terms.")
    ] = None,
    hierarchy: options.HierarchyFile = None,
    decision: Annotated[
        str | None, typer.Option(help="How votes become labels, where the index classifies; one that is not learned.")
    ] = None,
    cluster: options.Cluster = None,
    json: options.Json = False,
) -> None:
    """Make an empty index; with a hierarchy, `predict`, `evaluate` and `explain` take the folder as a model."""
    from classmark.service import indexing

    settings = options.settings_of(setting)
    with working(cluster):
        result = indexing.create_index(
            index, scoring=scoring, k1=k1, b=b, idf=idf, settings=settings, hierarchy=hierarchy, decision=decision
        )
    console.show(result, json)


@app.command("add")
@takes(reading=options.answer_options)
def add(
    index: Index,
    data: options.Data,
    split: options.Split = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on after the documents that are in, where adding was stopped.")
    ] = False,
    cluster: options.Cluster = None,
    json: options.Json = False,
    *,
    reading: options.Reading,
) -> None:
    """Add documents, or replace those with the same ids; an index that is not there is made.

    Documents without an id get the next number of the index, such as #7.
    """
    from classmark.service import indexing

    with working(cluster):
        result = indexing.add_to_index(index, data, reading, options.split_names(split), resume=resume)
    console.show(result, json)


@app.command("delete")
def delete(
    index: Index,
    ids: Annotated[str, typer.Argument(metavar="IDS", help="A file with an id a line; - reads the input.")],
    json: options.Json = False,
) -> None:
    """Delete documents by their ids: all, or none if one is not there."""
    from classmark.service import indexing

    console.show(indexing.delete_from_index(index, ids), json)


@app.command("compact")
def compact(index: Index, json: options.Json = False) -> None:
    """Make one segment of all, without what is deleted."""
    from classmark.service import indexing

    console.show(indexing.compact_index(index), json)


@app.command("pack")
def pack(
    index: Index,
    output: Annotated[str, typer.Option("-o", "--output", metavar="MODEL", help="The model file to write.")],
    hierarchy: options.HierarchyFile = None,
    json: options.Json = False,
) -> None:
    """Make a model file of an index: a classifier by the nearest documents."""
    from classmark.service import indexing

    with console.progress():
        result = indexing.pack_index(index, output, hierarchy=hierarchy)
    console.show(result, json)


@app.command("info")
def info(
    index: Index,
    check: Annotated[
        bool, typer.Option("--check", help="Read all files once more, and compare their checksums.")
    ] = False,
    json: options.Json = False,
) -> None:
    """Describe an index."""
    from classmark.service import indexing

    console.show(indexing.index_info(index, check=check), json)


@app.command("search")
@takes(reading=options.answer_options)
def search(
    index: Index,
    data: Annotated[str, typer.Argument(metavar="DATA", help="Documents; - reads JSONL or plain lines.")],
    k: Annotated[int, typer.Option("-k", min=1, help="How many documents to find.")] = 10,
    terms: Annotated[
        int | None, typer.Option(min=1, help="Look only at documents with one of so many heaviest terms.")
    ] = None,
    jobs: options.Jobs = None,
    cluster: options.Cluster = None,
    *,
    reading: options.Reading,
) -> None:
    """Find the nearest documents; one JSON object a line: id, neighbours with id, score and labels."""
    from classmark.service import indexing

    with working(cluster, printing=True):
        console.print_lines(indexing.search_index(index, data, reading, k=k, terms=terms, jobs=jobs))
