"""Names as documents: which categories have one, and what it says."""

from classmark import Hierarchy
from classmark.data.names import category_texts, name_documents
from classmark.hierarchy.formats import NodeText

TREE = Hierarchy.from_nested({"animal": {"bird": ["snowy_owl", "gull"]}, "plant": ["oak"]})


def test_leaves_and_own_labels_have_a_document():
    texts, labels = name_documents(TREE, [["gull"], ["bird", "animal"], None, []])
    assert texts == ["bird", "oak", "snowy owl", "gull"]
    assert labels == [["bird"], ["oak"], ["snowy_owl"], ["gull"]]


def test_an_ancestor_of_a_label_is_no_own_label():
    assert "animal" not in name_documents(TREE, [["animal", "bird", "gull"]])[0]


def test_titles_come_first():
    assert name_documents(TREE, [["gull"]], {"gull": "Larus canus", "oak": ""})[0] == [
        "oak",
        "snowy owl",
        "Larus canus",
    ]


def test_without_a_hierarchy_the_labels_seen_are_named():
    assert name_documents(None, [["b"], ["a"]])[1] == [["a"], ["b"]]


def test_names_of_parts_and_numbers():
    assert name_documents(Hierarchy.from_paths([("a", "x_y"), ("b",)]), [[]])[0] == ["b", "x y"]
    assert name_documents(Hierarchy.flat([1, 2]), [[1]])[0] == ["1", "2"]


def test_addresses_and_notations_are_no_words():
    nodes = {
        "gull": NodeText("Larus", "cries", "http://a/gull", "598.3"),
        "oak": NodeText("", "", "http://a/oak", "583"),
    }
    assert category_texts(TREE, nodes) == ["animal", "plant", "bird", "oak", "snowy owl", "Larus cries"]
