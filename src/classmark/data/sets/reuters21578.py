"""Reuters-21578, Distribution 1.0: newswire stories of 1987, in the ModApte split, flat or below groups.

The archive holds `reut2-000.sgm` to `reut2-021.sgm`. The stories that the split does not use are left out.

`reuters90` is the corpus as the papers on boosting use it. Its categories are those with a training and a test
document. Training documents with one of them are `train`, the others `train-extra`, without a label; all test
documents are `test`, with those of the categories that they have. Reuters-21578 has no hierarchy of its own. The
groups come from a file of the user's (`parent<TAB>child`), or else are four clusters of the categories: Ward's method
on the mean tf-idf vectors of their training documents, each of length 1, which gives the same clusters every time.
"""

import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import msgspec
import numpy as np

from classmark.data.formats.records import Record
from classmark.data.formats.reuters import read_reuters
from classmark.data.options import CorpusOptions
from classmark.data.sets.source import RemoteFile, Source, pick, write_records
from classmark.errors import InputError
from classmark.hierarchy import Hierarchy

MODAPTE = CorpusOptions(reuters_split="modapte")
SPLITS = ("train", "test")


def prepare(files: Sequence[Path], folder: Path) -> None:
    """Make the dataset of the SGML files, in their order."""
    write_records(folder, stories(pick(files, "*.sgm")), total=SOURCE.documents)


def stories(files: Sequence[Path]) -> Iterator[Record]:
    """Give the stories of the split."""
    for file in files:
        yield from (story for story in read_reuters(file, MODAPTE) if story.split in SPLITS)


SOURCE = Source(
    name="reuters21578",
    title="Reuters-21578, Distribution 1.0",
    files=(
        # Size and checksum: the dataset_infos.json of Hugging Face's dataset reuters21578, for the first address.
        RemoteFile(
            url="https://kdd.ics.uci.edu/databases/reuters21578/reuters21578.tar.gz",
            size=8_150_596,
            sha256="3bae43c9b14e387f76a61b6d82bf98a4fb5d3ef99ef7e7075ff2ccbcf59f9d30",
            mirrors=(
                "https://huggingface.co/datasets/ucirvine/reuters21578/resolve/main/data/reuters21578.tar.gz",
                "https://archive.ics.uci.edu/ml/machine-learning-databases/reuters21578-mld/reuters21578.tar.gz",
            ),
        ),
    ),
    terms="free for research purposes only; name it “Reuters-21578, Distribution 1.0” in publications",
    prepare=prepare,
    notes="ModApte: splits train (9,603) and test (3,299); several labels or none a story; no hierarchy (flat)",
    documents=12_902,
    most_bytes=10**9,
)


FILES = [f"reut2-{number:03}.sgm" for number in range(22)]
GROUPS = 4
SIZES = {"train": 7_770, "train-extra": 1_833, "test": 3_299}
"""How many documents the published corpus has."""


def prepare_grouped(files: Sequence[Path], folder: Path) -> None:
    """Make the dataset with clusters for groups."""
    stories = split_up(_all_stories(files))
    write_records(folder, stories, clustered(stories), total=len(stories))


def regroup(files: Sequence[Path], folder: Path, groups: Path) -> None:
    """Make the dataset with the groups of a file."""
    stories = split_up(_all_stories(files))
    write_records(folder, stories, given_groups(groups, categories_of(stories)), total=len(stories))


def split_up(stories: Sequence[Record]) -> list[Record]:
    """Give the stories with the labels that count, and the splits that follow from them."""
    train, test = (categories_of(_of_split(stories, split)) for split in SPLITS)
    counting = set(train) & set(test)
    if not counting:
        raise InputError("no category has a training and a test document; get all files of the corpus")
    found = [_counted(story, counting) for story in stories]
    _compare({split: len(_of_split(found, split)) for split in SIZES})
    return found


def _of_split(stories: Iterable[Record], split: str) -> list[Record]:
    return [story for story in stories if story.split == split]


def _counted(story: Record, counting: set[str]) -> Record:
    """Leave the labels out that do not count; a training story without any other is put aside."""
    labels = [label for label in story.labels or () if label in counting]
    split = "train-extra" if story.split == "train" and not labels else story.split
    return msgspec.structs.replace(story, labels=labels, split=split)


def categories_of(stories: Iterable[Record]) -> list[str]:
    """Give the categories that stories have, in order."""
    return sorted({label for story in stories for label in story.labels or ()})


def given_groups(file: Path, categories: Sequence[str]) -> Hierarchy:
    """Read groups, refusing those that do not have exactly the categories for their leaves."""
    groups = Hierarchy.from_tsv(file)
    leaves = {str(groups.names[leaf]) for leaf in groups.leaves}
    if missing := sorted(set(categories) - leaves):
        raise InputError(f"{file}: the category {missing[0]!r} is in no group; add a line GROUP<TAB>{missing[0]}")
    if unknown := sorted(leaves - set(categories)):
        raise InputError(f"{file}: {unknown[0]!r} is none of the {len(categories)} categories; take it out")
    return groups


def clustered(stories: Sequence[Record]) -> Hierarchy:
    """Put the categories below clusters of them, which are numbered by their first categories."""
    categories = categories_of(stories)
    few = len(categories) <= GROUPS
    clusters = range(GROUPS) if few else _clusters(categories, _of_split(stories, "train"))
    below: dict[int, list[str]] = {}
    for category, cluster in zip(categories, clusters, strict=not few):
        below.setdefault(cluster, []).append(category)
    return Hierarchy.from_nested({f"group-{number}": names for number, names in enumerate(below.values(), 1)})


def _clusters(categories: Sequence[str], train: Sequence[Record]) -> list[int]:
    """Give the cluster of each category: Ward's method on the mean vectors of its documents."""
    from sklearn.cluster import AgglomerativeClustering
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.preprocessing import normalize

    vectors = TfidfVectorizer(sublinear_tf=True).fit_transform(str(story.document) for story in train)
    members = np.array([[category in (story.labels or ()) for story in train] for category in categories], dtype=float)
    means = normalize(members @ vectors)
    found: list[int] = AgglomerativeClustering(n_clusters=GROUPS, linkage="ward").fit_predict(means).tolist()
    return found


def _all_stories(files: Sequence[Path]) -> list[Record]:
    found = pick(files, "reut2-*.sgm")
    if missing := sorted(set(FILES) - {file.name for file in found}):
        raise InputError(f"there is no file called {missing[0]}; give all 22, {FILES[0]} to {FILES[-1]}")
    return list(stories(found))


def _compare(sizes: dict[str, int]) -> None:
    """Warn where the splits are not those of the literature."""
    for split, size in sizes.items():
        if size != SIZES[split]:
            warnings.warn(f"{split} has {size:,} documents, {SIZES[split]:,} in the published corpus", stacklevel=4)


GROUPED_SOURCE = replace(
    SOURCE,
    name="reuters90",
    title="Reuters-21578, ModApte, 90 categories in groups",
    prepare=prepare_grouped,
    regroup=regroup,
    notes="splits train (7,770), train-extra (1,833, no label) and test (3,299); 90 categories below four groups",
)
