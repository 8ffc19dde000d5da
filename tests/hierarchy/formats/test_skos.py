import logging
import re
import socket
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from classmark import Hierarchy
from classmark.hierarchy.formats import NodeText, read_categories, read_skos

pytest.importorskip("rdflib")

ADDRESS = "http://example.org/animals/"
TURTLE = f"""
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix : <{ADDRESS}> .

:scheme a skos:ConceptScheme ; skos:hasTopConcept :animal .
:animal a skos:Concept ; skos:topConceptOf :scheme ;
    skos:prefLabel "animal"@en, "Tier"@de ; skos:altLabel "beast"@en ;
    skos:definition "Moves\\nand eats."@en .
:bird a skos:Concept ; skos:broader :animal ; skos:prefLabel "Vogel"@de, "bird"@en-GB .
:owl skos:broader :bird ; skos:prefLabel "owl" ; skos:scopeNote "Hoots."@en ; skos:notation "598.97"^^:dewey .
:bird skos:narrower :gull ; skos:notation "598" .
:gull a skos:Concept ; skos:broader :bird ; skos:prefLabel "Möwe"@de, "goéland"@fr .
"""
XML = """<?xml version="1.0" encoding="UTF-8"?>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:skos="http://www.w3.org/2004/02/skos/core#">
  <skos:Concept rdf:about="http://example.org/animals#bird">
    <skos:prefLabel xml:lang="en">bird &amp; co</skos:prefLabel>
    <skos:broader rdf:resource="http://example.org/animals#animal"/>
  </skos:Concept>
  <skos:Concept rdf:about="http://example.org/animals#animal"/>
</rdf:RDF>
"""
ANIMALS = Hierarchy.from_nested({"animal": {"bird": ["owl", "gull"]}})


def write(file: Path, content: str | bytes) -> Path:
    file.write_bytes(content.encode() if isinstance(content, str) else content)
    return file


def refused(file: Path) -> str:
    """Give the message without the file."""
    with pytest.raises(ValueError) as caught:
        Hierarchy.from_skos(file)
    assert str(caught.value).startswith(str(file))
    assert "\n" not in str(caught.value)
    return str(caught.value).removeprefix(str(file))


def test_turtle(tmp_path):
    file = write(tmp_path / "animals.ttl", TURTLE)
    assert Hierarchy.from_skos(file) == ANIMALS


def test_the_order_of_nodes_does_not_depend_on_chance(tmp_path):
    file = write(tmp_path / "animals.ttl", TURTLE)
    assert Hierarchy.from_skos(file).names == ("animal", "bird", "gull", "owl")


def test_names_and_descriptions_in_the_language_asked_for(tmp_path):
    file = write(tmp_path / "animals.ttl", TURTLE)
    assert read_categories(file).nodes == {
        "animal": NodeText("animal", "Moves and eats.", f"{ADDRESS}animal"),
        "bird": NodeText("bird", "", f"{ADDRESS}bird", "598"),
        "owl": NodeText("owl", "Hoots.", f"{ADDRESS}owl", "598.97"),
        # Neither English nor without a language: the first in the alphabet.
        "gull": NodeText("Möwe", "", f"{ADDRESS}gull"),
    }
    german = read_categories(file, language="de").nodes
    assert [german[name].name for name in ("animal", "bird", "owl")] == ["Tier", "Vogel", "owl"]


def test_rdf_xml(tmp_path):
    for name in ("animals.rdf", "animals.xml"):
        file = write(tmp_path / name, XML)
        assert Hierarchy.from_skos(file) == Hierarchy.from_edges([(None, "animal"), ("animal", "bird")])
        assert read_categories(file).nodes["bird"] == NodeText("bird & co", uri="http://example.org/animals#bird")


def test_whole_addresses_as_names(tmp_path):
    file = write(tmp_path / "animals.rdf", XML)
    names = Hierarchy.from_skos(file, names="iri").names
    assert names == ("http://example.org/animals#animal", "http://example.org/animals#bird")
    # Nobody needs the address beside a name that is the address.
    assert {text.uri for text in read_categories(file, by_address=True).nodes.values()} == {""}


def test_concepts_with_one_ending(tmp_path):
    file = write(
        tmp_path / "two.ttl",
        "@prefix skos: <http://www.w3.org/2004/02/skos/core#> .\n<http://a/x> skos:broader <http://b/x> .\n",
    )
    assert refused(file).endswith(
        ": http://a/x and http://b/x both end in 'x'; read the file with Hierarchy.from_skos(…, names='iri')"
    )
    assert len(Hierarchy.from_skos(file, names="iri")) == 2


