"""Check of an installation: versions, extras, memory, caches, and a test that trains and uses three models.

The test uses the solvers of scikit-learn, dense products, compiled kernels, the model file and explanations.
Docstrings differ from version to version, and so do the metrics, within tolerances.
"""

import math
import os
import platform
import re
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from classmark.bisection import first_from
from classmark.data import Corpus, load_docstrings
from classmark.data.sets.fetch import roots
from classmark.explain import explain
from classmark.limits import GIBIBYTE, available_memory
from classmark.metrics import hf_score
from classmark.parallel import n_cores
from classmark.pipeline import TextClassifier
from classmark.service.results import plain
from classmark.text.encoders.cache import cache_folder

OK, ABSENT, WARNING, FAILED = "ok", "absent", "warning", "failed"
MIN_MEMORY = 1.0
"""Gibibytes below which little can be trained."""
REQUIREMENT = re.compile(
    r"(?P<name>[\w.-]+)[^;]*?(?:>=\s*(?P<least>[\d.]+)[^;]*)?(?:;.*?)?(?:extra\s*==\s*['\"](?P<extra>\w+)['\"])?$"
)
N_TRAINING, N_TEST = 600, 200
"""Numbers of documents of the self-test."""
TRIALS: dict[str, tuple[dict[str, Any], float, float]] = {
    "linear-svm": ({}, 0.90, 0.10),
    "nb": ({}, 0.70, 0.15),
    "mp-boost": ({"n_estimators": 20}, 0.82, 0.12),
}
"""Methods of the self-test with their settings, their hF and its tolerance."""
REINSTALL = "reinstall classmark and what it needs (pip install --force-reinstall classmark), or report this line"


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One thing that was checked."""

    part: str
    """Heading that it belongs to: versions, machine and so on."""
    name: str
    """Name of the thing."""
    said: str
    """Description of its state."""
    state: str = OK
    """`ok`, `absent` if it is optional, a `warning`, or `failed`."""
    remedy: str | None = None
    """How to fix it."""


@plain.register
def _(value: Finding) -> dict[str, Any]:
    # The state ok is written, too.
    return {name: given for name, given in vars(value).items() if given is not None}


@dataclass(frozen=True, kw_only=True)
class Checkup:
    """Findings of a checkup."""

    findings: Sequence[Finding]
    """Everything that was checked."""
    warnings: int
    """Number of warnings."""
    failed: int
    """Number of failures."""
    seconds: float
    """Duration of the checkup."""


def doctor(*, test: bool = True) -> Checkup:
    """Check an installation, with the self-test unless `test` is False."""
    start = time.perf_counter()
    parts = PARTS | ({"self-test": self_test} if test else {})
    found = [finding for part, check in parts.items() for finding in caught(part, check)]
    states = [finding.state for finding in found]
    seconds = time.perf_counter() - start
    return Checkup(findings=found, warnings=states.count(WARNING), failed=states.count(FAILED), seconds=seconds)


def caught(part: str, check: Callable[[], Iterable[Finding]]) -> Iterator[Finding]:
    """Yield the findings of a check; an error of the check is a finding, too."""
    try:
        yield from check()
    except (ImportError, OSError, RuntimeError, ValueError, AttributeError, KeyError, TypeError) as error:
        said = " ".join(f"{type(error).__name__}: {error}".split())
        yield Finding(part=part, name="error", said=said, state=FAILED, remedy=REINSTALL)


class Requirement(NamedTuple):
    """A package that classmark or an extra needs, and its minimum version."""

    name: str
    least: str | None
    extra: str | None


def requirements() -> list[Requirement]:
    """Return the requirements in the metadata of the installation.

    >>> next(one for one in requirements() if one.name == "numpy").extra is None
    True
    """
    found = (REQUIREMENT.match(line) for line in metadata.requires("classmark") or ())
    return [Requirement(one["name"], one["least"], one["extra"]) for one in found if one]


def installed(package: str) -> str | None:
    """Return the version of a package, or None if it is not installed."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def versions() -> Iterator[Finding]:
    """Check the versions of Python and of the required packages."""
    from classmark import __version__

    yield Finding(part="versions", name="classmark", said=f"{__version__} in {Path(__file__).parents[1]}")
    yield Finding(part="versions", name="Python", said=f"{platform.python_version()} at {sys.executable}")
    for needed in (one for one in requirements() if one.extra is None):
        version = installed(needed.name)
        if version is None or (needed.least and _numbers(version) < _numbers(needed.least)):
            said = "not installed" if version is None else f"{version}, older than {needed.least}"
            remedy = f"pip install '{needed.name}>={needed.least or 0}'"
            yield Finding(part="versions", name=needed.name, said=said, state=FAILED, remedy=remedy)
        else:
            yield Finding(part="versions", name=needed.name, said=version)


