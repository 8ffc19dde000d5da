"""The embedded default corpus: the docstrings of numpy, scipy and scikit-learn, as they are installed.

A classifier is best tried on real text at once, without a download. The packages that classmark needs anyway
bring some four thousand documents that people have written, and a hierarchy that people have thought out:
package › subpackage › module. Nothing is stored; the documents are read from the installed packages, so their
number depends on the versions.

A document is the docstring of a public function, class, ufunc, statistical distribution or method. Its
category is the shortest public module that exports it (`numpy.add` belongs to `numpy`); a method goes with
its class.
"""

import importlib
import inspect
import pkgutil
import re
import sys
import warnings
import zlib
from collections.abc import Iterable, Iterator
from types import ModuleType
from typing import NamedTuple

from classmark.data.corpus import Corpus
from classmark.hierarchy import Hierarchy

PACKAGES = ("numpy", "scipy", "sklearn")

SKIPPED_MODULES = frozenset(
    [
        # Not the package's own subject: its tests, its build, what it ships of others or keeps for old code.
        *("tests", "conftest", "setup", "distutils", "f2py", "externals", "core", "matlib"),
        # Imported for an effect, or dear to import: scikit-learn's switches and checks, a plugin of mypy.
        *("experimental", "estimator_checks", "mypy_plugin"),
    ]
)

VARYING = re.compile(r"^.*# may vary$\n?", re.MULTILINE)
SET = re.compile(r"\{('\w+'(?:, '\w+')+)\}")
"""What scipy makes anew in every process: results of random examples, and sets of names in any order."""

MIN_LENGTH = 80
"""Shorter docstrings, in characters, say no more than the name does."""


class Entry(NamedTuple):
    """A documented object: the public module that exports it, its name there, and its docstring."""

    category: str
    name: str
    docstring: str


def load_docstrings() -> Corpus:
    """Read the docstrings of the installed numpy, scipy and scikit-learn as a corpus.

    Returns
    -------
    Corpus
        Sorted by id, the full dotted name. A text is the object's name and its docstring. A fixed quarter,
        chosen by a checksum of the id, is the split `test`; the rest is `train`.

    Examples
    --------
    >>> corpus = load_docstrings()
    >>> position = corpus.ids.index("numpy.linalg.svd")
    >>> corpus.labels[position]
    ['numpy.linalg']
    >>> print(corpus.documents[position][:34])
    svd
    Singular Value Decomposition.
    """
    if sys.flags.optimize > 1:
        raise RuntimeError("Python runs with -OO, which takes the docstrings away; run it without")
    # Outside the block below, so that the warning filters which a package sets up when imported stay.
    packages = list(map(importlib.import_module, PACKAGES))
    with warnings.catch_warnings():
        # Old corners of these packages warn when they are imported or looked at; that is no news to our user.
        warnings.simplefilter("ignore")
        entries = sorted(_distinct(_entries(_modules(packages))), key=_id)
    ids, categories = list(map(_id, entries)), [entry.category for entry in entries]
    return Corpus(
        ids=ids,
        documents=[f"{entry.name}\n{entry.docstring}" for entry in entries],
        labels=[[category] for category in categories],
        splits=list(map(_split, ids)),
        hierarchy=Hierarchy.from_paths(sorted(set(categories)), separator="."),
        source="the docstrings of " + ", ".join(PACKAGES),
    )


def _id(entry: Entry) -> str:
    return f"{entry.category}.{entry.name}"


def _split(name: str) -> str:
    """Choose by a checksum: unlike a random number, it does not change when the corpus grows."""
    return "train" if zlib.crc32(name.encode()) % 4 else "test"


def _modules(packages: Iterable[ModuleType]) -> list[ModuleType]:
    """Import the public modules, the shortest names first: the first to export an object is its category."""
    found = [module for package in packages for module in _below(package)]
    return sorted(found, key=lambda module: (module.__name__.count("."), module.__name__))


def _below(module: ModuleType) -> Iterator[ModuleType]:
    """Give a module and the public modules below it; one that needs a package we lack is passed over."""
    yield module
    for info in pkgutil.iter_modules(getattr(module, "__path__", ())):
        if info.name.startswith("_") or info.name in SKIPPED_MODULES:
            continue
        try:
            child = importlib.import_module(f"{module.__name__}.{info.name}")
        except ImportError:
            continue
        yield from _below(child)


def _exports(module: ModuleType) -> Iterator[tuple[str, object]]:
    """Give the public names of a module and what they stand for.

    Only the module's own namespace is read. A deprecated shim, of which scipy has dozens, keeps its names
    behind a module-level `__getattr__` that warns, and so exports nothing here.
    """
    namespace = vars(module)
    is_exported = _is_ours if "__all__" in namespace else _is_at_home
    for name in sorted(set(namespace.get("__all__", namespace)).intersection(namespace)):
        if not name.startswith("_") and is_exported(namespace[name], module):
            yield name, namespace[name]


def _is_ours(value: object, module: ModuleType) -> bool:
    """Say whether a name of `__all__` stands for something of the packages; ufuncs, written in C, need not know."""
    home = getattr(value, "__module__", None)
    return home is None or str(home).split(".")[0] in PACKAGES


def _is_at_home(value: object, module: ModuleType) -> bool:
    """Say whether a module without `__all__` has something of its own, and not a mere import."""
    return f"{getattr(value, '__module__', None)}.".startswith(f"{module.__name__}.")


def _entries(modules: Iterable[ModuleType]) -> Iterator[Entry]:
    """Give the documented objects of all modules, each once, and the methods of each class after it."""
    seen: set[int] = set()
    for module in modules:
        for name, value in _exports(module):
            if callable(value) and id(value) not in seen:
                seen.add(id(value))
                yield from _entry(module.__name__, name, value)
                yield from _methods(module.__name__, name, value)


def _methods(category: str, name: str, value: object) -> Iterator[Entry]:
    """Give the public methods of a class; anything else has none."""
    for method, raw in sorted(vars(value).items()) if inspect.isclass(value) else ():
        if not method.startswith("_") and inspect.isroutine(raw):
            yield from _entry(category, f"{name}.{method}", raw)


def _entry(category: str, name: str, value: object) -> Iterator[Entry]:
    """Give the entry of an object that has a docstring of its own, not only the one of its type."""
    docstring = value.__doc__
    if isinstance(docstring, str) and docstring != type(value).__doc__:
        cleaned = SET.sub(_sorted, VARYING.sub("", inspect.cleandoc(docstring)))
        if len(cleaned) >= MIN_LENGTH:
            yield Entry(category, name, cleaned)


def _sorted(found: re.Match[str]) -> str:
    """Put the names of a set in order."""
    return "{" + ", ".join(sorted(found[1].split(", "))) + "}"


def _distinct(entries: Iterable[Entry]) -> list[Entry]:
    """Keep the first of several objects with one docstring: a copy in the test split would be no test."""
    first: dict[str, Entry] = {}
    for entry in entries:
        first.setdefault(entry.docstring, entry)
    return list(first.values())
