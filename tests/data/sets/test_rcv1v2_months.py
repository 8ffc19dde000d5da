"""RCV1-v2 by months, made of small files in the form of the real ones, which are not at hand."""

import zipfile

import pytest

from classmark.data import read_corpus
from classmark.data.sets import get
from classmark.data.sets.rcv1v2 import MONTHS
from tests.data.sets.test_rcv1v2 import FILES, raw  # noqa: F401

pytestmark = pytest.mark.filterwarnings("ignore:.*its SHA-256 is")

DAYS = {"2286": "1996-08-20", "2287": "1996-09-15", "26151": "1996-09-16", "26152": "1997-06-01"}


@pytest.fixture
def dated(raw):  # noqa: F811
    (raw / "rcv1v2_dates.tsv").write_text("".join(f"{name}\t{day}\n" for name, day in DAYS.items()))
    return raw


def made(folder, tmp_path):
    return read_corpus(get("rcv1v2_months", given=folder, to=tmp_path / "made").folder)


def test_halves_of_months(dated, tmp_path):
    corpus = made(dated, tmp_path)
    assert corpus.ids == ["2287", "26151", "26152"], "August is none of the ten months"
    assert corpus.splits == ["1996-09-train", "1996-09-test", "1997-06-train"]
    assert corpus.labels == [["GCAT"], ["GCAT"], ["CCAT"]]
    assert corpus.hierarchy.names == ("CCAT", "GCAT", "C11")


def test_ten_months():
    assert (len(MONTHS), MONTHS[0], MONTHS[-1]) == (10, "1996-09", "1997-06")


def test_dates_of_the_daily_archives(raw, tmp_path):  # noqa: F811
    (raw / "cd1").mkdir()
    for name, day in DAYS.items():
        with zipfile.ZipFile(raw / "cd1" / f"{day.replace('-', '')}.zip", "w") as archive:
            archive.writestr(f"{name}newsML.xml", '<?xml version="1.0"?><newsitem>not read</newsitem>')
            archive.writestr("readme.txt", "")
    assert made(raw, tmp_path).splits == ["1996-09-train", "1996-09-test", "1997-06-train"]


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("rcv1v2_dates.tsv", None, r"no file called rcv1v2_dates\.tsv or .*\.zip; get all files"),
        ("rcv1v2_dates.tsv", "2286\tAugust\n", r"rcv1v2_dates\.tsv:1: '2286\\tAugust' is not a line such as"),
        ("rcv1v2_dates.tsv", "2286\t1996-08-20\n", r"the story 2287 has no date; add it to rcv1v2_dates\.tsv"),
        ("rcv1.topics.hier.orig", None, r"no file called rcv1\.topics\.hier\.orig"),
    ],
)
def test_what_is_missing_or_wrong(dated, tmp_path, name, content, words):
    (dated / name).unlink() if content is None else (dated / name).write_text(content)
    with pytest.raises(ValueError, match=words):
        made(dated, tmp_path)
    assert list((tmp_path / "made").iterdir()) == []


@pytest.mark.parametrize("name", ["19960920.zip", "19961341.zip"])
def test_an_archive_that_is_none(raw, tmp_path, name):  # noqa: F811
    (raw / name).write_bytes(b"no archive")
    with pytest.raises(ValueError, match=rf"{name}: not an archive of a day of RCV1 \(.*\); get it again"):
        made(raw, tmp_path)


def test_it_says_what_to_get(tmp_path):
    with pytest.raises(ValueError, match=r"rcv1v2_months: needs the dates of the stories, .*--from FOLDER"):
        get("rcv1v2_months", to=tmp_path)


def test_the_files_are_those_of_the_whole_corpus():
    assert len(FILES) == 5
