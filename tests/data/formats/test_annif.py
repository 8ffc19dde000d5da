"""Annif's corpora: every form of the same documents gives the same corpus, and what is wrong is told by its place."""

import gzip
import json
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from classmark import Hierarchy
from classmark.data import CorpusOptions, iter_documents, read_corpus
from classmark.data.formats import FORMATS
from classmark.data.reading import iter_stream
from classmark.hierarchy.formats import read_categories

OWL, COD = "http://example.org/owl", "http://example.org/cod"
TEXTS = ["hoots at night", "swims, and hoots", "unknown"]
LABELS = [[OWL], [COD, OWL], None]
TSV = f"hoots at night\t<{OWL}>\nswims, and hoots\t<{COD}> {OWL}\nunknown\n"
CSV = f"""document_id,text,subject_uris,title
a,hoots at night,<{OWL}>,Owl
b,"swims, and hoots",<{COD}>  <{OWL}>,
c,unknown,,
"""
OBJECTS = [
    {"document_id": "a", "text": "hoots at night", "metadata": {"title": "Owl"}, "subjects": [{"uri": OWL}]},
    {"document_id": "b", "text": "swims, and hoots", "subjects": [{"uri": COD, "label": "x"}, {"label": "owl"}]},
    {"document_id": "c", "text": "unknown"},
]
VOCABULARY = f"<{OWL}>\towl\tB1\n<{COD}>\tcod\n"


@pytest.fixture
def vocabulary(tmp_path):
    file = tmp_path / "vocabulary.tsv"
    file.write_text(VOCABULARY)
    return file


def write_folder(folder, suffix, subjects):
    folder.mkdir()
    for name, text in zip("abc", TEXTS, strict=True):
        (folder / f"{name}.txt").write_text(text)
    for name, lines in subjects.items():
        (folder / f"{name}{suffix}").write_text(lines)
    return folder


def write_any(tmp_path, form):
    """Write the same documents in one of the forms."""
    if form == "key":
        return write_folder(tmp_path / "texts", ".key", {"a": "owl\n", "b": "cod\n\nowl\n"})
    if form == "folder":
        subjects = {"a": f"<{OWL}>\towl\n", "b": f"<{COD}>\tcod\n<{OWL}>\tolder name\tmore\n"}
        return write_folder(tmp_path / "texts", ".tsv", subjects)
    if form == "objects":
        folder = tmp_path / "objects"
        folder.mkdir()
        for one in OBJECTS:
            (folder / f"{one['document_id']}.json").write_text(json.dumps(one, indent=1))
        return folder
    content = {"tsv": TSV, "csv": CSV, "jsonl": "\n".join(map(json.dumps, OBJECTS))}[form]
    file = tmp_path / f"documents.{form}"
    file.write_bytes(content.encode("utf-8-sig"))
    return file


@pytest.mark.parametrize("form", ["tsv", "csv", "jsonl", "key", "folder", "objects"])
def test_every_form_is_the_same_corpus(tmp_path, vocabulary, form):
    corpus = read_corpus(write_any(tmp_path, form), hierarchy=vocabulary)
    assert list(corpus.documents) == TEXTS
    assert corpus.labels == LABELS
    assert corpus.nodes[OWL].name == "owl"
    assert set(corpus.hierarchy.names) == {OWL, COD}
    ids = {"tsv": ["1", "2", "3"], "key": ["a.txt", "b.txt", "c.txt"], "folder": ["a.txt", "b.txt", "c.txt"]}
    assert corpus.ids == ids.get(form, ["a", "b", "c"])


def test_compressed_and_from_a_pipe(tmp_path):
    file = tmp_path / "documents.tsv.gz"
    file.write_bytes(gzip.compress(TSV.encode()))
    assert read_corpus(file).labels == LABELS
    with (tmp_path / "plain").open("wb+") as stream:
        stream.write(TSV.encode())
        stream.seek(0)
        assert [record.labels for record in iter_stream(stream, "-", "annif-tsv")] == LABELS


def test_without_a_vocabulary_names_are_categories(tmp_path):
    folder = write_any(tmp_path, "key")
    assert read_corpus(folder).labels == [["owl"], ["cod", "owl"], None]
    assert next(record.labels for record in iter_documents(folder)) == ["owl"]


