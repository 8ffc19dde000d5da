"""`classmark info`."""

from typing import TYPE_CHECKING, Annotated

import typer

from classmark.cli import console, options
from classmark.cli.figures import print_promises
from classmark.cli.groups import takes
from classmark.service.results import plain

if TYPE_CHECKING:
    from classmark.service.describing import CorpusInfo, ModelInfo
    from classmark.service.indexing import IndexInfo


@takes(reading=options.corpus_options)
def info(
    path: Annotated[str, typer.Argument(metavar="PATH", help="A model file, a corpus or an index.")],
    tree: Annotated[bool, typer.Option("--tree", help="Draw the hierarchy too.")] = False,
    json: options.Json = False,
    *,
    reading: options.Reading,
) -> None:
    """Describe a model file, a corpus or an index."""
    from classmark.service.describing import info as describe

    console.show(describe(path, reading, tree=tree), json, _print)


def _print(result: "ModelInfo | CorpusInfo | IndexInfo") -> None:
    fields = plain(result)
    console.print_fields({name: fields[name] for name in fields if name not in ("promises", "tree")})
    print_promises(getattr(result, "promises", None) or ())
    if result.tree is not None:
        console.echo(f"\n{result.tree}")
