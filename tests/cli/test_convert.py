"""`classmark convert`: any format to any other, one line of summary, and refusals that leave nothing behind."""

import json
import re
from pathlib import Path

import pytest

from classmark import read_corpus
from classmark.data import iter_documents
from classmark.data.formats.parquet import arrow_for
from tests.data.formats.corpora import needs_arrow


def test_to_a_table_with_the_hierarchy_beside_it(run, animals):
    result = run("convert", animals, "animals.csv")
    assert result.out == "animals.csv: 15 documents, 8 categories (in animals.hierarchy.tsv)\n"
    assert result.err == ""
    read = read_corpus("animals.csv", hierarchy="animals.hierarchy.tsv")
    assert (read.documents, read.labels) == (read_corpus(animals).documents, read_corpus(animals).labels)


def test_to_a_dataset_folder_and_on_from_there(run, animals):
    assert run("convert", animals, "animals.jsonl.gz").out.startswith("animals.jsonl.gz: 15 documents, 8 categories")
    result = run("convert", "animals.jsonl.gz", "again", "--hierarchy", "animals.hierarchy.tsv")
    assert result.out == "again: 15 documents, 8 categories\n"
    assert Path("again/docs.jsonl").exists()
    run("convert", animals, "packed", "--to", "dataset-gz")
    assert Path("packed/docs.jsonl.gz").exists()
    assert [record.document for record in iter_documents("again")] == read_corpus(animals).documents


def test_json(run, animals):
    assert run("convert", animals, "animals.csv", "--json").json == {
        "written": ["animals.csv", "animals.hierarchy.tsv"],
        "format": "csv",
        "documents": 15,
        "categories": 8,
    }


def test_kinds_that_suffixes_do_not_tell(run):
    Path("train.csv").write_text("Data\n1, 2 3:4\n5 6:1\n")
    Path("hierarchy.txt").write_text("9 1\n9 2\n9 5\n")
    result = run("convert", "train.csv", "out", "--kind", "lshtc", "--hierarchy", "hierarchy.txt")
    assert result.out == "out: 2 documents, 4 categories\n"
    assert run("convert", "out", "out.svm").out == "out.svm: 2 documents, 4 categories (in out.hierarchy.tsv)\n"
    assert Path("out.svm").read_text() == "1,2 3:4\n5 6:1\n"


def test_text_files_by_category(run):
    for name in ("bird/owl.txt", "fish/cod.txt"):
        Path("texts", name).parent.mkdir(parents=True, exist_ok=True)
        Path("texts", name).write_text("x")
    assert run("convert", "texts", "texts.jsonl").out.startswith("texts.jsonl: 2 documents, 2 categories")
    run("convert", "texts.jsonl", "back", "--to", "files", "--path-separator", "/")
    assert Path("back/bird/owl.txt").read_text() == "x"


def test_columns_separators_and_paths(run):
    Path("shop.csv").write_text('sku,title,top,sub\n7,a tent,out,tents\n8,"a pan",home,\n')
    columns = ["--text-column", "title", "--id-column", "sku", "--path-columns", "top, sub", "--path-separator", ">"]
    run("convert", "shop.csv", "shop.jsonl", *columns)
    assert [json.loads(line) for line in Path("shop.jsonl").read_text().splitlines()] == [
        {"id": "7", "text": "a tent", "labels": ["out>tents"], "split": None},
        {"id": "8", "text": "a pan", "labels": ["home"], "split": None},
    ]
    run("convert", "shop.jsonl", "levels.csv", "--path-separator", ">", "--to-path-columns", "a,b")
    assert Path("levels.csv").read_text() == "id,text,a,b,split\n7,a tent,out,tents,\n8,a pan,home,,\n"


def test_empty_labels_hold_for_both_sides(run, refused):
    Path("a.jsonl").write_text('{"text": "x", "labels": []}\n')
    assert "--empty-labels nowhere" in refused("convert", "a.jsonl", "a.csv")
    run("convert", "a.jsonl", "a.csv", "--empty-labels", "nowhere")
    run("convert", "a.csv", "b.jsonl", "--empty-labels", "nowhere")
    assert read_corpus("b.jsonl").labels == [[]]


def test_a_split(run, animals):
    assert run("convert", animals, "t.csv", "--split", "test").out.startswith("t.csv: 6 documents")
    assert run("convert", animals, "both.csv", "--split", "train, test").out.startswith("both.csv: 15 documents")


