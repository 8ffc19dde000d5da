"""What classmark runs on: versions, extras, the processor, memory, threads, folders and environment variables."""

import math
import os
import platform
import re
import sys
from collections.abc import Iterator
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from classmark.data.sets.fetch import installed, roots
from classmark.environment import PREFIX, known, set_variables
from classmark.lazy import find
from classmark.limits import GIBIBYTE, available_memory
from classmark.parallel import n_cores
from classmark.service.findings import ABSENT, FAILED, OK, WARNING, Finding
from classmark.text.encoders.cache import cache_folder
from classmark.wording import meant

LITTLE_MEMORY = 1.0
"""Gibibytes below which little can be learned."""
REQUIREMENT = re.compile(
    r"(?P<name>[\w.-]+)[^;]*?(?:>=\s*(?P<least>[\d.]+)[^;]*)?(?:;.*?)?(?:extra\s*==\s*['\"](?P<extra>\w+)['\"])?$"
)
EXTRAS = {
    "dask": "clusters",
    "embed": "the encoders static and sentence",
    "excel": "Excel files",
    "networkx": "hierarchies as graphs",
    "parquet": "Parquet files",
    "postgres": "stores in PostgreSQL",
    "report": "plots of tune",
    "serve": "classmark serve, and stores",
    "skos": "SKOS files",
    "torch": "the method fine-tuned",
}
"""What extras are for; the others are listed by their names."""


KERNEL = "bisection:first_from"
"""A kernel, by which it is known where all of them are kept."""
UNITS = ("bytes", "KiB", "MiB", "GiB", "TiB")
PACKAGE = Path(__file__).parents[1]


class Requirement(NamedTuple):
    """A package that classmark needs, or that an extra does, and its least version."""

    name: str
    least: str | None
    extra: str | None


def requirements() -> list[Requirement]:
    """Read what classmark requires, as its installation has it.

    >>> next(one for one in requirements() if one.name == "numpy").extra is None
    True
    """
    found = (REQUIREMENT.match(line) for line in metadata.requires("classmark") or ())
    return [Requirement(one["name"], one["least"], one["extra"]) for one in found if one]


def versions() -> Iterator[Finding]:
    """Look at the versions of Python and of what classmark needs."""
    from classmark import __version__

    yield Finding(part="versions", name="classmark", said=f"{__version__} in {Path(__file__).parents[1]}")
    yield Finding(part="versions", name="Python", said=f"{platform.python_version()} at {sys.executable}")
    try:
        needed = [one for one in requirements() if one.extra is None]
    except metadata.PackageNotFoundError:
        said = "not installed as a package, so that its requirements are not known"
        yield Finding(part="versions", name="requirements", said=said, state=WARNING, remedy="pip install classmark")
        return
    for one in needed:
        yield _version(one)
    yield from _blas()


def _version(needed: Requirement) -> Finding:
    remedy = f"pip install '{needed.name}>={needed.least}'" if needed.least else f"pip install {needed.name}"
    try:
        there = metadata.version(needed.name)
    except metadata.PackageNotFoundError:
        return Finding(part="versions", name=needed.name, said="not installed", state=FAILED, remedy=remedy)
    if needed.least and _numbers(there) < _numbers(needed.least):
        said = f"{there}, older than {needed.least}"
        return Finding(part="versions", name=needed.name, said=said, state=FAILED, remedy=remedy)
    return Finding(part="versions", name=needed.name, said=there)


def _numbers(version: str) -> tuple[int, ...]:
    """Give the leading numbers of a version, without zeros at the end.

    >>> _numbers("2.0.1rc1") > _numbers("2"), _numbers("2.0") == _numbers("2")
    (True, True)
    """
    found = re.match(r"\d+(\.\d+)*", version)
    numbers = [int(number) for number in found[0].split(".")] if found else []
    while numbers and not numbers[-1]:
        numbers.pop()
    return tuple(numbers)


def _blas() -> Iterator[Finding]:
    """Name the libraries of matrix products, as they are loaded."""
    import scipy.linalg  # noqa: F401 - brings its own
    from threadpoolctl import threadpool_info

    found = [one for one in threadpool_info() if one["user_api"] == "blas"]
    names = dict.fromkeys(
        " ".join(filter(None, (one["internal_api"], one.get("version"), one.get("architecture")))) for one in found
    )
    yield Finding(part="versions", name="BLAS", said=", ".join(names) or "none that can be asked")


def machine() -> Iterator[Finding]:
    """Look at the platform, the cores and the memory that this process may use."""
    yield Finding(part="machine", name="platform", said=platform.platform())
    allowed, total = n_cores(), os.cpu_count() or 1
    yield Finding(part="machine", name="cores", said=f"{allowed} of {total}" if allowed < total else f"{total}")
    free = available_memory() / GIBIBYTE
    little = free < LITTLE_MEMORY
    yield Finding(
        part="machine",
        name="memory",
        said="unknown" if math.isinf(free) else f"{free:,.1f} GiB free for this process",
        state=WARNING if little else OK,
        remedy="keep fewer terms (--set max_features=20000), or let the container have more" if little else None,
    )


