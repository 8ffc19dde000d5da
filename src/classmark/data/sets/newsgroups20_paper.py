"""20 Newsgroups below six groups: the tree of path_prediction_2019, Table 1.

The posts are those of `newsgroups20`, by date; `20news-18828`, without duplicates and most headers, is taken where
only that is there, and has no splits.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path

from classmark.data.sets import newsgroups20
from classmark.data.sets.native import write_records
from classmark.errors import InputError
from classmark.hierarchy import Hierarchy, Name

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


def prepare(files: Sequence[Path], folder: Path) -> None:
    """Make the dataset of the posts of all twenty newsgroups."""
    splits, posts = _posts(files)
    _check_groups({post.parts[-2] for post in posts})
    records = (newsgroups20.record(post, splits) for post in posts)
    write_records(folder, records, Hierarchy.from_nested(GROUPS), total=len(posts))


def _posts(files: Sequence[Path]) -> tuple[Mapping[str, str | None], list[Path]]:
    """Give the posts by date, or else the others, and the splits of their folders."""
    for splits in (newsgroups20.SPLITS, WHOLE):
        if posts := newsgroups20.posts_of(files, splits):
            return splits, posts
    names = " or ".join((*newsgroups20.SPLITS, *WHOLE))
    raise InputError(f"there is no folder called {names}; get 20news-bydate.tar.gz again")


def _check_groups(there: set[str]) -> None:
    """Refuse other groups than the twenty."""
    wanted = set(chain.from_iterable(GROUPS.values()))
    if missing := sorted(wanted - there):
        raise InputError(f"there is no folder called {missing[0]} with posts; get 20news-bydate.tar.gz again")
    if unknown := sorted(there - wanted):
        raise InputError(f"the folder {unknown[0]} is none of the twenty newsgroups; take it away")


SOURCE = replace(
    newsgroups20.SOURCE,
    name="newsgroups20-paper",
    title="20 Newsgroups in six groups",
    prepare=prepare,
    notes="as newsgroups20, below six groups, the tree of H. Xiao, X. Liu and Y. Song (2019)",
    archives=("20news-18828.tar.gz",),
)