def test_force(run, refused, animals):
    run("convert", animals, "animals.csv")
    assert "animals.csv: already there" in refused("convert", animals, "animals.csv")
    run("convert", animals, "animals.csv", "--force")
    run("convert", animals, "again")
    assert "already there" in refused("convert", animals, "again")
    run("convert", animals, "again", "--force")


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("a.csv", "a.csv"),
        ("a.csv", "./link.csv"),
        ("link.csv", "a.csv"),
        ("a.csv", "hard.csv"),
        ("animals", "animals"),
        ("animals/", "linked"),
        ("animals", "animals/docs.jsonl"),
        ("animals/docs.jsonl", "animals"),
    ],
)
def test_the_source_is_never_replaced(refused, animals, source, target):
    Path("a.csv").write_text("text,labels\nhoots,owl\n")
    Path("link.csv").symlink_to("a.csv")
    Path("hard.csv").hardlink_to("a.csv")
    Path("linked").symlink_to(animals)
    assert re.search(rf"{re.escape(str(target))}:.*then replaced", refused("convert", source, target, "--force"))


def test_what_is_written_is_read_by_default_or_says_how(run):
    Path("a.csv").write_text("text,labels\nhoots,owl;bird\nswims,cod\n")
    done = run("convert", "a.csv", "b.csv", "--label-separator", ";")
    assert done.out == "b.csv: 2 documents, no hierarchy\n"
    assert read_corpus("b.csv").labels == [["owl", "bird"], ["cod"]]
    Path("a.csv").write_text('text,labels\nhoots,"owl;bird, wild"\nnothing,\n')
    options = ["--label-separator", ";", "--empty-labels", "nowhere"]
    done = run("convert", "a.csv", "c.csv", *options)
    assert done.out == ("c.csv: 2 documents, no hierarchy; read it with --label-separator ';' --empty-labels nowhere\n")
    again = run("convert", "c.csv", "d.jsonl", *options, "--json")
    assert "read_with" not in again.json
    assert read_corpus("d.jsonl").labels == [["owl", "bird, wild"], []]
    Path("e.csv").write_text("text,labels\nhoots,bird/owl\n")
    levels = run("convert", "e.csv", "f.csv", "--to-path-columns", "a,b", "--path-separator", "/", "--json")
    assert levels.json["read_with"] == {"path_columns": "a,b"}


@pytest.mark.parametrize("shares", ["train=nan", "train=inf", "train=-1,test=2", "train=0,test=0", "train=nan,test=1"])
def test_shares_that_are_none(refused, animals, shares):
    assert "; give numbers above 0 that sum to 1" in refused("convert", animals, "new", "--resplit", f"random,{shares}")


def test_parts_without_a_name_or_with_one_twice(refused, animals):
    assert "the part '=1' has no name" in refused("convert", animals, "new", "--resplit", "random,=1")
    assert "the part 'a' stands twice" in refused("convert", animals, "new", "--resplit", "random,a=0.5,a=0.5")


def test_reuters(run):
    story = (
        '<REUTERS TOPICS="{}" LEWISSPLIT="TRAIN" CGISPLIT="TRAINING-SET" OLDID="1" NEWID="{}">\n'
        "<TOPICS><D>cocoa</D></TOPICS>\n<TEXT><TITLE>A</TITLE><BODY>b</BODY></TEXT>\n</REUTERS>\n"
    )
    Path("reut2-000.sgm").write_text(story.format("YES", 1) + story.format("NO", 2))
    run("convert", "reut2-000.sgm", "apte.csv")
    run("convert", "reut2-000.sgm", "lewis.csv", "--reuters-split", "modlewis")
    assert read_corpus("apte.csv").splits == ["train", "unused"]
    assert read_corpus("lewis.csv").splits == ["train", "train"]


