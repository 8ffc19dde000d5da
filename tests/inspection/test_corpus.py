import gzip
import json
import warnings
from pathlib import Path

import numpy as np
import pytest

import classmark
from classmark import Hierarchy, check_corpus, read_corpus
from classmark.data import CorpusOptions, write_corpus
from classmark.inspection.findings import KINDS, LEVELS
from tests.data.formats.corpora import needs_arrow

TREE = "ROOT\tanimal\nanimal\towl\nanimal\tgull\nROOT\toak\n"
TEXTS = {"owl": "hoots at night in the barn", "gull": "cries over the wide sea", "oak": "grows acorns in the wood"}


def documents(n_each: int = 6) -> list[dict[str, object]]:
    return [
        {"id": f"{label}{number}", "text": f"{number} {text} {number * 7} {number * 3}", "labels": [label]}
        for number in range(n_each)
        for label, text in TEXTS.items()
    ]


def write(folder: Path, lines: list[object], tree: str | None = TREE) -> Path:
    folder.mkdir(exist_ok=True)
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    (folder / "docs.jsonl").write_text("\n".join(texts) + "\n")
    if tree is not None:
        (folder / "hierarchy.tsv").write_text(tree)
    return folder


def found_in(folder: Path, lines: list[object], tree: str | None = TREE, **given):
    check = check_corpus(write(folder, lines, tree), **given)
    return {one.kind: one for one in check.findings}


def test_nothing_wrong(tmp_path):
    check = check_corpus(write(tmp_path, documents()))
    assert (check.errors, check.documents, check.categories, check.depth) == ([], 18, 4, 2)
    assert check.verdict == "train would learn from 18 documents"
    assert check.documents_a_category == {"least": 6, "median": 6, "most": 12}
    assert classmark.check_corpus is check_corpus


FAULTS: list[tuple[object, str]] = [
    ('{"text": "cut off', "write one object a line, without NaN or Infinity"),
    ("[1, 2]", "write one object a line"),
    ({"text": 5}, "write the text as a string"),
    ({"text": "x", "labels": "owl"}, 'write a list, such as ["owl"]'),
    ({"text": "x", "labels": [""]}, "give it a name or take it out"),
    ({"text": "x", "labels": [1.5]}, "write labels as strings or integers"),
    ({"text": "x", "id": []}, "write a string or an integer"),
    ({"text": "x", "split": 3}, "write its name as a string, or null"),
    ({"labels": ["owl"]}, "add one, or name the text column (--text-column)"),
]


@pytest.mark.parametrize(("line", "remedy"), FAULTS, ids=[remedy for _, remedy in FAULTS])
def test_each_fault_as_reading_tells_it(tmp_path, line, remedy):
    folder = write(tmp_path, [*documents(), line])
    with pytest.raises(ValueError) as refused:
        read_corpus(folder)
    (error,) = check_corpus(folder).errors
    (example,) = error.examples
    assert (error.kind, error.remedy) == ("line", remedy)
    assert str(refused.value) == f"{example.where}: {example.what}; {error.remedy}"


def test_all_faults_at_once(tmp_path):
    check = check_corpus(write(tmp_path, [*(line for line, _ in FAULTS), *documents()]))
    assert {one.remedy for one in check.errors} == {remedy for _, remedy in FAULTS}
    assert [one.examples[0].where.rpartition(":")[2] for one in check.errors] == [
        str(number) for number in range(1, len(FAULTS) + 1)
    ]
    assert check.documents == 18
    assert check.verdict.startswith("train would refuse it: lines that cannot be read, first ")


def test_several_faults_of_one_line(tmp_path):
    check = check_corpus(write(tmp_path, [{"id": [], "text": 5, "labels": "owl", "split": 3}, *documents()]))
    assert [one.examples[0].what for one in check.errors] == [
        "the id is a list",
        "'text' is a number",
        "'labels' is a string",
        "the split is a number",
    ]


def test_counts_and_limits(tmp_path):
    found = found_in(tmp_path, [*documents(), *([{"text": 5}] * 9)], limit=2)
    assert (found["line"].count, len(found["line"].examples)) == (9, 2)


def test_bytes_that_are_no_text(tmp_path):
    write(tmp_path, documents())
    with (tmp_path / "docs.jsonl").open("ab") as file:
        file.write(b'{"text": "\xff"}\n{"text": 5}\n')
    assert [one.examples[0].where.rpartition(":")[2] for one in check_corpus(tmp_path).errors] == ["19", "20"]


