"""Annif's vocabularies: TSV and CSV, flat, labels as names."""

import gzip

import pytest

from classmark import Hierarchy
from classmark.hierarchy.formats import NodeText, read_categories
from classmark.progress import hearing

CSV = 'uri,notation,label_fi,label_en\n<http://a/1>,1.2,pöllö,owl\nhttp://a/2,,"turska, iso",\nhttp://a/3,,,\n'


def write(file, content):
    file.write_bytes(content.encode("utf-8-sig"))
    return file


def names(file, language="en"):
    return {name: text.name for name, text in read_categories(file, language).nodes.items()}


def test_tsv(tmp_path):
    file = write(tmp_path / "a.tsv", "<http://a/1>\towl\t1.2\nhttp://a/2\tcod\n<http://a/3>\n")
    assert names(file) == {"http://a/1": "owl", "http://a/2": "cod"}
    assert read_categories(file).edges == [(None, "http://a/1"), (None, "http://a/2")]
    assert Hierarchy.from_annif(file).names == ("http://a/1", "http://a/2")


def test_notations_are_kept(tmp_path):
    tsv = write(tmp_path / "a.tsv", "<http://a/1>\towl\t 1.2 \tmore\nhttp://a/2\tcod\t\n")
    texts = {"http://a/1": NodeText("owl", notation="1.2"), "http://a/2": NodeText("cod")}
    assert read_categories(tsv).nodes == texts
    csv = write(tmp_path / "a.csv", CSV)
    assert read_categories(csv).nodes == texts | {"http://a/2": NodeText("turska, iso")}


def test_edges_between_addresses_are_no_vocabulary(tmp_path):
    file = write(tmp_path / "a.tsv", "http://a/1\thttp://a/2\n")
    assert read_categories(file).edges == [("http://a/1", "http://a/2")]


def test_csv_in_a_language_or_else_the_first(tmp_path):
    file = write(tmp_path / "a.csv", CSV)
    assert names(file) == {"http://a/1": "owl", "http://a/2": "turska, iso"}
    assert names(file, "fi")["http://a/1"] == "pöllö"
    assert Hierarchy.from_annif(file).depth == 1
    heard = []
    with hearing(heard.append):
        assert names(file, "sv")["http://a/1"] == "pöllö"
    assert heard == [f"{file}: no labels in 'sv', so those in 'fi' are taken, of fi, en (--language)"]


def test_compressed(tmp_path):
    file = tmp_path / "a.csv.gz"
    file.write_bytes(gzip.compress(CSV.encode()))
    assert names(file)["http://a/1"] == "owl"
    file.write_bytes(gzip.compress(CSV.encode())[:20])
    with pytest.raises(ValueError, match="damaged or cut"):
        read_categories(file)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.csv", "parent,child\na,b\n", ":1: the header has no uri; give Annif's columns uri,label_en"),
        ("a.csv", "uri,notation\na,b\n", ":1: the header has no label_en, or another language"),
        (
            "a.csv",
            "uri,label_en\nhttp://a/1,a\nhttp://a/1,b\n",
            ":3: the subject 'http://a/1' already stands on line 2",
        ),
        ("a.csv", 'uri,label_en\nhttp://a/1,"a\n', "not a valid"),
        ("a.csv", "uri,label_en\n,a\n", ":2: the subject has no address"),
        ("a.tsv", "<http://a/1>\n", ":1: the vocabulary has no subject with a label"),
    ],
)
def test_what_is_wrong(tmp_path, name, content, message):
    with pytest.raises(ValueError, match=message):
        read_categories(write(tmp_path / name, content))


@pytest.mark.parametrize(
    ("suffix", "content"),
    [
        (".nt", '<http://a/1> <http://www.w3.org/2004/02/skos/core#prefLabel> "owl"@en .\n'),
        (".n3", '<http://a/1> <http://www.w3.org/2000/01/rdf-schema#label> "owl"@en .\n'),
    ],
)
def test_other_syntaxes_of_rdf_and_deprecated_concepts(tmp_path, suffix, content):
    pytest.importorskip("rdflib")
    kind = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://www.w3.org/2004/02/skos/core#Concept> .\n"
    gone = '<http://www.w3.org/2002/07/owl#deprecated> "true"^^<http://www.w3.org/2001/XMLSchema#boolean> .\n'
    broader = "<http://www.w3.org/2004/02/skos/core#broader> <http://a/2> .\n"
    triples = f"{content}<http://a/1> {kind}<http://a/2> {kind}<http://a/2> {gone}<http://a/1> {broader}"
    assert names(write(tmp_path / f"a{suffix}", triples)) == {"1": "owl"}