def test_names_in_another_language(run):
    pytest.importorskip("rdflib")
    Path("a.ttl").write_text(
        "@prefix skos: <http://www.w3.org/2004/02/skos/core#> .\n"
        '<http://x/owl> a skos:Concept ; skos:prefLabel "owl"@en, "Eule"@de .\n'
    )
    Path("a.csv").write_text("text,labels\nhoots,owl\n")
    run("convert", "a.csv", "out", "--hierarchy", "a.ttl", "--language", "de")
    assert read_corpus("out").nodes["owl"].name == "Eule"


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["animals", "out.svm"], r"out\.svm: document 'train1' has a text.*cannot hold"),
        (["animals", "out", "--to", "files"], r"out: document 'train1' has the split 'train',.*format cannot"),
        (
            ["animals", "out", "--to", "files", "--split", "train"],
            r"out: document 'train9' has 2.*file lies",
        ),
        (["animals", "out.csv", "--to-path-columns", "a,b,c"], r"document 'train9' has 2.*path columns hold"),
        (["animals", "out.sgm"], "the format 'reuters' is only read"),
        (["animals", "out.xlsx"], r"out\.xlsx: the format 'xlsx' is only read.*dataset"),
        (["animals", "out", "--to", "excel"], "no format 'excel'; name one of dataset"),
        (["animals", "no/such/out"], "no/such: no such folder"),
        (["nothing", "out"], r"nothing:.*no such file"),
        (["animals", "out", "--hierarchy", "none.tsv"], r"none\.tsv:.*no such hierarchy"),
        (["animals", "out", "--split", "dev"], r"no document.*split 'dev'"),
        (["animals", "out.csv", "--path-columns", "a"], r"columns of.*this is dataset"),
        (["animals", "out", "--reuters-split", "mine"], "reuters_split='mine'.*'modapte'"),
        (["animals"], "Missing argument"),
    ],
)
def test_refusals(refused, animals, arguments, reason):
    assert re.search(reason, refused("convert", *arguments))


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("a.csv", b"text,labels\nx\n", r"a\.csv:2: 1 cell\(s\) for 2 columns"),
        ("a.jsonl", b"{\n", r"a\.jsonl:1: not valid JSON"),
        ("a.jsonl.gz", b"\x1f\x8b\x08", r"a\.jsonl\.gz:1:.*damaged or cut"),
        ("a.svm", b"1 0:3\n", r"a\.svm:1: the feature number.*'0:3' is 0"),
        ("a.sgm", b"<REUTERS>\n", r"a\.sgm:1: the REUTERS.*not closed"),
        pytest.param("a.parquet", b"x", r"a\.parquet:1: not a Parquet", marks=needs_arrow),
    ],
)
def test_bad_sources(refused, name, content, reason):
    Path(name).write_bytes(content)
    assert re.search(reason, refused("convert", name, "out"))


def test_a_table_of_paths_trains_and_is_evaluated(run):
    rows = ["hoots at night,bird,owl", "cries over the sea,bird,gull", "swims in the sea,fish,cod"] * 3
    Path("levels.csv").write_text("\n".join(["text,top,sub", *rows]) + "\n")
    run("train", "levels.csv", "-o", "m.classmark", "--path-columns", "top,sub")
    result = run("evaluate", "m.classmark", "levels.csv", "--path-columns", "top,sub", "--json").json
    assert result["hierarchical"]["hf"] == 1.0
    (answer, *_) = run("predict", "m.classmark", "levels.csv", "--leaves", "--path-columns", "top,sub").answers
    assert answer["labels"] == ["bird/owl"]


def test_rows_of_features_train_by_their_kind(run):
    Path("train.csv").write_text("Data\n" + "1 1:1 2:1\n2 3:1 4:1\n" * 4)
    run("train", "train.csv", "-o", "m.classmark", "--kind", "lshtc")
    (answer, *_) = run("predict", "m.classmark", "train.csv", "--kind", "lshtc").answers
    assert answer["labels"] == ["1"]


class TestShards:
    def test_one_line_and_the_same_documents(self, run, animals):
        done = run("convert", animals, "shards", "--shards", 4)
        assert done.out == "shards: 15 documents in 4 shards, 8 categories\n"
        assert sorted(file.name for file in Path("shards").glob("docs*")) == [
            f"docs-{number:05}.jsonl" for number in range(4)
        ]
        assert read_corpus("shards").documents == read_corpus(animals).documents
        assert run("convert", animals, "one", "--shards", 1, "--json").json["shards"] == 1

    @needs_arrow
    def test_other_formats_and_force(self, run, refused, animals):
        for kind, suffix in (("dataset-gz", "jsonl.gz"), ("dataset-parquet", "parquet")):
            run("convert", animals, "shards", "--shards", 2, "--to", kind, "--force")
            files = sorted(file.name for file in Path("shards").iterdir())
            assert files == [f"docs-00000.{suffix}", f"docs-00001.{suffix}", "hierarchy.tsv"]
        assert "shards: already there" in refused("convert", animals, "shards", "--shards", 2)
        assert "documents          15" in run("info", "shards").out

    def test_with_other_splits(self, run, animals):
        run("convert", animals, "shards", "--shards", 2, "--resplit", "ordered,train=0.5,test=0.5")
        assert read_corpus("shards").splits == ["train"] * 8 + ["test"] * 7
        run("convert", animals, "near", "--shards", 2, "--resplit", "60/40", "--by-group", "near-duplicates")
        assert len(read_corpus("near")) == 15

    def test_a_dataset_that_is_always_there(self, run):
        run("convert", "docstrings", "shards", "--shards", 3)
        assert len(list(Path("shards").glob("docs-*"))) == 3

    @pytest.mark.parametrize("number", ["0", "-1", "100001"])
    def test_numbers_that_cannot_be(self, refused, animals, number):
        message = refused("convert", animals, "shards", "--shards", number)
        assert re.search(rf"shards={re.escape(str(number))}.*integer >= 1 and <= 100,000", message)

    def test_what_cannot_be(self, refused, animals):
        assert "shards: 16 shards for 15 documents" in refused("convert", animals, "shards", "--shards", 16)
        assert "'--shards'" in refused("convert", animals, "shards", "--shards", "many")
        message = refused("convert", animals, "shards.csv", "--shards", 2)
        assert re.search(r"shards\.csv:.*dataset folder.*csv; give a name", message)