def test_a_compressed_file_that_is_cut_off(tmp_path):
    text = "".join(json.dumps(one) + "\n" for one in documents())
    (tmp_path / "docs.jsonl.gz").write_bytes(gzip.compress(text.encode())[:-20])
    (error, *_) = check_corpus(tmp_path).errors
    assert error.kind == "stopped"
    assert "what comes after is not checked" in error.then


def test_ids_labels_and_splits(tmp_path):
    lines = documents()
    lines[3]["id"] = lines[0]["id"]
    lines[4]["labels"] = ["gul", "owl"]
    lines[5]["labels"] = ["owl, gull"]
    lines[6]["labels"] = ["animal", "animal"]
    lines[7]["labels"] = []
    lines[8]["labels"] = None
    for line in lines[:14]:
        line["split"] = "train"
    lines[14]["split"] = "tset"
    found = found_in(tmp_path, lines)
    assert found["id-twice"].examples[0].what == "'owl0' already stands at line 1"
    assert [one.what for one in found["unknown-label"].examples] == [
        "'gul' (did you mean 'gull'?)",
        "'owl, gull', but its 2 parts are (--label-separator ,)",
    ]
    assert found["label-twice"].examples[0].where.endswith(":7")
    assert found["inner-label"].count == 1
    assert found["no-split"].count == 3
    assert found["odd-split"].examples[0].what == "1 document (did you mean 'test'?)"


def test_unknown_labels_that_are_dropped(tmp_path):
    lines = [*documents(), {"text": "runs", "labels": ["emu"]}]
    found = found_in(tmp_path, lines, options=CorpusOptions(on_unknown="drop"))
    assert found["unknown-label"].level == "warning"


def test_the_hierarchy(tmp_path):
    tree = f"{TREE}animal\tgull\nplant\tfern\na\tb\nb\tc\nc\ta\nfoo\nROOT\tROOT\nc\tsnail\n"
    check = check_corpus(write(tmp_path, documents(), tree))
    found = {one.kind: one for one in check.findings}
    lines = [one.where for finding in check.errors if finding.kind == "hierarchy-line" for one in finding.examples]
    assert [where.rpartition(":")[2] for where in lines] == ["10", "11"]
    assert found["cycle"].examples[0].what == "'a', 'b', 'c' are above and below each other"
    assert found["edge-twice"].examples[0].where.endswith(":5")
    assert found["not-a-child"].examples[0].what.startswith("'plant'")
    assert found["one-child"].count == 2  # plant, and c with snail below it once the circle is open
    assert found["never"].count == 6
    assert check.categories == 10


def test_categories_by_their_documents(tmp_path):
    tree = "ROOT\towl\nROOT\tgull\nROOT\toak\nROOT\temu\nROOT\tfern\nROOT\tmoss\n"
    lines = [one | {"split": "train"} for one in documents() if one["id"] not in ("oak4", "oak5", "oak3")]
    lines += [{"text": "runs fast", "labels": ["emu"], "split": "test"}]
    lines += [{"text": "is green and wet", "labels": ["fern"], "split": "train"}]
    check = check_corpus(write(tmp_path, lines, tree))
    found = {one.kind: [example.where for example in one.examples] for one in check.findings}
    assert (found["test-only"], found["single"], found["few"], found["never"]) == (["emu"], ["fern"], ["oak"], ["moss"])
    assert check.verdict == (
        "train would learn from 16 documents, leave the 1 of other splits alone and never see 2 of the categories"
    )


def test_texts(tmp_path):
    texts = ["", "acorns", "CafÃ© au lait", "a \x07 bell", "a<br/>b &amp; c", "long " * 2001]
    found = found_in(tmp_path, [*documents(), *({"text": text, "labels": ["oak"]} for text in texts)])
    kinds = ["empty", "one-word", "encoding", "control", "markup", "long"]
    assert [found[kind].examples[0].where.rpartition(":")[2] for kind in kinds] == ["19", "20", "21", "22", "23", "24"]
    assert found["control"].examples[0].what == r"'a \x07 bell'"


def test_languages(tmp_path):
    english = "the cat is in the garden because they were hungry and would not go away"
    german = "der wein ist nicht das was wir in der nacht nach hause und mit uns nahmen"
    lines = [{"text": f"{row} {english}", "labels": ["owl"], "split": "train"} for row in range(3)]
    lines += [{"text": f"{row} {german}", "labels": ["owl"], "split": "test"} for row in range(2)]
    check = check_corpus(write(tmp_path, lines))
    found = {one.kind: one for one in check.findings}
    assert check.languages == {"english": 3, "german": 2}
    assert found["other-language"].count == 2
    assert found["split-language"].examples[0].what == "mostly german, and train is mostly english"


