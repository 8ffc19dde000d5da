"""Public corpora by name."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from classmark.data.sets import CATALOGUE, Source, find, get, installed


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
