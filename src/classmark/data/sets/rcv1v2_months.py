"""RCV1-v2 divided by time: ten months, the first half of each to learn from (consistent_global_2006, section 7.1).

The stories, topics and hierarchy are those of `rcv1v2`, whose files have no dates. These come from `rcv1v2_dates.tsv`
(`2286<TAB>1996-08-20`), or from the archives of RCV1 itself, one per day, `19960820.zip`, which hold one file per
story, `2286newsML.xml`; what is inside of the stories is not read. The paper does not say where a month has its middle:
here the days up to the 15th are its first half.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from pathlib import Path
from zipfile import BadZipFile, ZipFile

import msgspec

from classmark.data.formats.records import Record
from classmark.data.sets import rcv1v2
from classmark.data.sets.native import write_records
from classmark.data.sets.source import Source, pick
from classmark.errors import InputError
from classmark.hierarchy.formats.lines import numbered_lines

DATES, DAYS = "rcv1v2_dates.tsv", "[12]" + "[0-9]" * 7 + ".zip"
STORY = re.compile(r"(\d+)newsML\.xml")
MONTHS = [*(f"1996-{month:02}" for month in range(9, 13)), *(f"1997-{month:02}" for month in range(1, 7))]
MIDDLE = 15
"""The last day of the first half of a month."""


def prepare(files: Sequence[Path], folder: Path) -> None:
    """Make the dataset of the stories of the ten months."""
    stories, hierarchy, nodes = rcv1v2.contents(files)
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


SOURCE = Source(
    name="rcv1v2_months",
    title="RCV1-v2, ten months in halves",
    files=(),
    terms=rcv1v2.SOURCE.terms,
    prepare=prepare,
    notes="splits 1996-09-train, 1996-09-test to 1997-06-test, a month's days up to the 15th and after; as rcv1v2",
    by_hand=(
        "needs the dates of the stories, which RCV1-v2 leaves out: put its files, and the daily archives of RCV1 from"
        f" NIST (19960820.zip and so on) or a list of dates ({DATES}), into a folder, then"
        " classmark datasets get rcv1v2_months --from FOLDER"
    ),
    archives=("rcv1*.tar.xz",),
)