def test_siblings_with_the_same_words(tmp_path):
    more = [one | {"id": f"new{one['id']}", "labels": ["oak"]} for one in documents() if one["labels"] == ["owl"]]
    lines = [one for one in documents() if one["labels"] != ["oak"]] + more
    found = found_in(tmp_path, lines, tree=None)
    assert [one.where for one in found["siblings"].examples] == ["owl and oak"]


def test_paths_and_joined_labels(tmp_path):
    file = tmp_path / "a.csv"
    file.write_text("text,labels\nhoots,animal/owl\ncries,animal/gull\ngrows,plant//oak\n")
    assert next(one.kind for one in check_corpus(file).findings) == "path-labels"
    (error,) = check_corpus(file, options=CorpusOptions(path_separator="/")).errors
    assert (error.kind, error.examples[0].what) == ("path-gap", "the path 'plant//oak' has an empty part")
    file.write_text("text,labels\nhoots,owl|bird\ncries,gull|bird\n")
    assert next(one.kind for one in check_corpus(file).findings) == "joined-labels"


@pytest.mark.parametrize(
    "name",
    ["new", "new.jsonl", "new.json", "new.csv", "new.tsv", pytest.param("new.parquet", marks=needs_arrow), "files"],
)
def test_every_format(tmp_path, name):
    corpus = read_corpus(write(tmp_path / "docs", [*documents(), documents()[0] | {"id": "copy"}]))
    write_corpus(corpus, tmp_path / name, kind="files" if name == "files" else None)
    check = check_corpus(tmp_path / name, hierarchy=corpus.hierarchy if name != "files" else None)
    assert (check.documents, check.errors, check.words["median"]) == (19, [], 8)
    assert [one.count for one in check.findings if one.kind == "same-text"] == [1]


def test_rows_of_features(tmp_path):
    file = tmp_path / "rows.svm"
    file.write_text("a 1:1 2:1\nb 2:x\na 3:1 4:1 5:2\nb 5:1 5:1\n\nc\n")
    check = check_corpus(file)
    assert [one.examples[0].where.rpartition(":")[2] for one in check.errors] == ["2", "4"]
    assert [one.kind for one in check.findings if one.count and one.kind == "empty"] == ["empty"]


def test_a_table_goes_on_past_rows(tmp_path):
    file = tmp_path / "a.csv"
    file.write_text("id,text,labels\n1,hoots,owl,x\n,cries,gull\n3,swims,cod\n")
    check = check_corpus(file)
    assert [one.examples[0].where for one in check.errors] == [f"{file}:2", f"{file}:3"]
    assert check.documents == 1


def test_asked_wrongly(tmp_path):
    file = tmp_path / "a.csv"
    file.write_text("text,labels\nhoots,owl\n")
    with pytest.raises(ValueError, match="no label column 'topic'"):
        check_corpus(file, options=CorpusOptions(label_column="topic"))
    with pytest.raises(FileNotFoundError, match="no such file"):
        check_corpus(tmp_path / "none")
    with pytest.raises(FileNotFoundError, match="no such hierarchy"):
        check_corpus(file, hierarchy=tmp_path / "none.tsv")
    with pytest.raises(ValueError, match="give a Hierarchy beside a corpus"):
        check_corpus(read_corpus(file), hierarchy="tree.tsv")


def test_a_column_that_nobody_named(tmp_path):
    file = tmp_path / "a.csv"
    file.write_text("body,labels\nhoots,owl\n")
    assert [one.kind for one in check_corpus(file).errors] == ["stopped", "no-documents"]
    file.write_text("text,topic\nhoots,owl\n")
    check = check_corpus(file)
    assert check.errors == []
    assert check.findings[0].remedy == "name the column that has the labels (--label-column) of: text, topic"
    assert check.verdict == f"train would refuse it: no document has a label, first {file}: 1 document"


def test_names_of_categories(tmp_path):
    (tmp_path / "nodes.tsv").write_text("owl\ttawny owl\nemu\trunner\nowl\tbarn owl\nx\n")
    check = check_corpus(write(tmp_path, documents()))
    assert [one.examples[0].where.rpartition(":")[2] for one in check.errors] == ["2", "3", "4"]


def test_no_categories(tmp_path):
    (error, *_) = check_corpus(write(tmp_path, documents(), "\n")).errors
    assert error.examples[0].what == "no category could be read"


def test_a_corpus_that_has_been_read(tmp_path):
    corpus = read_corpus(write(tmp_path, documents(), None))
    check = check_corpus(corpus, hierarchy=Hierarchy.flat(["owl", "gull"]))
    assert [(one.kind, one.count) for one in check.errors] == [("unknown-label", 6)]


