"""A report as the command line asks for it: files in, a page out."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from classmark.data import Corpus, CorpusOptions
from classmark.errors import InputError
from classmark.persistence import check_writable
from classmark.pipeline import TextClassifier
from classmark.report.contents import Report
from classmark.service.corpora import check_spared, read, read_with
from classmark.service.describing import is_model
from classmark.service.diffing import check_hierarchies
from classmark.service.reporting.making import EXAMPLES, make_report
from classmark.service.reporting.naming import model_names
from classmark.service.results import INLINE


@dataclass(frozen=True, kw_only=True)
class Reported:
    """A report, and the page that was made of it."""

    page: str | None = None
    """The page."""
    bytes: int | None = None
    """Its size."""
    report: Report = field(metadata=INLINE)
    """What it says."""


def report(
    first: str,
    second: str | None = None,
    third: str | None = None,
    *,
    output: str | None = None,
    splits: Sequence[str] | None = None,
    options: CorpusOptions | None = None,
    examples: int = EXAMPLES,
    quick: bool = False,
) -> Reported:
    """Make a page about documents, about a model and documents, or about two models and documents.

    Parameters
    ----------
    first, second, third : str
        The documents alone; a model file and the documents; or two model files of one hierarchy and the documents.
    output : str, optional
        The page to write, HTML; without it nothing is written.
    splits : sequence of str, optional
        The splits to evaluate on; by default `test`, or everything where there is no such.
    options : CorpusOptions, optional
        How to read the documents.
    examples : int
        How many errors to show.
    quick : bool
        Leave out what learns models.
    """
    *models, data = (given for given in (first, second, third) if given is not None)
    _check_places(models, data)
    if output is not None:
        check_spared(output, data, *models)
        check_writable(Path(output))
    made = _made(models, data, splits, options or CorpusOptions(), examples, quick)
    if output is None:
        return Reported(report=made)
    from classmark.report.page import write_page

    write_page(made, output)
    return Reported(page=output, bytes=Path(output).stat().st_size, report=made)


def _check_places(models: Sequence[str], data: str) -> None:
    """Refuse documents where a model is expected, and a model in the place of the documents."""
    for given in models:
        if not Path(given).exists():
            raise FileNotFoundError(f"{given}: there is no such model file; check the path")
        if not is_model(Path(given)):
            raise InputError(
                f"{given}: not a model file; a report is about DATA, MODEL DATA or MODEL MODEL DATA, in that order"
            )
    if is_model(Path(data)):
        raise InputError(
            f"{data}: a model file, and the last place is for documents; name some to evaluate it on, "
            f"as in: classmark report {' '.join([*models, data])} DATA"
        )


def _made(
    models: Sequence[str], data: str, splits: Sequence[str] | None, options: CorpusOptions, examples: int, quick: bool
) -> Report:
    if not models:
        corpus = read(data, options=options)
        part = corpus if splits is None else corpus.select(splits)
        return make_report(_called(part, data), quick=quick, title=f"The documents of {Path(data).name}")
    loaded = [TextClassifier.load(one) for one in models]
    if len(loaded) > 1:
        check_hierarchies(loaded[0], loaded[1], " and ".join(models))
    corpus = _called(read_with(loaded[0], data, options), data)
    names = model_names(models[0], models[-1])
    title = " and ".join(names) if len(models) > 1 else Path(models[0]).stem
    return make_report(
        loaded[0],
        corpus,
        other=loaded[1] if len(loaded) > 1 else None,
        splits=splits,
        examples=examples,
        quick=quick,
        names=names,
        title=f"{title} on {Path(data).name}",
    )


def _called(corpus: Corpus, data: str) -> Corpus:
    """Call documents as the user does: a report is read by others, whom no path of this machine concerns."""
    return replace(corpus, source=data)