def _numbers(version: str) -> tuple[int, ...]:
    """Return the first three numbers of a version.

    >>> _numbers("2.0.1rc1") > _numbers("2"), _numbers("2.0") == _numbers("2")
    (True, True)
    """
    return (*map(int, re.findall(r"\d+", version)), 0, 0)[:3]


def machine() -> Iterator[Finding]:
    """Check the cores and the memory that this process may use."""
    allowed, total = n_cores(), os.cpu_count() or 1
    yield Finding(part="machine", name="cores", said=f"{allowed} of {total}" if allowed < total else f"{total}")
    free = available_memory() / GIBIBYTE
    said = "unknown" if math.isinf(free) else f"{free:,.1f} GiB free for this process"
    remedy = "keep fewer terms (--set max_features=20000), or raise the memory limit" if free < MIN_MEMORY else None
    yield Finding(part="machine", name="memory", said=said, state=WARNING if remedy else OK, remedy=remedy)


def caches() -> Iterator[Finding]:
    """Check the folders of compiled kernels, vectors and datasets."""
    kernels = getattr(getattr(first_from, "_cache", None), "cache_path", None)
    if kernels is None:
        said, remedy = "not cached, so that every run compiles", "set NUMBA_CACHE_DIR to a writable folder"
        yield Finding(part="caches", name="kernels", said=said, state=WARNING, remedy=remedy)
    else:
        yield _folder("kernels", Path(kernels), "set NUMBA_CACHE_DIR to a writable folder")
    vectors = cache_folder()
    if vectors is None:
        yield Finding(part="caches", name="vectors", said="off, by CLASSMARK_CACHE", state=ABSENT)
    else:
        yield _folder("vectors", vectors, "set CLASSMARK_CACHE to a writable folder, or to off")
    yield _folder("datasets", roots()[0], "set CLASSMARK_DATA to a writable folder")


def _folder(name: str, folder: Path, remedy: str) -> Finding:
    """Check whether a folder can be written, or can be made."""
    nearest = next((one for one in (folder, *folder.absolute().parents) if one.exists()), folder)
    if nearest.is_dir() and os.access(nearest, os.W_OK):
        return Finding(part="caches", name=name, said=str(folder))
    said = f"{folder}, which cannot be written"
    return Finding(part="caches", name=name, said=said, state=WARNING, remedy=remedy)


def extras() -> Iterator[Finding]:
    """Check which extras are installed."""
    needed = requirements()
    for extra in sorted({one.extra for one in needed if one.extra}):
        missing = [one.name for one in needed if one.extra == extra and installed(one.name) is None]
        if missing:
            said, remedy = f"without {', '.join(missing)}", f"pip install 'classmark[{extra}]'"
            yield Finding(part="extras", name=extra, said=said, state=ABSENT, remedy=remedy)
        else:
            yield Finding(part="extras", name=extra, said="installed")


PARTS: dict[str, Callable[[], Iterable[Finding]]] = {
    "versions": versions,
    "machine": machine,
    "caches": caches,
    "extras": extras,
}


def self_test() -> Iterator[Finding]:
    """Train, save, load, predict and explain, and compare the hF with its usual value."""
    corpus = load_docstrings()
    training, test = _sample(corpus, "train", N_TRAINING), _sample(corpus, "test", N_TEST)
    for method, (settings, expected, tolerance) in TRIALS.items():
        start, problems = time.perf_counter(), []
        model = TextClassifier(method, settings=settings, hierarchy=training.hierarchy)
        predicted = model.fit(training.documents, training.labels).predict(test.documents)
        score = hf_score(test.labels, predicted, model.hierarchy_)
        seconds = time.perf_counter() - start
        if abs(score - expected) > tolerance:
            problems.append(f"hF is {score:.3f} and should be {expected:g} ± {tolerance:g}")
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "model.classmark"
            model.save(path)
            if [*map(list, predicted)] != [*map(list, TextClassifier.load(path).predict(test.documents))]:
                problems.append("predicts otherwise after it was saved and loaded")
        if not explain(model, next(iter(test.documents))):
            problems.append("explains nothing")
        said = f"trained, saved, loaded, predicted and explained; hF {score:.3f}, {seconds:.1f} s"
        state, remedy = (FAILED, REINSTALL) if problems else (OK, None)
        yield Finding(part="self-test", name=method, said="; ".join(problems) or said, state=state, remedy=remedy)


def _sample(corpus: Corpus, split: str, count: int) -> Corpus:
    """Return that many documents of a split, evenly spread."""
    part = corpus.select([split])
    return part.take(np.linspace(0, len(part) - 1, count).astype(int).tolist())
