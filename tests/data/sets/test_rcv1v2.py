import gzip

import pytest

from classmark.data import read_corpus
from classmark.data.sets import CATALOGUE, get

# The small topics file of these tests is not the published one.
pytestmark = pytest.mark.filterwarnings("ignore:.*its SHA-256 is")

HIERARCHY = """parent: None    child: Root    child-description: No Description
parent: Root    child: CCAT     child-description: CORPORATE/INDUSTRIAL
parent: CCAT    child: C11     child-description: STRATEGY/PLANS
parent: Root    child: GCAT     child-description: GOVERNMENT/SOCIAL
"""
FILES = {
    "lyrl2004_tokens_train.dat.gz": ".I 2286\n.W\nrecov recov\nexcit\n\n.I 2287\n.W\nuruguay\n",
    "lyrl2004_tokens_test_pt0.dat.gz": ".I 26151\n.W\nbank\n",
    "lyrl2004_tokens_test_pt1.dat.gz": ".I 26152\n.W\nshare\n",
    "rcv1-v2.topics.qrels.gz": "C11 2286 1\nCCAT 2286 1\nGCAT 2287 1\nGCAT 26151 1\nCCAT 26152 1\n",
    "rcv1.topics.hier.orig": HIERARCHY,
}


@pytest.fixture
def raw(tmp_path):
    folder = tmp_path / "raw"
    folder.mkdir()
    for name, text in FILES.items():
        content = text.encode()
        (folder / name).write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    return folder


def test_stories_topics_splits_hierarchy_and_names(raw, tmp_path):
    folder = get("rcv1v2", given=raw, to=tmp_path / "made").folder
    corpus = read_corpus(folder)
    assert corpus.ids == ["2286", "2287", "26151", "26152"]
    assert corpus.splits == ["train", "train", "test", "test"]
    assert corpus.labels == [["C11", "CCAT"], ["GCAT"], ["GCAT"], ["CCAT"]]
    assert corpus.documents[0].split() == ["recov", "recov", "excit"]
    assert corpus.hierarchy.names == ("CCAT", "GCAT", "C11")
    assert "C11\tSTRATEGY/PLANS" in (folder / "nodes.tsv").read_text()


@pytest.mark.parametrize("name", ["rcv1.topics.hier.orig", "rcv1-v2.topics.qrels.gz"])
def test_a_file_that_is_missing(raw, tmp_path, name):
    (raw / name).unlink()
    with pytest.raises(ValueError, match="no file called rcv1"):
        get("rcv1v2", given=raw, to=tmp_path / "made")
    assert list((tmp_path / "made").iterdir()) == []


def test_files_in_several_folders(raw, tmp_path):
    (raw / "topics").mkdir()
    (raw / "rcv1-v2.topics.qrels.gz").rename(raw / "topics" / "rcv1-v2.topics.qrels.gz")
    with pytest.raises(ValueError, match="lie in 2 folders; put them into one"):
        get("rcv1v2", given=raw, to=tmp_path / "made")


def test_a_file_that_lies_there_twice(raw, tmp_path):
    (raw / "lyrl2004_tokens_train.dat").write_text(FILES["lyrl2004_tokens_train.dat.gz"])
    with pytest.raises(ValueError, match=r"dat(\.gz)?:1: the id '2286' comes a second time; take away"):
        get("rcv1v2", given=raw, to=tmp_path / "made")


def test_names_of_the_catalogue_are_those_that_are_read():
    assert set(FILES) < {file.name for file in CATALOGUE["rcv1v2"].files}