MAILS = """id,text,labels,author,sent
1,an owl hoots at night,owl,ann,2024-05-31
2,a gull cries,gull,bob,2023-01-01
3,an owl hunts,owl,ann,2022
4,a gull follows ships,gull,cid,2024-06-01
5,"an owl hoots, at night!",owl,dan,2021-03
"""


class TestByField:
    def splits(self):
        return read_corpus("new").splits

    def test_by_group(self, run):
        Path("mails.csv").write_text(MAILS)
        done = run("convert", "mails.csv", "new", "--resplit", "60/40", "--by-group", "author")
        assert done.out == "new: 5 documents (train 3, test 2), no hierarchy\n"
        assert self.splits()[0] == self.splits()[2]

    def test_by_time(self, run):
        Path("mails.csv").write_text(MAILS)
        done = run("convert", "mails.csv", "new", "--by-time", "sent", "--json")
        assert done.json["splits"] == {"train": 4, "test": 1}
        assert self.splits() == ["train", "train", "train", "test", "train"]

    def test_near_duplicates_stay_together(self, run):
        Path("mails.csv").write_text(MAILS)
        run("convert", "mails.csv", "new", "--resplit", "60/40", "--by-group", "near-duplicates")
        assert self.splits()[0] == self.splits()[4]

    @needs_arrow
    def test_every_format_with_columns(self, run):
        arrow = arrow_for(Path("a.parquet"))
        rows = [dict(zip(("text", "labels", "sent"), row, strict=True)) for row in (("x", ["a"], 2), ("y", ["b"], 1.5))]
        Path("a.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
        Path("a.json").write_text(json.dumps(rows))
        arrow.parquet.write_table(
            arrow.Table.from_pylist([row | {"sent": float(row["sent"])} for row in rows]), "a.parquet"
        )
        for source in ("a.jsonl", "a.json", "a.parquet"):
            run("convert", source, "new", "--resplit", "50/50", "--by-time", "sent", "--force")
            assert self.splits() == ["test", "train"]

    def test_refusals(self, refused):
        Path("mails.csv").write_text(MAILS)
        mails = ("convert", "mails.csv", "new")
        assert "no field column 'autor' (did you mean 'author'?)" in refused(*mails, "--by-group", "autor")
        assert re.search(r"document '1' has 'ann',.*no number", refused(*mails, "--by-time", "author"))
        assert "--by-group and --by-time" in refused(*mails, "--by-group", "author", "--by-time", "sent")
        assert "leave one out" in refused(*mails, "--resplit", "random", "--by-group", "author")
        parts = "a=0.2,b=0.2,c=0.2,d=0.2,e=0.2"
        assert "there are 4 groups for 5 parts" in refused(*mails, "--resplit", parts, "--by-group", "author")
        Path("mails.csv").write_text(MAILS.replace("bob", ""))
        assert "mails.csv:3: nothing stands in 'author'; give" in refused(*mails, "--by-group", "author")
        Path("a.jsonl").write_text('{"text": "x", "labels": ["a"], "author": "ann"}\n{"text": "y", "autor": "b"}\n')
        message = refused("convert", "a.jsonl", "new", "--by-group", "author")
        assert "a.jsonl:2: nothing stands in 'author' (did you mean 'autor'?); give every document" in message
        Path("a.jsonl").write_text('{"text": "x", "labels": ["a"], "author": ["ann"]}\n')
        assert "'author' is a list; write a string" in refused("convert", "a.jsonl", "new", "--by-group", "author")
