"""Hierarchies in files and in networkx: there and back, and bad files by file and line."""

import re
import subprocess
import sys

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from classmark import Hierarchy
from tests.generators import hierarchies

NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=5).filter(
    lambda name: name == name.strip() and not set(name) & set("\t\n\r") and name != "ROOT"
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("tsv")


@given(hierarchy=hierarchies())
def test_tsv_there_and_back(folder, hierarchy):
    hierarchy.to_tsv(folder / "hierarchy.tsv")
    assert Hierarchy.from_tsv(folder / "hierarchy.tsv") == hierarchy


@given(names=st.lists(NAMES, unique=True, min_size=1, max_size=4))
def test_tsv_keeps_any_name_that_it_takes(folder, names):
    chain = Hierarchy.from_edges(zip([None, *names], names, strict=False))
    chain.to_tsv(folder / "names.tsv")
    assert Hierarchy.from_tsv(str(folder / "names.tsv")).names == tuple(names)


def test_tsv_by_hand(tmp_path):
    Hierarchy.from_parents({"a": None, "b": None, "x": ["a", "b"]}).to_tsv(tmp_path / "hierarchy.tsv")
    written = (tmp_path / "hierarchy.tsv").read_text(encoding="utf-8")
    assert written == "ROOT\ta\nROOT\tb\na\tx\nb\tx\n"


@pytest.mark.parametrize("name", ["a\u2028b", "a\x0bb", "a\x85b", "a b", "ä", "ROOTS", "\ufeffa"])
def test_tsv_keeps_odd_names(tmp_path, name):
    Hierarchy.flat([name]).to_tsv(tmp_path / "odd.tsv")
    assert Hierarchy.from_tsv(tmp_path / "odd.tsv").names == (name,)


def test_from_files_every_name_is_a_string(tmp_path):
    Hierarchy.from_edges([(None, 1), (1, 2)]).to_tsv(tmp_path / "numbers.tsv")
    assert Hierarchy.from_tsv(tmp_path / "numbers.tsv").names == ("1", "2")


def test_tsv_is_read_with_patience(tmp_path):
    """A byte order mark, Windows line ends, blank lines, spaces around names, no line end, a top without a line."""
    file = tmp_path / "odd.tsv"
    file.write_bytes("\ufeffROOT\ta\r\n\r\n a \tx \r\nb\ty".encode())
    assert Hierarchy.from_tsv(file) == Hierarchy.from_nested({"a": ["x"], "b": ["y"]})


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"ROOT\ta\na\n", ":2: 1 column(s) instead of parent<TAB>child: 'a'"),
        (b"ROOT\ta\n\na\tb\tc\n", ":3: 3 column(s) instead of parent<TAB>child: 'a\\tb\\tc'"),
        (b"ROOT a\n", ":1: 1 column(s) instead of parent<TAB>child: 'ROOT a'"),
        (b"ROOT\ta\na\t\xff\n", ":2: not UTF-8 at byte 3"),
        (b"ROOT\ta\na\ta\n", ":2: 'a' is its own parent"),
        (b"a\tROOT\n", ":1: 'ROOT' is the name of the root, which is not a category; rename that category"),
        (b"\ta\n", ":1: the edge from '' to 'a' has an empty name; give every category a name"),
        (b"a\t \n", ":1: the edge from 'a' to '' has an empty name; give every category a name"),
        (b"a\tb\nb\ta\n", ": the hierarchy has a cycle"),
        (b"\n", ": the hierarchy is"),
        (b"", ": the hierarchy is"),
    ],
)
def test_a_bad_file_is_refused_by_file_and_line(tmp_path, monkeypatch, content, message):
    file = tmp_path / "hierarchy.tsv"
    file.write_bytes(content)
    with pytest.raises(ValueError, match="hierarchy") as caught:
        Hierarchy.from_tsv(file)
    assert str(caught.value).startswith(f"{file}{message}")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match="hierarchy") as caught:
        Hierarchy.from_tsv("./hierarchy.tsv")
    assert str(caught.value).startswith(f"hierarchy.tsv{message}")


def test_a_duplicate_line_is_dropped_with_a_warning(tmp_path):
    (tmp_path / "twice.tsv").write_text("ROOT\ta\na\tb\na\tb\n", encoding="utf-8")
    with pytest.warns(UserWarning, match=r"dropped 1 duplicate edge\(s.*'a' to 'b'"):
        hierarchy = Hierarchy.from_tsv(tmp_path / "twice.tsv")
    assert hierarchy.names == ("a", "b")


@pytest.mark.parametrize("read", [Hierarchy.from_tsv, Hierarchy.from_lshtc, Hierarchy.from_rcv1, Hierarchy.from_obo])
def test_a_missing_file(tmp_path, read):
    for missing in ("nosuch.tsv", tmp_path / "nosuch.tsv", tmp_path):
        with pytest.raises(FileNotFoundError) as error:
            read(missing)
        assert re.match(rf"{re.escape(str(missing))}:.*no such hierarchy", str(error.value))


@pytest.mark.parametrize("name", ["a\tb", "a\nb", "a\rb", " a", "a "])
def test_names_that_a_line_cannot_hold_are_refused_before_writing(tmp_path, name):
    with pytest.raises(ValueError, match=r"line break|has space") as caught:
        Hierarchy.from_edges([(None, "top"), ("top", name)]).to_tsv(tmp_path / "hierarchy.tsv")
    assert repr(name) in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_names_that_look_the_same_are_refused(tmp_path):
    with pytest.raises(ValueError, match="the names 1 and '1' look the same in a file"):
        Hierarchy.flat([1, "1"]).to_tsv(tmp_path / "hierarchy.tsv")


@given(hierarchies())
def test_networkx_there_and_back(hierarchy):
    graph = hierarchy.to_networkx()
    assert nx.is_directed_acyclic_graph(graph)
    assert list(graph) == list(hierarchy)
    assert Hierarchy.from_networkx(graph) == hierarchy


def test_networkx_keeps_names_and_lonely_nodes():
    hierarchy = Hierarchy.from_edges([(None, 1), (1, ("a", 2)), (None, "lonely")])
    graph = hierarchy.to_networkx()
    assert list(graph.edges()) == [(1, ("a", 2))]
    assert Hierarchy.from_networkx(graph).names == hierarchy.names == (1, "lonely", ("a", 2))


def test_without_networkx_the_remedy_is_named():
    code = (
        "import sys; sys.modules['networkx'] = None\n"
        "from classmark import Hierarchy\n"
        "try: Hierarchy.flat('a').to_networkx()\n"
        "except ImportError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "networkx is not installed; pip install 'classmark[networkx]'\n"