def test_names_by_the_titles_of_a_model(tmp_path):
    hierarchy, titles = Hierarchy.flat([OWL, COD]), {OWL: "owl", COD: "cod"}
    assert read_corpus(write_any(tmp_path, "key"), hierarchy=hierarchy, titles=titles).labels == LABELS


def test_an_empty_file_of_subjects(tmp_path, vocabulary):
    folder = write_folder(tmp_path / "texts", ".key", {"a": "owl", "b": "\n"})
    assert read_corpus(folder, hierarchy=vocabulary).labels == [[OWL], None, None]
    nowhere = CorpusOptions(empty_labels="nowhere")
    assert read_corpus(folder, hierarchy=vocabulary, options=nowhere).labels == [[OWL], [], None]


def test_a_text_among_the_metadata(tmp_path):
    for form in ("csv", "jsonl"):
        options = CorpusOptions(text_column="title")
        first = next(iter_documents(write_any(tmp_path, form), options=options))
        assert (first.document, first.labels) == ("Owl", [OWL])


@pytest.mark.parametrize(
    ("name", "content", "kind"),
    [
        ("a.tsv", "text\tlabels\nhoots\towl\n", "tsv"),
        ("a.tsv", "text\tlabels\nhoots\thttp://example.org/owl\n", "tsv"),
        ("a.csv", "text,labels,subject_uris\nhoots,owl,\n", "csv"),
        ("a.jsonl", '{"text": "hoots", "labels": ["owl"], "document_id": "a"}\n', "jsonl"),
    ],
)
def test_other_files_stay_what_they_are(tmp_path, name, content, kind):
    file = tmp_path / name
    file.write_text(content)
    expected = next(iter(FORMATS[kind].read(file, CorpusOptions()))).labels
    assert read_corpus(file).labels == [expected]


def test_who_names_a_column_has_a_table(tmp_path):
    file = write_any(tmp_path, "csv")
    options = CorpusOptions(label_column="title")
    assert read_corpus(file, options=options).labels == [["Owl"], None, None]


@pytest.mark.parametrize(
    ("form", "change", "message"),
    [
        ("key", ("a.key", "owl\nowls\n"), r"a\.key:2: no category.*called 'owls' \(did you mean 'owl'\?\); mend it"),
        (
            "folder",
            ("a.tsv", "\n<http://example.org/emu>\n"),
            r"a\.tsv:2: the label 'http://example.org/emu' of document",
        ),
        ("tsv", ("", "hoots\t<http://a/b>\nhoots\tat night\n"), r":2: 'at' stands where the addresses of subjects do"),
        ("csv", ("", "text,subject_uris\nhoots,owl\n"), r":2: 'owl' stands where the addresses"),
        (
            "jsonl",
            ("", '{"metadata": {"title": "x"}}\n'),
            r":1: the document has no 'text', only: metadata, title; name",
        ),
        ("jsonl", ("", '{"text": "x", "subjects": "owl"}'), r":1: 'subjects' is a string; write a list of objects"),
        ("jsonl", ("", '{"text": "x", "subjects": ["owl"]}'), r":1: a subject is a string; write it as"),
        ("jsonl", ("", '{"text": "x", "subjects": [{}]}'), r':1: a subject has no "uri" and no "label"'),
        ("jsonl", ("", '{"text": 1, "subjects": []}'), ":1: 'text' is a number"),
    ],
)
def test_what_is_wrong_is_told_by_its_place(tmp_path, vocabulary, form, change, message):
    path = write_any(tmp_path, form)
    name, content = change
    (path / name if name else path).write_text(content)
    with pytest.raises(ValueError, match=message) as refused:
        read_corpus(path, hierarchy=vocabulary)
    assert "\n" not in str(refused.value)


def test_a_line_is_as_long_as_the_options_say(tmp_path):
    file = tmp_path / "a.tsv"
    file.write_text(f"{'x' * 2**20}\t<{OWL}>\n")
    with pytest.raises(ValueError, match=r"a\.tsv:1: the line is longer than 1 MiB"):
        read_corpus(file, options=CorpusOptions(max_line=1))
    assert read_corpus(file, options=CorpusOptions(max_line=2)).labels == [[OWL]]


