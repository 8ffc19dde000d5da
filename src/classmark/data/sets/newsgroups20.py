"""20 Newsgroups, by date: 18,846 Usenet posts of 1993 in 20 groups, below their dotted names or below six groups.

The archive holds `20news-bydate-train/GROUP/NUMBER` and `20news-bydate-test/GROUP/NUMBER`, one file per post, in
Latin-1. The groups' dotted names make the hierarchy of `newsgroups20`: `comp.sys.mac.hardware` is below
`comp.sys.mac`, `comp.sys` and `comp`.

`newsgroups20-paper` has the tree of path_prediction_2019, Table 1. Its posts are the same; `20news-18828`, without
duplicates and most headers, is taken where only that is there, and has no splits.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path

from classmark.data.formats.records import Record
from classmark.data.sets.source import RemoteFile, Source, write_records
from classmark.errors import InputError
from classmark.hierarchy import Hierarchy, Name

SPLITS = {"20news-bydate-train": "train", "20news-bydate-test": "test"}


def prepare(files: Sequence[Path], folder: Path) -> None:
    """Make the dataset of the posts, the training posts first, each group's in the order of their numbers."""
    posts = posts_of(files, SPLITS)
    if not posts:
        raise InputError(f"there is no folder called {' or '.join(SPLITS)}; get 20news-bydate.tar.gz again")
    hierarchy = Hierarchy.from_paths(sorted({post.parts[-2] for post in posts}), ".")
    write_records(folder, (record(post, SPLITS) for post in posts), hierarchy, total=len(posts))


def posts_of(files: Sequence[Path], splits: Mapping[str, str | None]) -> list[Path]:
    """Give the posts below the folders of the splits, in order."""
    # By their last three parts, so that an archive that also lies there unpacked does not count twice.
    posts = list({file.parts[-3:]: file for file in files if file.parent.parent.name in splits}.values())
    order = list(splits)
    return sorted(posts, key=lambda post: (order.index(post.parts[-3]), post.parts[-2], len(post.name), post.name))


def record(post: Path, splits: Mapping[str, str | None]) -> Record:
    """Read a post."""
    split, group, number = post.parts[-3:]
    text = post.read_bytes().decode("latin-1")
    return Record(line=1, id=f"{group}/{number}", document=text, labels=[group], split=splits[split])


SOURCE = Source(
    name="newsgroups20",
    title="20 Newsgroups, by date",
    files=(
        # The copy that scikit-learn uses; Hugging Face's dataset_infos.json has size and checksum of the home page's.
        RemoteFile(
            url="https://ndownloader.figshare.com/files/5975967",
            size=14_464_277,
            sha256="8f1b2514ca22a5ade8fbb9cfa5727df95fa587f4c87b786e15c759fa66d95610",
            name="20news-bydate.tar.gz",
            mirrors=("http://qwone.com/~jason/20Newsgroups/20news-bydate.tar.gz",),
        ),
    ),
    terms="none stated; posts written by individuals for Usenet",
    prepare=prepare,
    notes="splits train (11,314) and test (7,532); one label a post; hierarchy by the dotted names of the groups",
    documents=18_846,
    most_bytes=10**9,
)


GROUPS: dict[Name, list[str]] = {
    "politics": ["talk.politics.guns", "talk.politics.mideast", "talk.politics.misc"],
    "religion": ["alt.atheism", "soc.religion.christian", "talk.religion.misc"],
    "computer": [
        "comp.sys.ibm.pc.hardware",
        "comp.sys.mac.hardware",
        "comp.graphics",
        "comp.windows.x",
        "comp.os.ms-windows.misc",
    ],
    "autos.sports": ["rec.autos", "rec.motorcycles", "rec.sport.baseball", "rec.sport.hockey"],
    "science": ["sci.electronics", "sci.crypt", "sci.med", "sci.space"],
    "sales": ["misc.forsale"],
}
WHOLE = {"20news-18828": None}


def prepare_paper(files: Sequence[Path], folder: Path) -> None:
    """Make the dataset of the posts of all twenty newsgroups."""
    splits, posts = _posts(files)
    _check_groups({post.parts[-2] for post in posts})
    records = (record(post, splits) for post in posts)
    write_records(folder, records, Hierarchy.from_nested(GROUPS), total=len(posts))


def _posts(files: Sequence[Path]) -> tuple[Mapping[str, str | None], list[Path]]:
    """Give the posts by date, or else the others, and the splits of their folders."""
    for splits in (SPLITS, WHOLE):
        if posts := posts_of(files, splits):
            return splits, posts
    names = " or ".join((*SPLITS, *WHOLE))
    raise InputError(f"there is no folder called {names}; get 20news-bydate.tar.gz again")


def _check_groups(there: set[str]) -> None:
    """Refuse other groups than the twenty."""
    wanted = set(chain.from_iterable(GROUPS.values()))
    if missing := sorted(wanted - there):
        raise InputError(f"there is no folder called {missing[0]} with posts; get 20news-bydate.tar.gz again")
    if unknown := sorted(there - wanted):
        raise InputError(f"the folder {unknown[0]} is none of the twenty newsgroups; take it away")


PAPER_SOURCE = replace(
    SOURCE,
    name="newsgroups20-paper",
    title="20 Newsgroups in six groups",
    prepare=prepare_paper,
    notes="as newsgroups20, below six groups, the tree of H. Xiao, X. Liu and Y. Song (2019)",
    archives=("20news-18828.tar.gz",),
)
