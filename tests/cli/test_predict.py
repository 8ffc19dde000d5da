import csv
import gzip
import json
import re
from pathlib import Path

import pytest

from tests.data.formats.corpora import needs_arrow

OWL = ["animal", "bird", "owl"]


def test_one_json_object_a_line(run, model, animals):
    result = run("predict", model, animals)
    assert result.out.splitlines()[0] == '{"id":"test1","labels":["animal","bird","owl"]}'
    assert [answer["id"] for answer in result.answers] == [f"test{number}" for number in range(1, 7)]
    assert all(set(answer) == {"id", "labels"} for answer in result.answers)
    assert result.err == ""


def test_ancestors_come_with_the_labels_and_leaves_without(run, model, animals):
    parents = {"owl": "bird", "gull": "bird", "cod": "fish", "oak": "plant", "bird": "animal", "fish": "animal"}
    closed, own = (run("predict", model, animals, *more).answers for more in ([], ["--leaves"]))
    for whole, leaves in zip(closed, own, strict=True):
        labels = set(whole["labels"])
        assert {parents[label] for label in labels if label in parents} <= labels
        # The most specific ones, which may be inner categories.
        assert set(leaves["labels"]) == labels - {parents[label] for label in labels if label in parents}
    assert ["plant", "oak"] in [answer["labels"] for answer in closed]


def test_scores(run, model, animals):
    answers = run("predict", model, animals, "--scores").answers
    assert all(list(answer["scores"]) == answer["labels"] for answer in answers)
    # Where nothing is above the threshold, the answer is what comes nearest.
    assert any(score > 0 for answer in answers for score in answer["scores"].values())


@pytest.mark.parametrize(("top", "given"), [(1, 1), (3, 3), (100, 4)])
def test_top_gives_the_best_ends_whatever_the_decision(run, model, animals, top, given):
    answers = run("predict", model, animals, "--top", top, "--scores").answers
    for answer in answers:
        assert len(answer["labels"]) == given
        scores = list(answer["scores"].values())
        assert scores == sorted(scores, reverse=True)
    assert answers[0]["labels"][0] == "owl"


def test_splits(run, model, animals):
    assert len(run("predict", model, animals, "--split", "train").answers) == 9
    assert len(run("predict", model, animals, "--split", "train,test").answers) == 15


def test_an_unknown_split(refused, model, animals):
    assert re.search(r"no document.*split 'dev'", refused("predict", model, animals, "--split", "dev"))


def test_standard_input_of_objects_and_plain_lines(run, model):
    lines = [
        b'{"id": "first", "text": "hoots"}',
        b"acorns of the forest\r",
        b"",
        b'  {"text": "cries over the sea", "labels": ["anything"]}',
        b'{"id": 7, "features": {"hoot": 1}}',
        "ein Käuzchen – hoots".encode(),
    ]
    answers = run("predict", model, "-", "--leaves", stdin=b"\n".join(lines)).answers
    assert [(answer["id"], answer["labels"]) for answer in answers] == [
        ("first", ["owl"]),
        ("2", ["oak"]),
        ("4", ["gull"]),
        ("7", ["owl"]),
        ("6", ["owl"]),
    ]


def test_standard_input_with_a_byte_order_mark(run, model):
    assert run("predict", model, "-", stdin=b'\xef\xbb\xbf{"id": "x", "text": "hoots"}').answers[0]["id"] == "x"


def test_empty_standard_input_has_no_answers(run, model):
    assert run("predict", model, "-", stdin=b"").out == ""


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (b'{"id": ', "standard input:2: not valid JSON"),
        (b'{"id": "x"}', r"standard input:2:.*document has no 'text'"),
        (b'{"text": null}', "standard input:2: 'text' is null"),
        (b"caf\xe9", "standard input:2: not UTF-8"),
    ],
)
def test_bad_standard_input_leaves_the_old_answers(refused, model, line, words):
    Path("answers.jsonl").write_text("old answers")
    assert re.search(
        words, refused("predict", model, "-", "-o", "answers.jsonl", stdin=b"hoots\n" + line + b"\nlast\n")
    )


def test_output_file(run, model, animals):
    printed = run("predict", model, animals).out
    assert run("predict", model, animals, "-o", "answers.jsonl").out == ""
    assert Path("answers.jsonl").read_text() == printed


@pytest.mark.parametrize("output", ["answers.jsonl.gz", "answers.ndjson", "answers"])
def test_json_lines_to_a_file(run, model, animals, output):
    run("predict", model, animals, "--scores", "-o", output)
    content = Path(output).read_bytes()
    content = gzip.decompress(content) if output.endswith(".gz") else content
    assert content.decode() == run("predict", model, animals, "--scores").out


