"""`classmark store`."""

from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from classmark.cli import console, options
from classmark.cli.groups import command_group, takes

if TYPE_CHECKING:
    from classmark.service.storing import StoreInfo

app = command_group("Keep documents, what a model said of them, and what people say.")
StoreAddress: TypeAlias = Annotated[
    str, typer.Argument(metavar="STORE", help="A store: the path of its file, or postgresql://….")
]
Project: TypeAlias = Annotated[
    str | None, typer.Option(metavar="NAME", help="The project; by default the only one that there is.")
]
COLUMNS = ("documents", "waiting", "reviewed", "human", "rejected")


@app.command("info")
def info(store: StoreAddress, json: options.Json = False) -> None:
    """Say what a store has."""
    from classmark.service import storing

    console.show(storing.store_info(store), json, _print_info)


@app.command("add")
@takes(reading=options.answer_options)
def add(
    store: StoreAddress,
    data: options.Data,
    project: Annotated[str, typer.Option(metavar="NAME", help="What the documents belong to.")],
    model: Annotated[
        str | None, typer.Option(metavar="MODEL", help="A model file, or an index: keep what it says of them.")
    ] = None,
    who: Annotated[str, typer.Option(metavar="NAME", help="Who brings them.")] = "import",
    split: options.Split = None,
    json: options.Json = False,
    *,
    reading: options.Reading,
) -> None:
    """Bring documents to be reviewed; a store that is not there is made.

    One whose id is there is replaced as long as nobody has judged it. Documents without an id get the next number of
    the project, such as #7.
    """
    from classmark.service import storing

    splits = options.split_names(split)
    with console.progress():
        result = storing.add_to_store(store, data, project, model=model, who=who, options=reading, splits=splits)
    console.show(result, json)


@app.command("export")
def export(
    store: StoreAddress,
    output: Annotated[str, typer.Option("-o", "--output", metavar="FOLDER", help="The dataset folder to write.")],
    project: Project = None,
    hierarchy: options.HierarchyFile = None,
    json: options.Json = False,
) -> None:
    """Write the documents whose labels people have accepted or given as a dataset folder."""
    from classmark.service import storing

    console.show(storing.export_store(store, output, project=project, hierarchy=hierarchy), json)


@app.command("backup")
def backup(
    store: StoreAddress,
    file: Annotated[str, typer.Argument(metavar="FILE", help="The file to write.")],
    json: options.Json = False,
) -> None:
    """Write everything to one file, whole or not at all."""
    from classmark.service import storing

    console.show(storing.backup_store(store, file), json)


@app.command("restore")
def restore(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A backup.")],
    store: StoreAddress,
    json: options.Json = False,
) -> None:
    """Make a store of a backup; one that is there must be empty."""
    from classmark.service import storing

    console.show(storing.restore_store(file, store), json)


@app.command("forget")
def forget(
    store: StoreAddress,
    name: Annotated[str | None, typer.Option(help="The name of a document.")] = None,
    who: Annotated[str | None, typer.Option(help="Who has brought the documents.")] = None,
    project: Annotated[str | None, typer.Option(metavar="NAME", help="The project; by default all.")] = None,
    index: Annotated[
        str | None, options.folder("Delete them from this live index too, and their words from its files.")
    ] = None,
    batches: Annotated[
        str | None, options.folder("Where the server keeps batches; by default beside the store.")
    ] = None,
    json: options.Json = False,
) -> None:
    """Delete documents, with all that was said of them, so that no file has them any more."""
    from classmark.service import storing

    found = storing.forget_in_store(store, project=project, name=name, who=who, index=index, batches=batches)
    console.show(found, json)


def _print_info(found: "StoreInfo") -> None:
    """Print a line for each project, and below it who has said what."""
    console.echo(found.store)
    rows = [[name, *(f"{getattr(one, column):,}" for column in COLUMNS)] for name, one in found.projects.items()]
    console.print_table(["project", *COLUMNS], rows)
    for name, one in found.projects.items():
        for who, kinds in one.people.items():
            console.echo(f"{name}: {who} {', '.join(f'{kind} {times:,}' for kind, times in kinds.items())}")
