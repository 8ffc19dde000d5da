"""`classmark serve`."""

from typing import Annotated

import typer


def serve(
    models: Annotated[
        list[str],
        typer.Argument(metavar="[NAME=]MODEL...", help="Model files, or folders of live indexes, and their names."),
    ],
    host: Annotated[str, typer.Option(help="The address to listen at; others than this machine's own need tokens.")] = (
        "127.0.0.1"
    ),
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 takes one that is free.")] = 8000,
    workers: Annotated[int, typer.Option(min=1, max=256, help="How many processes answer.")] = 1,
    token_file: Annotated[
        str | None, typer.Option(metavar="FILE", help="Tokens: a line 'read TOKEN' or 'write TOKEN [NAME]' each.")
    ] = None,
    trusted_proxy: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ADDRESS",
            help="Believe X-Forwarded-Proto and X-Forwarded-For from this IP address or network; may be repeated.",
        ),
    ] = None,
    store: Annotated[
        str, typer.Option(metavar="URL", help="Where corrections are kept: a file, or postgresql://….")
    ] = "classmark.sqlite",
    allow_learn: Annotated[bool, typer.Option("--allow-learn", help="Let clients send documents to learn from.")] = (
        False
    ),
    open_reading: Annotated[
        bool, typer.Option("--open-reading", help="Let anybody read who gets here; writing needs a token.")
    ] = False,
    log_texts: Annotated[bool, typer.Option("--log-texts", help="Log the texts that are asked about.")] = False,
    figures: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[NAME=]FILE", help="Show how good a model is: what `evaluate --by-category --json` gave."
        ),
    ] = None,
    report: Annotated[
        list[str] | None, typer.Option(metavar="[NAME=]FILE", help="Show the report of a model: `classmark report`.")
    ] = None,
    descriptions: Annotated[
        list[str] | None,
        typer.Option(metavar="[NAME=]FILE", help="Show and search words about categories, as in nodes.tsv."),
    ] = None,
    train_from: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[NAME=]DATA",
            help="Let people train again from DATA and corrections; options of `train` may follow, in the same quotes.",
        ),
    ] = None,
    max_body: Annotated[int, typer.Option(min=1024, help="The most bytes of a request.")] = 16 << 20,
    max_texts: Annotated[int, typer.Option(min=1, help="The most texts in a request.")] = 1000,
    max_length: Annotated[int, typer.Option(min=1, help="The most characters of a text.")] = 1_000_000,
    max_requests: Annotated[int, typer.Option(min=1, help="The most requests at a time, for each worker.")] = 512,
    max_seconds: Annotated[float, typer.Option(min=0.1, help="How long a request may take.")] = 60.0,
    max_upload: Annotated[int, typer.Option(min=1024, help="The most bytes of a file brought as a batch.")] = (
        200_000_000
    ),
    batches: Annotated[
        str | None, typer.Option(metavar="DIR", help="Where batches are kept; by default beside the store.")
    ] = None,
) -> None:
    """Answer other programs, by Annif's interface and past it: REST at /v1, described at /docs."""
    from classmark.errors import needing

    with needing("serving needs FastAPI, uvicorn, SQLAlchemy and others", "serve"):
        import fastapi  # noqa: F401
        import prometheus_client  # noqa: F401
        import sqlalchemy  # noqa: F401
        import uvicorn  # noqa: F401

    import classmark.server as server

    limits = server.Limits(
        body=max_body, texts=max_texts, length=max_length, requests=max_requests, seconds=max_seconds, upload=max_upload
    )
    named = server.named_models(models)
    settings = server.ServerSettings(
        models=named,
        host=host,
        port=port,
        workers=workers,
        trusted_proxies=tuple(trusted_proxy or ()),
        tokens=token_file,
        store=store,
        batches=batches,
        allow_learn=allow_learn,
        open_reading=open_reading,
        log_texts=log_texts,
        figures=server.for_projects(figures or [], named, "--figures"),
        reports=server.for_projects(report or [], named, "--report"),
        descriptions=server.for_projects(descriptions or [], named, "--descriptions"),
        train_from=server.for_projects(train_from or [], named, "--train-from"),
        limits=limits,
    )
    server.serve(settings, lambda words: typer.echo(words, err=True))