@pytest.mark.parametrize(("output", "delimiter"), [("answers.csv", ","), ("answers.tsv", "\t")])
def test_a_table(run, model, animals, output, delimiter):
    answers = run("predict", model, animals, "--scores").answers
    run("predict", model, animals, "--scores", "-o", output)
    with Path(output).open(newline="") as file:
        rows = list(csv.DictReader(file, delimiter=delimiter))
    assert list(rows[0]) == ["id", "labels", "scores", "no_known_terms"]
    known = [answer for answer in answers if "no_known_terms" not in answer]
    assert [row["no_known_terms"] == "true" for row in rows] == ["no_known_terms" in answer for answer in answers]
    rows, answers = [row for row in rows if row["no_known_terms"] == "false"], known
    assert [(row["id"], row["labels"].split(",")) for row in rows] == [
        (answer["id"], answer["labels"]) for answer in answers
    ]
    assert [[float(score) for score in row["scores"].split(",")] for row in rows] == [
        list(answer["scores"].values()) for answer in answers
    ]


def test_a_table_without_answers(run, model):
    run("predict", model, "-", "-o", "answers.csv", stdin=b"")
    assert Path("answers.csv").read_text() == "id,labels,no_known_terms\n"
    run("predict", model, "-", "--scores", "-o", "answers.csv", stdin=b"")
    assert Path("answers.csv").read_text() == "id,labels,scores,no_known_terms\n"


@pytest.mark.parametrize("kind", ["dataset", "dataset-gz", pytest.param("dataset-parquet", marks=needs_arrow)])
def test_a_file_for_each_shard(run, model, animals, kind):
    run("convert", animals, "shards", "--shards", 4, "--to", kind)
    assert run("predict", model, "shards", "-o", "answers/", "--scores").out == ""
    there = sorted(file.name for file in Path("shards").glob("docs-*"))
    assert sorted(file.name for file in Path("answers").iterdir()) == there
    if kind == "dataset":
        contents = [Path("answers", name).read_text() for name in there]
        assert "".join(contents) == run("predict", model, animals, "--scores").out
        assert contents[0] == ""


def test_a_folder_for_what_has_no_shards(refused, model, animals):
    message = refused("predict", model, animals, "-o", "answers/")
    assert re.search(r"answers/:.*file of answers.*animals.*no folder", message)
    assert not Path("answers").exists()


def test_a_shard_that_is_gone(run, refused, model, animals):
    run("convert", animals, "shards", "--shards", 3)
    Path("shards", "docs-00001.jsonl").write_text("\n")
    message = refused("predict", model, "shards", "-o", "answers/")
    assert re.search(r"shards/docs-00001\.jsonl:.*shard is empty", message)


@needs_arrow
def test_parquet(run, model, animals):
    from pyarrow import parquet

    run("predict", model, animals, "--scores", "-o", "answers.parquet")
    rows = parquet.read_table("answers.parquet").to_pylist()
    answers = run("predict", model, animals, "--scores").answers
    flag = {"no_known_terms": False}
    assert rows == [flag | answer | {"scores": list(answer["scores"].values())} for answer in answers]


@pytest.mark.parametrize("output", ["answers.xlsx", "answers.txt", "answers.json", "answers.cvs"])
def test_an_ending_that_is_not_known(refused, model, animals, output):
    message = refused("predict", model, animals, "-o", output)
    assert f"{output}: answers are not written as .{output.partition('.')[2]}" in message
    assert "; end the name in one of .jsonl, .ndjson, .json-lines, .csv, .tsv, .parquet, .pq [.gz]" in message


def test_categories_that_a_cell_cannot_hold(run, refused, folder):
    labels = ["bird, wild", "fish"]
    documents = [{"text": f"word{number}", "labels": [label]} for number, label in enumerate(labels * 2)]
    run("train", folder("wild", documents, None), "-o", "wild.classmark", "-m", "nb")
    message = refused("predict", "wild.classmark", "-", "-o", "a.csv", stdin=b"word0")
    assert "a.csv: the category 'bird, wild' has ',' in it or space at an end; choose another label" in message
    run("predict", "wild.classmark", "-", "-o", "a.csv", "--label-separator", ";", stdin=b"word0")
    assert Path("a.csv").read_text() == 'id,labels,no_known_terms\n1,"bird, wild",false\n'


