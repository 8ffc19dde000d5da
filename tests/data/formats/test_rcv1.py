import gzip
import re
from pathlib import Path

import pytest

from classmark import Hierarchy
from classmark.data import CorpusOptions, NodeText, read_corpus

TRAIN = ".I 2286\n.W\nrecov recov excit\nbring\n\n.I 2287\n.W\nshare\n\n"
TEST = ".I 26151\n.W\nplan\n"
QRELS = "CCAT 2286 1\nC11 2286 1\nCCAT 26151 1\n"
HIERARCHY = (
    "parent: None child: Root child-description: No Description\n"
    "parent: Root child: CCAT child-description: CORPORATE/INDUSTRIAL\n"
    "parent: CCAT child: C11 child-description: STRATEGY/PLANS\n"
)
TOKENS = "lyrl2004_tokens_train.dat"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, content in {
        TOKENS: TRAIN,
        "lyrl2004_tokens_test_pt0.dat": TEST,
        "rcv1-v2.topics.qrels": QRELS,
        "rcv1.topics.hier.orig": HIERARCHY,
    }.items():
        (tmp_path / name).write_text(content)
    return tmp_path


def refused(folder: Path, name: str, content: str) -> str:
    (folder / name).write_text(content)
    with pytest.raises(ValueError) as caught:
        read_corpus(folder)
    return str(caught.value).removeprefix(f"{folder / name}:")


def test_a_folder(folder):
    corpus = read_corpus(folder)
    assert corpus.ids == ["2286", "2287", "26151"]
    assert corpus.documents == ["recov recov excit\nbring", "share", "plan"]
    assert corpus.labels == [["CCAT", "C11"], None, ["CCAT"]]
    assert corpus.splits == ["train", "train", "test"]
    assert corpus.hierarchy == Hierarchy.from_edges([(None, "CCAT"), ("CCAT", "C11")])
    assert corpus.nodes == {"CCAT": NodeText("CORPORATE/INDUSTRIAL"), "C11": NodeText("STRATEGY/PLANS")}


def test_compressed_files_and_several_parts(folder):
    for name in (TOKENS, "rcv1-v2.topics.qrels"):
        (folder / f"{name}.gz").write_bytes(gzip.compress((folder / name).read_bytes()))
        (folder / name).unlink()
    (folder / "lyrl2004_tokens_test_pt1.dat").write_text(".I 9\n.W\nx\n")
    corpus = read_corpus(folder)
    assert corpus.ids == ["2286", "2287", "26151", "9"]
    assert corpus.labels[0] == ["CCAT", "C11"]


def test_token_files_alone(tmp_path):
    (tmp_path / TOKENS).write_text(TRAIN)
    corpus = read_corpus(tmp_path)
    assert (corpus.labels, corpus.hierarchy) == ([None, None], None)


def test_topics_of_an_unknown_document(folder):
    assert refused(folder, "rcv1-v2.topics.qrels", QRELS + "CCAT 7 1\nC11 7 1\n") == (
        "4: no token file has the document '7'; add the file that has it, or drop what is unknown (on_unknown='drop')"
    )
    assert len(read_corpus(folder, options=CorpusOptions(on_unknown="drop"))) == 3


@pytest.mark.parametrize("line", ["CCAT 2286", "CCAT 2286 0", "CCAT 2286 1 2"])
def test_bad_qrels(folder, line):
    message = refused(folder, "rcv1-v2.topics.qrels", f"{QRELS}\n{line}\n")
    assert message == f"5: not a line such as 'CCAT 2286 1': {line!r}"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("words\n" + TRAIN, r"1: 'words' stands before '\.I' and '\.W'; get the file again"),
        (".W\nx\n" + TRAIN, r"1: '\.W' stands before '\.I' and '\.W'"),
        (".I 1\nx\n", r"2: 'x' stands before '\.I' and '\.W'"),
        (TRAIN + ".I 3\n", r"10: the document that begins here has no '\.W' and no text; get the file again"),
        (".I\n.W\nx\n", r"1:.*id is empty"),
        (TRAIN + ".I 2286\n.W\nx\n", r"10: the id '2286'.*stands on line 1"),
    ],
)
def test_bad_tokens(folder, content, message):
    assert re.match(message, refused(folder, TOKENS, content))


def test_a_topic_that_the_hierarchy_does_not_have(folder):
    (folder / "rcv1-v2.topics.qrels").write_text(QRELS + "XYZ 2287 1\n")
    with pytest.raises(ValueError, match=rf"{TOKENS}:6: the label 'XYZ' of document '2287'.*not in.*hierarchy"):
        read_corpus(folder)


def test_an_empty_document(folder):
    (folder / TOKENS).write_text(".I 2286\n.W\n\n.I 2287\n.W\n")
    assert read_corpus(folder).documents[:2] == ["", ""]