def test_a_name_of_two_subjects(tmp_path, vocabulary):
    vocabulary.write_text(VOCABULARY + "<http://example.org/barn>\towl\n")
    with pytest.raises(
        ValueError, match=r"a\.key:1: 2 categories are called 'owl': http://example.org/owl, http://exa"
    ):
        read_corpus(write_any(tmp_path, "key"), hierarchy=vocabulary)


def test_a_key_that_was_asked_for_must_be_there(tmp_path):
    with pytest.raises(ValueError, match=r":1: no split column 'part'; name one of: document_id, text, metadata, subj"):
        read_corpus(write_any(tmp_path, "jsonl"), options=CorpusOptions(split_column="part"))


def test_unknown_names_are_dropped_where_that_is_asked(tmp_path, vocabulary):
    folder = write_folder(tmp_path / "texts", ".key", {"a": "owl\nemu\n"})
    with pytest.warns(UserWarning, match="dropped 1 label"):
        corpus = read_corpus(folder, hierarchy=vocabulary, options=CorpusOptions(on_unknown="drop"))
    assert corpus.labels == [[OWL], None, None]


def test_a_thesaurus_is_read_by_address(tmp_path):
    pytest.importorskip("rdflib")
    thesaurus = tmp_path / "animals.ttl"
    thesaurus.write_text(
        "@prefix skos: <http://www.w3.org/2004/02/skos/core#> .\n@prefix : <http://example.org/> .\n"
        ':owl skos:broader :bird ; skos:prefLabel "owl"@en, "Eule"@de . :cod a skos:Concept ; skos:prefLabel "cod"@en .'
    )
    plain = tmp_path / "plain.csv"
    plain.write_text(f"text,labels\nhoots,{OWL}\n")
    for path in (write_any(tmp_path, "tsv"), write_any(tmp_path, "key"), plain):
        corpus = read_corpus(path, hierarchy=thesaurus)
        assert corpus.labels[0] == [OWL]
        assert (("http://example.org/bird", OWL)) in corpus.hierarchy.edges()


PIECES = st.sampled_from(
    [
        '{"text": "x", "subjects": [',
        '{"uri": ',
        '"label": ',
        "null",
        "3",
        "]}",
        '"',
        ",",
        "\t",
        "\n",
        "<",
        ">",
        "a:b",
        "ä",
        "text,subject_uris\n",
        "uri,label_en\n",
        "\x00",
        "http://a/b",
        '{"document_id": []}',
        '{"metadata": {"text": 1}}',
    ]
)


@settings(max_examples=200)
@given(st.lists(PIECES, max_size=12).map("".join), st.sampled_from(["annif-tsv", "annif-csv", "annif-jsonl", "annif"]))
def test_whatever_stands_in_a_file_is_read_or_refused_in_one_line(content, kind):
    with TemporaryDirectory() as folder:
        file = Path(folder, "a.json" if kind == "annif" else "a.tsv")
        file.write_text(content, encoding="utf-8", newline="\n")
        path = Path(folder) if kind == "annif" else file
        for read in (
            lambda: read_corpus(path, options=CorpusOptions(kind=kind)),
            lambda: read_categories(file.rename(file.with_suffix(".csv"))),
            lambda: read_categories(file.with_suffix(".csv").rename(file.with_suffix(".tsv"))),
        ):
            try:
                read()
            except ValueError as error:
                assert str(error).count("\n") == 0


def test_fields_of_documents(tmp_path):
    file = tmp_path / "documents.jsonl"
    lines = [{"text": "hoots", "metadata": {"author": name}, "subjects": [{"uri": "http://a/owl"}]} for name in "ab"]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert read_corpus(file, options=CorpusOptions(field_column="author")).fields == ["a", "b"]
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "a.txt").write_text("hoots")
    (tmp_path / "folder" / "a.key").write_text("owl\n")
    with pytest.raises(ValueError, match=r"a\.txt:1: nothing stands in 'author'"):
        read_corpus(tmp_path / "folder", options=CorpusOptions(field_column="author"))
