import pytest

from classmark import Hierarchy
from classmark.hierarchy.formats import NodeText, read_categories
from tests.hierarchy.refusals import assert_refused

HEAD = "parent: None    child: Root    child-description: No Description\n"


@pytest.fixture
def file(tmp_path):
    return tmp_path / "rcv1.topics.hier.orig"


def test_edges_and_descriptions(file):
    file.write_text(
        HEAD
        + "parent: CCAT    child: C11     child-description: STRATEGY/PLANS\n"
        + "parent: Root child: CCAT child-description: CORPORATE/INDUSTRIAL\n"
        + "parent: C11 child: C111\n"
    )
    assert Hierarchy.from_rcv1(file) == Hierarchy.from_edges([(None, "CCAT"), ("CCAT", "C11"), ("C11", "C111")])
    assert read_categories(file).nodes == {
        "CCAT": NodeText("CORPORATE/INDUSTRIAL"),
        "C11": NodeText("STRATEGY/PLANS"),
    }


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("parent: CCAT", "not a line such as 'parent: CCAT child: C11"),
        ("CCAT\tC11", "not a line such as"),
        ("parent: C11 child: C11", "'C11' is its own parent"),
        ("parent: C11 child: ROOT", "'ROOT' is the name of the root"),
    ],
)
def test_bad_lines(file, line, reason):
    file.write_text(f"{HEAD}{line}\n")
    assert_refused(Hierarchy.from_rcv1, file, 2, reason)


def test_the_real_file_is_the_hierarchy_of_the_corpus(corpora):
    folder = corpora / "rcv1v2_sample"
    assert Hierarchy.from_rcv1(folder / "rcv1.topics.hier.orig") == Hierarchy.from_tsv(folder / "hierarchy.tsv")
    nodes = read_categories(folder / "rcv1.topics.hier.orig").nodes
    assert (len(nodes), nodes["C11"]) == (103, NodeText("STRATEGY/PLANS"))
