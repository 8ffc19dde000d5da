"""Run a table: the rows that share a fit together, each fit once, and what is in the cache not at all."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any, NamedTuple

import msgspec

from classmark.errors import InputError
from classmark.progress import track
from classmark.wording import unknown_name
from reproductions.cache import Cache
from reproductions.experiments import EXPERIMENTS, Experiment, Parameters
from reproductions.surroundings import Surroundings
from reproductions.tables import Place, Table, entry, find_tables, papers
from reproductions.verdicts import Measured, TableResult, part_results

VERSION = version("classmark")
"""What results were made by; the package itself has names of layers above this one."""
KEPT = 2
"""What is kept of a condition: with 2 the figures of every repetition too. Values kept otherwise are measured again."""


TOLD = ("title", "citation", "about", "protocol", "notes", "columns", "measures")
"""What results have of their table as it is."""


class Task(NamedTuple):
    """A row to be run: where it stands, the kind of experiment, and the condition."""

    place: Place
    kind: str
    parameters: Parameters

    @property
    def experiment(self) -> Experiment:
        """The kind of experiment itself."""
        return EXPERIMENTS[self.kind]

    @property
    def shared(self) -> bytes:
        """What rows of one fit have in common: everything but the varying parameter."""
        condition = msgspec.to_builtins(self.parameters)
        condition.pop(self.experiment.varying, None)
        return msgspec.json.encode([self.kind, condition], order="deterministic")


def run_table(
    table: Table,
    surroundings: Surroundings,
    cache: Cache,
    *,
    quick: bool = False,
    name: tuple[str, str] = ("", ""),
) -> TableResult:
    """Run every row whose corpora are here.

    Parameters
    ----------
    table : Table
        What to run.
    surroundings : Surroundings
        Corpora, seed and threads.
    cache : Cache
        What is measured goes in there at once, and what is there already is not measured again.
    quick : bool
        Run what the table says a quick run is.
    name : tuple of str
        The names of the paper and of the table, for the results.
    """
    tasks, missing = _planned(table, surroundings, quick)
    if tasks:
        cache.check()
    measured: dict[Place, Measured] = {}
    groups: dict[bytes, list[Task]] = {}
    for task in tasks:
        groups.setdefault(task.shared, []).append(task)
    for group in track(groups.values(), "conditions", len(groups)):
        measured |= _measured(group, surroundings, cache)
    return TableResult(
        *name,
        **{entry: getattr(table, entry) for entry in TOLD},
        version=VERSION,
        seed=surroundings.seed,
        quick=quick,
        parts=part_results(table, measured, missing, quick=quick),
    )


@dataclass(frozen=True, kw_only=True)
class PaperTable:
    """A table of a paper."""

    table: str
    """Its name."""
    title: str
    """What it shows."""
    corpora: Mapping[str, str | None]
    """The corpora that it needs, each with how to get it, or nothing if it is here."""


@dataclass(frozen=True, kw_only=True)
class Paper:
    """A paper with tables that can be run."""

    paper: str
    """Its name."""
    citation: str
    """Where it stands."""
    tables: Sequence[PaperTable]
    """Its tables."""


def listing(surroundings: Surroundings) -> list[Paper]:
    """List the papers and their tables, with the corpora they need and, for those not here, how to get them."""
    return [_listed(paper, find_tables(paper), surroundings) for paper in papers()]


def _listed(paper: str, tables: Mapping[str, Table], surroundings: Surroundings) -> Paper:
    described = [
        PaperTable(
            table=name,
            title=table.title,
            corpora={corpus: surroundings.lacks(corpus) for corpus in needed(table)},
        )
        for name, table in tables.items()
    ]
    return Paper(paper=paper, citation=next(iter(tables.values())).citation, tables=described)


def needed(table: Table) -> list[str]:
    """Give the corpora that a table needs.

    >>> needed(find_tables("adaboost_mh_kr_2000")["table_1"])
    ['reuters90']
    """
    conditions = [table.condition_of(part, row) for _, part, row in table.rows()]
    return list(dict.fromkeys(name for one in conditions for name in _parameters(one)[1].corpora()))


def _planned(table: Table, surroundings: Surroundings, quick: bool) -> tuple[list[Task], dict[Place, str]]:
    """Check every row, and give those to be run, and why the others are not."""
    tasks: list[Task] = []
    missing: dict[Place, str] = {}
    for place, part, row in table.rows():
        condition = table.condition_of(part, row, quick=quick)
        kind, parameters = _parameters(condition)
        parameters.check()
        reasons = [surroundings.lacks(name) for name in parameters.corpora()]
        reasons += [_left_out(table, condition)] if quick else []
        reason = next((words for words in reasons if words is not None), None)
        if reason is None:
            tasks.append(Task(place, kind, parameters))
        else:
            missing[place] = reason
    return tasks, missing


def _left_out(table: Table, condition: Mapping[str, Any]) -> str | None:
    """Say why a quick run leaves a row out, if it does."""
    for name, most in table.quick.most.items():
        if (entry(condition, name) or 0) > most:
            return f"a quick run goes up to {name} = {most:g}"
    return None


def _parameters(condition: Mapping[str, Any]) -> tuple[str, Parameters]:
    """Read a condition as its kind of experiment has it."""
    kind = condition.get("experiment", "none")
    if kind not in EXPERIMENTS:
        raise unknown_name("experiment", kind, EXPERIMENTS)
    rest = {name: value for name, value in condition.items() if name != "experiment"}
    try:
        return kind, msgspec.convert(rest, EXPERIMENTS[kind].parameters)
    except msgspec.ValidationError as error:
        raise InputError(f"a condition of the experiment {kind!r}: {error}") from None


def _measured(group: Sequence[Task], surroundings: Surroundings, cache: Cache) -> dict[Place, Measured]:
    """Measure the rows of one fit that the cache does not have."""
    keys = {task.place: _key(task, surroundings) for task in group}
    kept = {place: cache.find(key) for place, key in keys.items()}
    found = {place: measured for place, measured in kept.items() if measured is not None}
    left = [task for task in group if task.place not in found]
    values = left[0].experiment.run([task.parameters for task in left], surroundings) if left else []
    for task, measured in zip(left, values, strict=True):
        cache.keep(keys[task.place], measured)
        found[task.place] = measured
    return found


def _key(task: Task, surroundings: Surroundings) -> dict[str, Any]:
    """Give everything that the measured values of a row depend on."""
    return {
        "experiment": task.kind,
        "condition": msgspec.to_builtins(task.parameters),
        "kept": KEPT,
        "seed": surroundings.seed,
        "version": VERSION,
        "corpora": {name: surroundings.fingerprint(name) for name in task.parameters.corpora()},
    }