def test_the_table_of_kinds():
    assert {kind.level for kind in KINDS.values()} == set(LEVELS)
    page = (Path(__file__).parents[2] / "docs" / "check.md").read_text(encoding="utf-8")
    assert [kind for kind in KINDS if f"`{kind}`" not in page] == []


JUNK = [b'"', b"\n", b"\t", b",", b"\xff", b"{", b"null", b"1", b":", b"", b"owl", b"owl1", b"ROOT", b"\r"]


@pytest.mark.parametrize("name", ["docs.jsonl", "hierarchy.tsv", "nodes.tsv", "a.csv"])
def test_an_error_wherever_reading_refuses_and_nowhere_else(tmp_path, name):
    folder = write(tmp_path / "docs", documents(2))
    (folder / "nodes.tsv").write_text("owl\ttawny owl\ngull\therring gull\n")
    source = folder / name
    if name == "a.csv":
        write_corpus(read_corpus(folder), source := tmp_path / name)
    content, random = source.read_bytes(), np.random.default_rng(0)
    refused = 0
    for _ in range(16):
        place, size = int(random.integers(len(content))), int(random.integers(6))
        junk = JUNK[int(random.integers(len(JUNK)))]
        source.write_bytes(content[:place] + junk + content[place + size :])
        corpus = source if name == "a.csv" else folder
        with warnings.catch_warnings(action="ignore"):
            wrong = _refusal(corpus)
        assert bool(check_corpus(corpus).errors) == (wrong is not None), (source.read_bytes(), wrong)
        refused += wrong is not None
    assert 0 < refused < 16


def _refusal(corpus: Path) -> str | None:
    """Read a corpus, and give why it is refused."""
    try:
        read_corpus(corpus)
    except ValueError as error:
        return str(error)
    return None


def test_corpora_of_annif(tmp_path):
    vocabulary = tmp_path / "animals.tsv"
    vocabulary.write_text("<http://a/owl>\towl\n<http://a/gull>\tgull\n<http://a/sea-gull>\tgull\n")
    texts = tmp_path / "texts.tsv"
    texts.write_text("hoots\t<http://a/owl>\ncries\tgull\nswims\t<http://a/cod>\ngrows\toak\n")
    found = {one.kind: one for one in check_corpus(texts, hierarchy=vocabulary).errors}
    assert [one.where for one in found["line"].examples] == [f"{texts}:2", f"{texts}:4"]
    assert [one.where for one in found["unknown-label"].examples] == [f"{texts}:3"]
    folder = tmp_path / "folder"
    folder.mkdir()
    for name, subject in (("a", "owl"), ("b", "gull"), ("c", "<http://a/owl>\towl\ncod")):
        (folder / f"{name}.txt").write_text(f"the text of {name}")
        (folder / f"{name}.key").write_text(f"{subject}\n")
    check = check_corpus(folder, hierarchy=vocabulary)
    found = {one.kind: one for one in check.errors}
    assert (check.format, check.categories, check.documents) == ("annif", 3, 3)
    assert [one.where for one in found["line"].examples] == [f"{folder / 'b.key'}:1"]
    assert [one.where for one in found["unknown-label"].examples] == [f"{folder / 'c.key'}:2"]


def test_every_line_of_a_vocabulary_of_annif(tmp_path):
    vocabulary = tmp_path / "animals.tsv"
    vocabulary.write_text("<http://a/owl>\towl\n\tgull\n<http://a/owl>\ttawny owl\n<http://a/gull>\tgull\n")
    texts = tmp_path / "texts.tsv"
    texts.write_text("hoots\t<http://a/owl>\ncries\t<http://a/gull>\n")
    check = check_corpus(texts, hierarchy=vocabulary)
    assert [one.examples[0].where for one in check.errors] == [f"{vocabulary}:2", f"{vocabulary}:3"]
    assert check.categories == 2


def test_addresses_and_a_thesaurus(tmp_path):
    pytest.importorskip("rdflib")
    thesaurus = tmp_path / "animals.ttl"
    prefix = "@prefix skos: <http://www.w3.org/2004/02/skos/core#> .\n"
    thesaurus.write_text(f"{prefix}<http://a/owl> a skos:Concept .\n<http://a/gull> a skos:Concept .\n")
    texts = tmp_path / "texts.tsv"
    texts.write_text("hoots\t<http://a/owl>\ncries\t<http://a/gull>\n")
    assert check_corpus(texts, hierarchy=thesaurus).errors == []
    assert read_corpus(texts, hierarchy=thesaurus).labels == [["http://a/owl"], ["http://a/gull"]]
