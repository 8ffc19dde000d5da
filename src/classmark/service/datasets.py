"""Public corpora by name, and corpora made of nothing."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from classmark.data.sets import CATALOGUE, Source, find, get, installed
from classmark.errors import InputError


@dataclass(frozen=True, kw_only=True)
class Dataset:
    """A corpus that can be got, or is here."""

    name: str
    """What it is called by."""
    title: str | None
    """What it is; nobody knows of one that is not in the catalogue, and the same holds for what follows."""
    documents: int | None
    """How many documents it has."""
    bytes: int | None
    """How much there is to download."""
    by_hand: bool
    """Whether its files are to be downloaded by hand."""
    terms: str | None
    """On which terms it may be used."""
    notes: str | None
    """What else is to be said."""
    folder: str | None
    """Where it is, if it is here."""


@dataclass(frozen=True, kw_only=True)
class Got:
    """A dataset that is here now."""

    folder: str
    """Its folder."""
    is_new: bool
    """Whether it was got now; otherwise it was here already, and nothing was done."""
    unverified: Mapping[str, str]
    """Of the files without a published checksum, the SHA-256 that they turned out to have."""
    terms: str
    """On which terms it may be used."""


@dataclass(frozen=True, kw_only=True)
class Shape:
    """What made-up data looks like."""

    levels: int | None = None
    """How deep the tree is; by default 2, and 10 for `lshtc`."""
    degree: int = 2
    """How many children a category has."""
    inherit: bool = True
    """Whether a category has its ancestors' attributes too."""
    second_parents: float = 0
    """The share of the nodes that have a second parent."""
    documents: int = 24_000
    """For `lshtc`: how many documents there are to learn from."""
    test_documents: int | None = None
    """For `lshtc`: how many documents there are to test on."""
    categories: int | None = None
    """For `lshtc`: how many leaves the tree has."""
    terms: int | None = None
    """For `lshtc`: how many terms there are to draw from."""


@dataclass(frozen=True, kw_only=True)
class Made:
    """A dataset folder that was made."""

    folder: str
    """The folder."""
    documents: int
    """How many documents it has, or has to learn from."""
    test_documents: int | None = None
    """How many more it has to test on, where they are counted apart."""
    categories: int
    """How many categories there are."""
    hierarchy: str
    """The categories, in words."""


def list_datasets() -> list[Dataset]:
    """List the corpora that can be got, and the datasets that are here."""
    here = installed()
    return [_dataset(name, CATALOGUE.get(name), here.get(name)) for name in {**CATALOGUE, **here}]


def _dataset(name: str, source: Source | None, folder: Path | None) -> Dataset:
    known = {part: getattr(source, part, None) for part in ("title", "documents", "terms", "notes")}
    return Dataset(
        name=name,
        **known,
        bytes=getattr(source, "size", None),
        by_hand=getattr(source, "by_hand", None) is not None,
        folder=str(folder) if folder else None,
    )


def dataset_folder(name: str) -> str:
    """Give the folder of a dataset that is here."""
    return str(find(name))


def get_dataset(
    name: str,
    *,
    to: str | Path | None = None,
    given: str | Path | None = None,
    groups: str | Path | None = None,
    force: bool = False,
    base_url: str | None = None,
) -> Got:
    """Download a corpus and make a dataset folder of it; interrupted, it goes on the next time.

    Parameters
    ----------
    name : str
        Its name in the catalogue.
    to : str or Path, optional
        The folder to make the dataset folder in.
    given : str or Path, optional
        A folder with the corpus's files; nothing is downloaded then.
    groups : str or Path, optional
        For reuters90, a file of `parent<TAB>child` lines that puts the categories below groups.
    force : bool
        Whether to make it anew where it is here already.
    base_url : str, optional
        A web folder with the same files.
    """
    fetched = get(name, to=_path(to), given=_path(given), groups=_path(groups), force=force, base_url=base_url)
    return Got(
        folder=str(fetched.folder),
        is_new=fetched.is_new,
        unverified=fetched.unverified,
        terms=CATALOGUE[name].terms,
    )


def _path(place: str | Path | None) -> Path | None:
    return None if place is None else Path(place)


def make_dataset(
    target: str, kind: str = "synthetic", shape: Shape | None = None, *, seed: int = 0, overwrite: bool = False
) -> Made:
    """Make synthetic data: by Kiritchenko et al. (2006), section 7.1, or files as those of the LSHTC challenge."""
    if kind not in MAKERS:
        raise InputError(f"there is no kind {kind!r} of data to make; choose {' or '.join(MAKERS)}")
    return MAKERS[kind](target, shape or Shape(), seed, overwrite)


def _make_synthetic(target: str, shape: Shape, seed: int, overwrite: bool) -> Made:
    from classmark.data.experiments import synthetic_corpus
    from reproductions.synthetic import make_synthetic
    from classmark.data.writing import write_corpus

    data = make_synthetic(
        shape.levels or 2, shape.degree, inherit=shape.inherit, second_parents=shape.second_parents, seed=seed
    )
    corpus = synthetic_corpus(data)
    write_corpus(corpus, target, overwrite=overwrite)
    return Made(folder=target, documents=len(corpus), categories=len(data.hierarchy), hierarchy=repr(data.hierarchy))


def _make_lshtc(target: str, shape: Shape, seed: int, overwrite: bool) -> Made:
    from classmark.data.synthetic_files import write_lshtc

    made = write_lshtc(
        target,
        shape.documents,
        n_test=shape.test_documents,
        n_categories=shape.categories,
        n_terms=shape.terms,
        levels=shape.levels or 10,
        seed=seed,
        overwrite=overwrite,
    )
    return Made(
        folder=target,
        documents=made.documents,
        test_documents=made.test_documents,
        categories=made.categories,
        hierarchy=f"{made.categories:,} categories",
    )


MAKERS: dict[str, Callable[[str, Shape, int, bool], Made]] = {"synthetic": _make_synthetic, "lshtc": _make_lshtc}
"""The kinds of data that can be made."""
