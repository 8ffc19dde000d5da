"""Where classmark keeps things, and what the environment says about it."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

from classmark.bisection import first_from
from classmark.data.sets.store import installed, roots
from classmark.environment import PREFIX, known, set_variables
from classmark.reproductions.cache import cache_folder as reproductions_folder
from classmark.service.findings import ABSENT, WARNING, Finding
from classmark.text.encoders.cache import cache_folder as vectors_folder
from classmark.wording import meant

UNITS = ("bytes", "KiB", "MiB", "GiB", "TiB")
PACKAGE = Path(__file__).parents[1]


def caches() -> Iterator[Finding]:
    """Look at the folders that things are kept in."""
    yield _kernels()
    vectors = vectors_folder()
    if vectors is None:
        yield Finding(part="caches", name="vectors", said="off, by CLASSMARK_CACHE", state=ABSENT)
    else:
        remedy = "set CLASSMARK_CACHE to a folder that can be written, or to off"
        yield _folder("vectors", vectors, remedy, lambda path: path.suffix == ".vectors")
    yield _folder("reproductions", reproductions_folder(), "set XDG_CACHE_HOME to a folder that can be written")
    yield _datasets()


def _kernels() -> Finding:
    """Say where compiled kernels are kept, and how many are."""
    kept = getattr(getattr(first_from, "_cache", None), "cache_path", None)
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


def _folder(name: str, folder: Path, remedy: str, counted: Callable[[Path], bool] = Path.is_file) -> Finding:
    files = [path for path in folder.rglob("*") if path.is_file() and counted(path)] if folder.is_dir() else []
    said = f"{in_bytes(_size(files))} in {folder}" if files else f"empty, {folder}"
    return _writable(Finding(part="caches", name=name, said=said), folder, remedy)


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
