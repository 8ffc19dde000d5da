"""20 Newsgroups below six groups, made of small files in the form of the real ones, which are not at hand."""

import pytest

from classmark.data import read_corpus
from classmark.data.sets import get
from classmark.data.sets.newsgroups20 import GROUPS
from tests.data.sets.archives import tar_gz

pytestmark = pytest.mark.filterwarnings("ignore:.*its SHA-256 is")

NEWSGROUPS = [name for names in GROUPS.values() for name in names]


def posts(folders):
    """A post of every newsgroup in every folder."""
    return {
        f"{folder}/{name}/{number}": f"From: a@b.c\nSubject: caf\xe9\n\nabout {name}\n"
        for number, name in enumerate(NEWSGROUPS, 9990)
        for folder in folders
    }


def write(folder, files):
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(text.encode("latin-1"))
    return folder


BY_DATE = posts(["20news-bydate-train", "20news-bydate-test"])
# The test posts have numbers of their own, as in the original.
BY_DATE = {name + "0" * ("-test" in name): text for name, text in BY_DATE.items()}
WHOLE = posts(["20news-18828"])


def test_twenty_newsgroups_below_six_groups(tmp_path):
    raw = write(tmp_path / "raw", BY_DATE)
    corpus = read_corpus(get("newsgroups20-paper", given=raw, to=tmp_path / "made").folder)
    assert (len(corpus.hierarchy), len(corpus.hierarchy.leaves), corpus.hierarchy.depth) == (26, 20, 2)
    assert corpus.hierarchy.paths("misc.forsale") == [("sales", "misc.forsale")]
    assert (corpus.splits.count("train"), corpus.splits.count("test")) == (20, 20)
    assert set(map(tuple, corpus.labels)) == {(name,) for name in NEWSGROUPS}


@pytest.mark.parametrize(("name", "files"), [("20news-bydate", BY_DATE), ("20news-18828", WHOLE)])
def test_an_archive_is_as_good_as_what_is_in_it(tmp_path, name, files):
    raw, packed = write(tmp_path / "raw", files), tmp_path / "packed"
    packed.mkdir()
    (packed / f"{name}.tar.gz").write_bytes(tar_gz(files))
    one, two = (
        get("newsgroups20-paper", given=given, to=tmp_path / f"{given.name}-made").folder for given in (raw, packed)
    )
    assert (one / "docs.jsonl.gz").read_bytes() == (two / "docs.jsonl.gz").read_bytes()
    assert len(read_corpus(two)) == len(files)


def test_the_whole_collection_has_no_splits(tmp_path):
    corpus = read_corpus(get("newsgroups20-paper", given=write(tmp_path / "raw", WHOLE), to=tmp_path / "made").folder)
    assert set(corpus.splits) == {None}


def test_by_date_comes_first(tmp_path):
    raw = write(write(tmp_path / "raw", BY_DATE), WHOLE)
    assert len(read_corpus(get("newsgroups20-paper", given=raw, to=tmp_path / "made").folder)) == 40


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({"readme.txt": ""}, "no folder called 20news-bydate-train or 20news-bydate-test or 20news-18828"),
        (
            {name: text for name, text in BY_DATE.items() if "sci.med" not in name},
            "there is no folder called sci.med with posts; get 20news-bydate.tar.gz again",
        ),
        (
            BY_DATE | {"20news-bydate-train/comp.owls/1": "owls"},
            "the folder comp.owls is none of the twenty newsgroups; take it away",
        ),
    ],
)
def test_what_is_not_the_corpus(tmp_path, files, words):
    with pytest.raises(ValueError, match=words):
        get("newsgroups20-paper", given=write(tmp_path / "raw", files), to=tmp_path / "made")
    assert list((tmp_path / "made").iterdir()) == []


def test_the_tree_is_that_of_the_real_corpus(corpora):
    from classmark.hierarchy import Hierarchy

    assert read_corpus(corpora / "newsgroups20").hierarchy == Hierarchy.from_nested(GROUPS)
