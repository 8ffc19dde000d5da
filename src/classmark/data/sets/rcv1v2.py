"""RCV1-v2 (LYRL2004): 804,414 Reuters stories of 1996 and 1997 as stemmed words in scrambled order, and 103 topics.

The files are the token files, the topics of each story (`rcv1-v2.topics.qrels`) and the hierarchy of topics with their
names (`rcv1.topics.hier.orig`), each from an appendix of Lewis et al. (2004).

`rcv1v2_months` has ten months, the first half of each to learn from (consistent_global_2006, section 7.1). The files
of RCV1-v2 have no dates. These come from `rcv1v2_dates.tsv` (`2286<TAB>1996-08-20`), or from the archives of RCV1
itself, one per day, `19960820.zip`, which hold one file per story, `2286newsML.xml`; what is inside of the stories is
not read. The paper does not say where a month has its middle: here the days up to the 15th are its first half.

References: D. D. Lewis, Y. Yang, T. G. Rose and F. Li, RCV1: A New Benchmark Collection for Text Categorization
Research, Journal of Machine Learning Research 5:361-397, 2004.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from pathlib import Path
from zipfile import BadZipFile, ZipFile

import msgspec

from classmark.data.formats.rcv1 import read_rcv1
from classmark.data.formats.records import Record
from classmark.data.options import DEFAULT_OPTIONS
from classmark.data.sets.source import RemoteFile, Source, pick, write_records
from classmark.errors import InputError
from classmark.hierarchy import Hierarchy
from classmark.hierarchy.formats import NodeText, read_categories
from classmark.hierarchy.formats.contents import numbered_lines

HOME = "http://www.ai.mit.edu/projects/jmlr/papers/volume5/lewis04a"
TOKENS, TOPICS, HIERARCHY = "lyrl2004_tokens_*.dat*", "rcv1*.topics.qrels*", "rcv1.topics.hier.orig"


def prepare(files: Sequence[Path], folder: Path) -> None:
    """Make the dataset of the token files, those of the training set first."""
    stories, hierarchy, nodes = contents(files)
    write_records(folder, stories, hierarchy, nodes, SOURCE.documents)


def contents(files: Sequence[Path]) -> tuple[Iterator[Record], Hierarchy, Mapping[str, NodeText]]:
    """Give the stories, the hierarchy of topics and their names."""
    (hierarchy,) = pick(files, HIERARCHY)
    parts = {file.parent for pattern in (TOKENS, TOPICS) for file in pick(files, pattern)}
    if len(parts) > 1:
        raise InputError(f"the token files and the topics lie in {len(parts)} folders; put them into one")
    categories = read_categories(hierarchy)
    return read_rcv1(parts.pop(), DEFAULT_OPTIONS), Hierarchy.from_edges(categories.edges), categories.nodes


SOURCE = Source(
    name="rcv1v2",
    title="RCV1-v2, the LYRL2004 distribution",
    files=(
        # The authors publish no checksums. The sizes of the token files are those that public download scripts state.
        RemoteFile(f"{HOME}/a12-token-files/lyrl2004_tokens_train.dat.gz", 5_108_963),
        RemoteFile(f"{HOME}/a12-token-files/lyrl2004_tokens_test_pt0.dat.gz", 44_734_992),
        RemoteFile(f"{HOME}/a12-token-files/lyrl2004_tokens_test_pt1.dat.gz", 45_595_102),
        RemoteFile(f"{HOME}/a12-token-files/lyrl2004_tokens_test_pt2.dat.gz", 44_507_510),
        RemoteFile(f"{HOME}/a12-token-files/lyrl2004_tokens_test_pt3.dat.gz", 42_052_117),
        # scikit-learn's copy of a08-topic-qrels/rcv1-v2.topics.qrels.gz, and its checksum.
        RemoteFile(
            "https://ndownloader.figshare.com/files/5976048",
            sha256="2a98e5e5d8b770bded93afc8930d88299474317fe14181aee1466cc754d0d1c1",
            name="rcv1-v2.topics.qrels.gz",
            mirrors=(f"{HOME}/a08-topic-qrels/rcv1-v2.topics.qrels.gz",),
        ),
        RemoteFile(f"{HOME}/a02-orig-topics-hierarchy/rcv1.topics.hier.orig"),
    ),
    terms="distributed for research with the paper (JMLR 5:361-397, 2004), to be cited; the stories are Reuters'",
    prepare=prepare,
    notes="splits train (23,149) and test (781,265); several topics a story, ancestors included; 103 topics, depth 4",
    documents=804_414,
)


DATES, DAYS = "rcv1v2_dates.tsv", "[12]" + "[0-9]" * 7 + ".zip"
STORY = re.compile(r"(\d+)newsML\.xml")
MONTHS = [*(f"1996-{month:02}" for month in range(9, 13)), *(f"1997-{month:02}" for month in range(1, 7))]
MIDDLE = 15
"""The last day of the first half of a month."""


def prepare_months(files: Sequence[Path], folder: Path) -> None:
    """Make the dataset of the stories of the ten months."""
    stories, hierarchy, nodes = contents(files)
    write_records(folder, _divided(stories, _dates(files)), hierarchy, nodes)


def split_of(day: str) -> str | None:
    """Give the split of a day, none if it is in no month that counts.

    >>> split_of("1996-09-15"), split_of("1996-09-16"), split_of("1996-08-31")
    ('1996-09-train', '1996-09-test', None)
    """
    month = day[:7]
    if month not in MONTHS:
        return None
    return f"{month}-{'train' if int(day[8:]) <= MIDDLE else 'test'}"


def _divided(stories: Iterator[Record], dates: Mapping[str, str]) -> Iterator[Record]:
    for story in stories:
        day = dates.get(str(story.id))
        if day is None:
            raise InputError(f"{story.file}:{story.line}: the story {story.id} has no date; add it to {DATES}")
        if (split := split_of(day)) is not None:
            yield msgspec.structs.replace(story, split=split)


def _dates(files: Sequence[Path]) -> dict[str, str]:
    """Give the dates of stories, as in `1996-08-20`."""
    found = pick(files, DATES, DAYS)
    listed = [file for file in found if file.name == DATES]
    return dict(_listed(listed[0])) if listed else {name: day for file in found for name, day in _within(file)}


def _listed(file: Path) -> Iterator[tuple[str, str]]:
    for number, line in numbered_lines(file):
        name, _, day = line.partition("\t")
        try:
            yield name, date.fromisoformat(day).isoformat()
        except ValueError:
            raise InputError(f"{file}:{number}: {line[:40]!r} is not a line such as '2286<TAB>1996-08-20'") from None


def _within(file: Path) -> Iterator[tuple[str, str]]:
    """Give the stories of a day's archive."""
    try:
        day = date.fromisoformat(file.stem).isoformat()
        with ZipFile(file) as archive:
            names = archive.namelist()
    except (ValueError, BadZipFile) as error:
        raise InputError(f"{file}: not an archive of a day of RCV1 ({error}); get it again") from None
    yield from ((story[1], day) for name in names if (story := STORY.fullmatch(Path(name).name)))


MONTHS_SOURCE = Source(
    name="rcv1v2_months",
    title="RCV1-v2, ten months in halves",
    files=(),
    terms=SOURCE.terms,
    prepare=prepare_months,
    notes="splits 1996-09-train, 1996-09-test to 1997-06-test, a month's days up to the 15th and after; as rcv1v2",
    by_hand=(
        "needs the dates of the stories, which RCV1-v2 leaves out: put its files, and the daily archives of RCV1 from"
        f" NIST (19960820.zip and so on) or a list of dates ({DATES}), into a folder, then"
        " classmark datasets get rcv1v2_months --from FOLDER"
    ),
    archives=("rcv1*.tar.xz",),
)
