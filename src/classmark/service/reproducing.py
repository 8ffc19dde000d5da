"""The tables of the papers, run again."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import reproductions
from reproductions import Cache, Paper, Surroundings, TableResult
from classmark.service.results import plain


@dataclass(frozen=True, kw_only=True)
class Reproduced:
    """A table that was run."""

    result: TableResult
    """Its figures beside the reported ones, with a verdict on each."""
    written: Sequence[str] | None = None
    """The files that it was written into, where that was asked for; none if nothing was run, for those of an earlier
    run are worth more."""


@plain.register
def _(value: TableResult) -> Any:
    return reproductions.plain(value)


def list_papers(data: str | Path | None = None, *, jobs: int | None = None) -> list[Paper]:
    """List the papers and their tables, with the corpora they need; what could not be run with is refused here too."""
    return reproductions.listing(Surroundings(data, jobs=jobs))


def reproduce(
    paper: str,
    table: str | None = None,
    *,
    data: str | Path | None = None,
    quick: bool = False,
    write: str | Path | None = None,
    cache: str | Path | None = None,
    fresh: bool = False,
    seed: int = 0,
    jobs: int | None = None,
) -> list[Reproduced]:
    """Run the tables of a paper; what is measured is kept, and the same call goes on where it was stopped.

    Parameters
    ----------
    paper : str
        The name of the paper.
    table : str, optional
        One of its tables; by default all.
    data : str or Path, optional
        A folder of dataset folders, which is looked in first.
    quick : bool
        Run the part of a table that takes little time.
    write : str or Path, optional
        A folder to write the results into, as Markdown and as JSON.
    cache : str or Path, optional
        Where measured values are kept; by default the user's own folder for them.
    fresh : bool
        Measure again what was kept.
    seed : int
        The seed of everything random.
    jobs : int, optional
        How many threads or processes learn at a time.
    """
    surroundings = Surroundings(data, seed=seed, jobs=jobs)
    if write is not None and not Path(write).is_dir():
        raise FileNotFoundError(f"{write}: no such folder; make it first")
    tables = reproductions.find_tables(paper, table)
    kept = Cache(Path(cache) if cache else reproductions.cache_folder(), fresh=fresh)
    results = [
        reproductions.run_table(one, surroundings, kept, quick=quick, name=(paper, name))
        for name, one in tables.items()
    ]
    if write is None:
        return [Reproduced(result=result) for result in results]
    return [Reproduced(result=result, written=_written(result, Path(write))) for result in results]


def _written(result: TableResult, folder: Path) -> list[str]:
    return [str(file) for file in reproductions.write_results(result, folder)] if result.was_run else []