def test_relative_addresses_do_not_bring_the_working_folder_in(tmp_path):
    concepts = "@prefix skos: <http://www.w3.org/2004/02/skos/core#> .\n<#owl> skos:broader <#bird> .\n"
    file = write(tmp_path / "relative.ttl", concepts)
    assert Hierarchy.from_skos(file).names == ("bird", "owl")
    assert not any(str(Path.cwd()) in name for name in Hierarchy.from_skos(file, names="iri").names)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.ttl", TURTLE + ":owl skos:broader .", r":13: not valid turtle \(.*\); mend or export it again"),
        ("a.ttl", TURTLE + "unknown:owl a skos:Concept .", r':13: not valid turtle \(Prefix "unknown:" not bound\)'),
        ("a.ttl", TURTLE + ':owl skos:prefLabel "cut', r": not valid turtle \(Quote expected in string\)"),
        ("a.ttl", "<a> <b> " + "[<c> " * 5000, r": not valid turtle \(maximum recursion depth"),
        ("a.rdf", XML.replace("</skos:Concept>", "</oops>"), r":6: not valid xml \(mismatched tag\)"),
        ("a.rdf", "", r":1: not valid xml \(no element found\)"),
        ("a.rdf", XML.replace('about="http://example.org/animals#bird"', 'ID="a b"'), r":3: not valid xml \(rdf:ID"),
        ("a.ttl", "", ": the file has no skos:Concept"),
        ("a.ttl", TURTLE + "[] a skos:Concept .", ": a concept has no address"),
        ("a.ttl", TURTLE + ":owl skos:broader :owl .", r": 'owl'.*own parent"),
        ("a.ttl", TURTLE + ":animal skos:broader :owl .", ": the hierarchy has a"),
        ("a.rdf", XML.encode("utf-16"), r":1: not UTF-8 at byte 1; save.*UTF-8"),
        ("a.ttl", TURTLE.encode("latin-1"), ":12: not UTF-8"),
    ],
)
def test_bad_files(tmp_path, name, content, message):
    found = refused(write(tmp_path / name, content))
    assert re.match(message, found), found


@given(st.data(), st.sampled_from([("a.ttl", TURTLE), ("a.rdf", XML)]))
def test_damage_is_told_as_a_value_error(data, thesaurus):
    name, text = thesaurus
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(len(text), start + 5)))
    damaged = text[:start] + data.draw(st.text('<>\\":;.[]()@&#/a \n', max_size=3)) + text[end:]
    with TemporaryDirectory() as folder:
        file = write(Path(folder, name), damaged)
        try:
            Hierarchy.from_skos(file)
        except ValueError as error:
            assert str(error).startswith(str(file))


LAUGHS = "".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10}">' for i in range(1, 12))
ATTACKS = {
    "billion laughs": f'<!DOCTYPE rdf:RDF [<!ENTITY l0 "ha">{LAUGHS}]>',
    "external entity": '<!DOCTYPE rdf:RDF [<!ENTITY l11 SYSTEM "file:///etc/passwd">]>',
    "external subset": '<!DOCTYPE rdf:RDF SYSTEM "http://127.0.0.1:9/evil.dtd">',
    "in lower case": "<!doctype rdf:RDF>",
}


@pytest.mark.parametrize("declaration", ATTACKS.values(), ids=ATTACKS)
def test_entities_are_refused_at_once(tmp_path, declaration):
    evil = XML.replace("\n<rdf:RDF", f"\n{declaration}\n<rdf:RDF").replace("bird &amp; co", "&l11;")
    file = write(tmp_path / "evil.rdf", evil)
    start = time.perf_counter()
    assert refused(file).startswith(":2: the file has a <!")
    assert time.perf_counter() - start < 1


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be", "cp037"])
def test_entities_do_not_hide_in_another_encoding(tmp_path, encoding):
    evil = XML.replace("\n<rdf:RDF", f"\n{ATTACKS['external entity']}\n<rdf:RDF").replace("UTF-8", encoding)
    message = refused(write(tmp_path / "evil.rdf", evil.encode(encoding)))
    assert "not UTF-8" in message


def test_another_encoding_declared_in_a_file_is_not_believed(tmp_path):
    # The declaration in ASCII, the rest in EBCDIC, where no search for <!DOCTYPE finds one.
    head, _, rest = XML.replace("UTF-8", "cp037").partition("\n")
    evil = head.encode() + (ATTACKS["external entity"] + rest).encode("cp037")
    message = refused(write(tmp_path / "evil.rdf", evil))
    assert message.startswith(":1: not UTF-8")


def test_nothing_is_fetched(tmp_path, monkeypatch):
    def no_network(*_: object, **__: object) -> None:
        raise AssertionError("a connection was made")

    monkeypatch.setattr(socket, "socket", no_network)
    monkeypatch.setattr(socket, "create_connection", no_network)
    imports = "<http://example.org/x> <http://www.w3.org/2002/07/owl#imports> <http://example.org/y> .\n"
    assert Hierarchy.from_skos(write(tmp_path / "a.ttl", TURTLE + imports)) == ANIMALS


def test_dates_that_are_none_are_no_concern_of_ours(tmp_path, caplog):
    date = ':owl <http://purl.org/dc/terms/date> "2020-99-99"^^<http://www.w3.org/2001/XMLSchema#date> .'
    with caplog.at_level(logging.WARNING):
        read_skos(write(tmp_path / "a.ttl", TURTLE + date))
    assert caplog.records == []


def test_the_missing_extra_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "rdflib", None)
    with pytest.raises(ImportError, match=r"reading SKOS needs rdflib; pip install 'classmark\[skos\]'"):
        read_skos(write(tmp_path / "a.ttl", TURTLE))


def test_the_suffix_finds_the_reader(tmp_path):
    with pytest.raises(
        ValueError, match=r"no reader for this kind of hierarchy file; give one in \.tsv, \.csv, \.txt, "
    ):
        read_categories(write(tmp_path / "a.json", "{}"))
