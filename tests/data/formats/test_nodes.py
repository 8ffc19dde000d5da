import re
from pathlib import Path

import pytest

from classmark import Hierarchy
from classmark.data import NodeText, read_corpus, read_nodes, write_nodes

KNOWN = Hierarchy.flat(["a", "b", "node"])


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "nodes.tsv"


@pytest.mark.parametrize("header", ["", "node\tname\tdescription\n", "\ufeffnode\tname\n"])
def test_two_or_three_columns_with_and_without_a_header(file, header):
    file.write_text(f"{header}a\tAlpha\n\nb\tBeta\tthe second\r\n", encoding="utf-8")
    assert read_nodes(file, KNOWN) == {"a": NodeText("Alpha"), "b": NodeText("Beta", "the second")}


@pytest.mark.parametrize("further", [["uri", "notation"], ["notation", "uri"], ["notation"]])
def test_a_header_names_further_columns(file, further):
    columns = ["name", "description", *further]
    cells = {"name": "Beta", "description": "", "uri": "http://a/b", "notation": "1.2"}
    beta = [cells[name] for name in columns]
    lines = [["node", *columns], ["a", "Alpha"], ["b", *beta]]
    file.write_text("".join("\t".join(line) + "\n" for line in lines))
    expected = NodeText("Beta", uri=cells["uri"] if "uri" in further else "", notation="1.2")
    assert read_nodes(file, KNOWN) == {"a": NodeText("Alpha"), "b": expected}


@pytest.mark.parametrize(
    ("texts", "written"),
    [
        ([NodeText("Alpha"), NodeText("Beta", "b")], "node\tname\tdescription\na\tAlpha\t\nb\tBeta\tb\n"),
        (
            [NodeText("Alpha"), NodeText("Beta", notation="1.2")],
            "node\tname\tdescription\tnotation\na\tAlpha\t\t\nb\tBeta\t\t1.2\n",
        ),
        (
            [NodeText("Alpha", uri="http://a/a"), NodeText("Beta", notation="1.2")],
            "node\tname\tdescription\turi\tnotation\na\tAlpha\t\thttp://a/a\t\nb\tBeta\t\t\t1.2\n",
        ),
    ],
)
def test_only_columns_that_have_something_are_added(file, texts, written):
    nodes = dict(zip("ab", texts, strict=True))
    write_nodes(nodes, file)
    assert file.read_text() == written
    assert read_nodes(file, KNOWN) == nodes


def test_too_many_columns_for_a_header(file):
    file.write_text("node\tname\turi\na\tAlpha\thttp://a/a\t1.2\n")
    with pytest.raises(ValueError, match=r"nodes\.tsv:2: 4 column\(s\) instead of node<TAB>name<TAB>uri"):
        read_nodes(file)


def test_only_the_first_line_is_a_header(file):
    file.write_text("a\tAlpha\nnode\tname\n")
    assert read_nodes(file, KNOWN)["node"] == NodeText("name")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("b", r"1 column\(s\) instead.*node<TAB>name<TAB>description"),
        ("b\tB\tx\ty", r"4 column\(s\) instead.*node<TAB>name<TAB>description"),
        ("a\tAgain", "the category 'a' stands in the file twice; keep one of the lines"),
        ("z\tZeta", "the category 'z' is not in the hierarchy; take the line out, or rename it"),
    ],
)
def test_bad_lines(file, line, message):
    file.write_text(f"a\tAlpha\n{line}\n")
    with pytest.raises(ValueError) as caught:
        read_nodes(file, KNOWN)
    assert re.match(rf"{re.escape(str(file))}:2: {message}", str(caught.value))


@pytest.mark.parametrize("text", [NodeText("a\tb"), NodeText("a\nb"), NodeText("a", " b"), NodeText("a\r")])
def test_what_a_line_cannot_hold(file, text):
    with pytest.raises(ValueError, match="which a line cannot hold; take it out"):
        write_nodes({"a": text}, file)
    assert not file.exists()


class TestOfACorpus:
    @pytest.fixture
    def folder(self, tmp_path: Path) -> Path:
        (tmp_path / "docs.jsonl").write_text('{"text": "x", "labels": ["a"]}\n')
        KNOWN.to_tsv(tmp_path / "hierarchy.tsv")
        return tmp_path

    @pytest.mark.parametrize("name", ["nodes.tsv", "label_names.tsv"])
    def test_in_the_folder(self, folder, name):
        (folder / name).write_text("a\tAlpha\n")
        assert read_corpus(folder).nodes == {"a": NodeText("Alpha")}

    def test_are_kept_in_a_split(self, folder):
        (folder / "docs.jsonl").write_text('{"text": "x", "labels": ["a"], "split": "train"}\n')
        (folder / "nodes.tsv").write_text("a\tAlpha\n")
        assert read_corpus(folder).select(["train"]).nodes == {"a": NodeText("Alpha")}

    def test_unknown_ones(self, folder):
        (folder / "nodes.tsv").write_text("z\tZeta\n")
        with pytest.raises(ValueError, match=r"nodes\.tsv:1: the category 'z'.*not in.*hierarchy"):
            read_corpus(folder)

    def test_beside_a_hierarchy_that_the_user_names(self, folder):
        KNOWN.to_tsv(folder / "other.hierarchy.tsv")
        (folder / "other.nodes.tsv").write_text("b\tBeta\n")
        corpus = read_corpus(folder / "docs.jsonl", hierarchy=folder / "other.hierarchy.tsv")
        assert corpus.nodes == {"b": NodeText("Beta")}

    def test_names_from_elsewhere_leave_notations_and_addresses(self, folder):
        (folder / "docs.jsonl").write_text('{"text": "x", "labels": ["http://a/1"]}\n')
        (folder / "hierarchy.tsv").write_text("http://a/1\towl\t1.2\nhttp://a/2\tcod\t3.4\n")
        (folder / "nodes.tsv").write_text("node\tname\tdescription\tnotation\nhttp://a/1\tpöllö\nhttp://a/2\t\t\t5\n")
        expected = {"http://a/1": NodeText("pöllö", notation="1.2"), "http://a/2": NodeText("", notation="5")}
        assert read_corpus(folder).nodes == expected

    def test_not_of_another_hierarchy(self, folder):
        (folder / "nodes.tsv").write_text("a\tAlpha\n")
        assert read_corpus(folder, hierarchy=Hierarchy.flat(["a"])).nodes == {}

    def test_of_the_real_sample(self, corpora):
        nodes = read_corpus(corpora / "rcv1v2_sample").nodes
        assert (len(nodes), nodes["C11"].name) == (103, "STRATEGY/PLANS")
        given = read_corpus(corpora / "rcv1v2_sample", hierarchy=corpora / "rcv1v2_sample" / "rcv1.topics.hier.orig")
        assert given.nodes == nodes