def test_standard_input_of_a_kind(run, refused, model):
    table = 'key;text;labels\r\n"n;1";hoots at night;emu\r\n'.encode("utf-8-sig")
    result = run("predict", model, "-", "--kind", "csv", "--id-column", "key", stdin=table)
    assert result.answers == [{"id": "n;1", "labels": OWL}]
    assert result.err.startswith("classmark: standard input: cells are separated")
    assert run("predict", model, "-", "--kind", "tsv", stdin=b"text\nhoots\n").answers[0]["labels"] == OWL
    assert run("predict", model, "-", "--kind", "jsonl", stdin=b'{"text": "hoots"}').answers[0]["labels"] == OWL
    assert "standard input:1: not valid JSON" in refused("predict", model, "-", "--kind", "jsonl", stdin=b"hoots")
    assert "standard input:1: no text column 'text'" in refused("predict", model, "-", "--kind", "csv", stdin=b"a,b\n")
    assert re.search(
        r"standard input: parquet is not read.*jsonl, csv", refused("predict", model, "-", "--kind", "parquet")
    )
    assert "no format 'excel'" in refused("predict", model, "-", "--kind", "excel")
    assert "standard input: is read as it comes" in refused("predict", model, "-", "--split", "test", stdin=b"hoots")


@pytest.mark.parametrize("output", ["animals/docs.jsonl", "model.classmark", "new.csv", "link"])
def test_what_is_read_is_not_written_over(refused, model, animals, output):
    Path("new.csv").write_text("text\nhoots\n")
    Path("link").symlink_to("new.csv")
    data = "new.csv" if output in ("new.csv", "link") else animals
    assert re.search(rf"{re.escape(str(output))}:.*then replaced", refused("predict", model, data, "-o", output))


@pytest.mark.parametrize("output", ["missing/answers.jsonl", "animals"])
def test_a_place_that_cannot_be_written(refused, model, animals, output):
    assert "folder" in refused("predict", model, animals, "-o", output)


def test_labels_that_the_model_does_not_know_do_not_matter(run, model, folder, documents):
    expected = run("predict", model, folder("known", documents)).answers
    for document in documents:
        document["labels"] = ["emu"]
    assert run("predict", model, folder("unknown", documents)).answers == expected
    assert run("predict", model, folder("unlisted", documents, None)).answers == expected


def test_unlabelled_documents(run, model, folder, documents):
    expected = run("predict", model, folder("labelled", documents)).answers
    for document in documents:
        del document["labels"]
    assert run("predict", model, folder("unlabelled", documents)).answers == expected


@pytest.mark.parametrize("text", ["", "   ", "12", "xyzzy"])
def test_predict_text_without_known_terms_has_no_category_and_a_flag(run, model, text):
    line = json.dumps({"id": "x", "text": text}).encode()
    expected = {"id": "x", "labels": [], "no_known_terms": True}
    assert run("predict", model, "-", stdin=line).answers == [expected]
    assert run("predict", model, "-", "--top", "2", "--scores", stdin=line).answers == [expected | {"scores": {}}]
    run("predict", model, "-", "-o", "x.csv", "--scores", stdin=line + b"\n" + b"hoots")
    first, second = csv.DictReader(Path("x.csv").read_text().splitlines())
    assert first == {"id": "x", "labels": "", "scores": "", "no_known_terms": "true"}
    assert (second["labels"], second["no_known_terms"]) == (",".join(OWL), "false")


def test_features_are_terms_as_they_are(run, model, folder):
    documents = [{"features": {"hoots": 2, "hoot": 2, "unheard": 1}}, {"features": {"unheard": 1}}]
    answers = run("predict", model, folder("features", documents)).answers
    assert [answer["labels"] for answer in answers] == [OWL, []]
    assert answers[1]["no_known_terms"]


def test_a_table_without_labels(run, model):
    Path("new.csv").write_text('text\n"hoots\nat night, again"\n')
    assert run("predict", model, "new.csv").answers == [{"id": "1", "labels": OWL}]


def test_custom_columns(run, model):
    Path("new.tsv").write_text("number\tbody\nn1\thoots at night\n")
    answers = run("predict", model, "new.tsv", "--text-column", "body", "--id-column", "number").answers
    assert answers == [{"id": "n1", "labels": OWL}]


@pytest.mark.parametrize("top", ["0", "-1", "many"])
def test_a_wrong_top(refused, model, animals, top):
    assert "'--top'" in refused("predict", model, animals, "--top", top)


def test_missing_documents(refused, model):
    assert re.search(r"missing:.*no such file", refused("predict", model, "missing"))


def test_a_missing_model(refused, animals):
    assert "missing.classmark: no such model" in refused("predict", "missing.classmark", animals)


def test_more_than_a_batch_at_a_time(run, model):
    answers = run("predict", model, "-", stdin=b"hoots\nacorns\n" * 1500).answers
    assert [answer["id"] for answer in answers] == [str(number) for number in range(1, 3001)]
    assert {tuple(answer["labels"]) for answer in answers[::2]} == {tuple(OWL)}
    assert {tuple(answer["labels"]) for answer in answers[1::2]} == {("plant", "oak")}
