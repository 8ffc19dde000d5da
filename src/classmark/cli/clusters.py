"""`--cluster`: the work of a command on a Dask cluster."""

from collections.abc import Iterator
from contextlib import contextmanager

from classmark.cli import console


@contextmanager
def working(where: str | None, *, printing: bool = False) -> Iterator[None]:
    """Show how far the work inside is, and do it on a cluster where one is named."""
    if where is None:
        with console.progress(printing=printing):
            yield
        return
    from classmark.parallel.cluster.connecting import cluster

    with console.progress(printing=printing), cluster(where):
        yield