def threads() -> Iterator[Finding]:
    """Look at how many threads the libraries use."""
    import numba
    import scipy.linalg  # noqa: F401 - brings its own
    from threadpoolctl import threadpool_info

    pools = [one for one in threadpool_info() if one["user_api"] in ("blas", "openmp")]
    most, allowed = max((int(one["num_threads"]) for one in pools), default=1), n_cores()
    many = most > allowed
    listed = ", ".join(f"{one['internal_api']} {one['num_threads']}" for one in pools) or "none"
    remedy = f"set OMP_NUM_THREADS={allowed}: more threads than cores wait for each other"
    yield Finding(
        part="threads",
        name="matrix products",
        said=listed,
        state=WARNING if many else OK,
        remedy=remedy if many else None,
    )
    own = numba.config.NUMBA_NUM_THREADS  # type: ignore[attr-defined]
    yield Finding(part="threads", name="numba", said=f"{own}, which stay idle: kernels run on those of learning")
    yield Finding(part="threads", name="learning", said="1, unless --jobs or n_jobs says more")


def extras() -> Iterator[Finding]:
    """Look at which extras are there."""
    try:
        needed = requirements()
    except metadata.PackageNotFoundError:
        return
    for extra in sorted({one.extra for one in needed if one.extra}):
        missing = [one.name for one in needed if one.extra == extra and not _is_installed(one.name)]
        purpose = EXTRAS.get(extra, "")
        if missing:
            remedy = f"pip install 'classmark[{extra}]'" + (f" for {purpose}" if purpose else "")
            said = f"without {', '.join(missing)}"
            yield Finding(part="extras", name=extra, said=said, state=ABSENT, remedy=remedy)
        else:
            yield Finding(part="extras", name=extra, said=purpose or "installed")
    yield _gpu()


def _is_installed(package: str) -> bool:
    try:
        metadata.version(package)
    except metadata.PackageNotFoundError:
        return False
    return True


def _gpu() -> Finding:
    """Ask torch for a GPU, where there is torch."""
    if find_spec("torch") is None:
        return Finding(part="extras", name="GPU", said="not asked for, without torch", state=ABSENT)
    import torch

    if not torch.cuda.is_available():
        return Finding(part="extras", name="GPU", said=f"none that torch {torch.__version__} can use", state=ABSENT)
    about = torch.cuda.get_device_properties(0)
    return Finding(part="extras", name="GPU", said=f"{about.name}, {about.total_memory / GIBIBYTE:,.0f} GiB")


def caches() -> Iterator[Finding]:
    """Look at the folders that things are kept in."""
    yield _kernels()
    vectors = cache_folder()
    if vectors is None:
        yield Finding(part="caches", name="vectors", said="off, by CLASSMARK_CACHE", state=ABSENT)
    else:
        files = [path for path in vectors.rglob("*.vectors") if path.is_file()]
        said = f"{in_bytes(_size(files))} in {vectors}" if files else f"empty, {vectors}"
        remedy = "set CLASSMARK_CACHE to a folder that can be written, or to off"
        yield _writable(Finding(part="caches", name="vectors", said=said), vectors, remedy)
    yield _datasets()


def _kernels() -> Finding:
    """Say where compiled kernels are kept, and how many are."""
    kept = getattr(getattr(find(KERNEL), "_cache", None), "cache_path", None)
    remedy = "set NUMBA_CACHE_DIR to a folder that can be written"
    if kept is None:
        said = "not kept, so that every run compiles"
        return Finding(part="caches", name="kernels", said=said, state=WARNING, remedy=remedy)
    folder = Path(kept)
    if folder.is_relative_to(PACKAGE):
        folder = PACKAGE
    elif folder.parent.name:
        folder = folder.parent
    files = [path for path in folder.rglob("*.nb[ic]") if path.is_file()]
    compiled = sum(path.suffix == ".nbi" for path in files)
    said = (
        f"{compiled:,} compiled, {in_bytes(_size(files))} in {folder}" if compiled else f"none compiled yet, {folder}"
    )
    return _writable(Finding(part="caches", name="kernels", said=said), Path(kept), remedy)


def _datasets() -> Finding:
    """Say which folder datasets are in, and how many there are."""
    there, first = installed(), roots()[0]
    files = [path for folder in there.values() for path in folder.rglob("*") if path.is_file()]
    said = f"{len(there):,} of {in_bytes(_size(files))}, new ones go to {first}"
    remedy = "set CLASSMARK_DATA to a folder that can be written"
    return _writable(Finding(part="caches", name="datasets", said=said), first, remedy)


def _writable(finding: Finding, folder: Path, remedy: str) -> Finding:
    """Add that a folder, or the nearest one above it that there is, cannot be written."""
    nearest = next((one for one in (folder, *folder.absolute().parents) if one.exists()), folder)
    if nearest.is_dir() and os.access(nearest, os.W_OK):
        return finding
    said = f"{finding.said}, which cannot be written"
    return Finding(part=finding.part, name=finding.name, said=said, state=WARNING, remedy=remedy)


def _size(files: list[Path]) -> int:
    return sum(path.stat().st_size for path in files)


def in_bytes(size: float) -> str:
    """Write a size in the largest unit that there is one of.

    >>> in_bytes(100), in_bytes(3 << 20)
    ('100 bytes', '3.0 MiB')
    """
    power = min(int(size).bit_length() - 1, 49) // 10 if size >= 1 else 0
    return f"{size:,.0f} bytes" if not power else f"{size / 1024**power:,.1f} {UNITS[power]}"


def variables() -> Iterator[Finding]:
    """Look at our environment variables; one that is not known is probably misspelt."""
    found = set_variables()
    for name, value in found.items():
        if name in known():
            yield Finding(part="variables", name=name, said=value)
        else:
            said, remedy = f"{value}, but no such variable is known", f"unset it{meant(name, known())}"
            yield Finding(part="variables", name=name, said=said, state=WARNING, remedy=remedy)
    if not found:
        yield Finding(part="variables", name=f"{PREFIX}*", said="none is set", state=ABSENT)
