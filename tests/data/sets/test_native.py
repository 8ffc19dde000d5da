import gzip
import json

from classmark import Hierarchy
from classmark.data import read_corpus
from classmark.data.formats.dataset import is_dataset
from classmark.data.formats.records import Record
from classmark.data.sets.source import write_records
from classmark.hierarchy.formats import NodeText
from classmark.progress import listening

RECORDS = [
    Record(line=1, id="a", document="an\nowl é", labels=["bird"], split="train"),
    Record(line=2, id="b", document={"cod": 2.0}, labels=None, split=None),
    Record(line=3, id="c", document="", labels=[], split="test"),
]


def test_comes_back_as_it_was(tmp_path):
    write_records(tmp_path, iter(RECORDS), Hierarchy.flat(["bird", "fish"]), {"bird": NodeText("Birds", "with wings")})
    corpus = read_corpus(tmp_path)
    assert corpus.ids == [record.id for record in RECORDS]
    assert corpus.documents == [record.document for record in RECORDS]
    assert corpus.labels == [record.labels for record in RECORDS]
    assert corpus.splits == [record.split for record in RECORDS]
    assert corpus.hierarchy.names == ("bird", "fish")
    assert (tmp_path / "nodes.tsv").read_text().splitlines()[-1] == "bird\tBirds\twith wings"
    assert is_dataset(tmp_path)


def test_without_a_hierarchy(tmp_path):
    write_records(tmp_path, RECORDS)
    assert [path.name for path in tmp_path.iterdir()] == ["docs.jsonl.gz"]


def test_bytes(tmp_path):
    write_records(tmp_path, RECORDS[:1])
    content = (tmp_path / "docs.jsonl.gz").read_bytes()
    assert content[4:8] == b"\0\0\0\0", "no time in the header"
    line = {"id": "a", "text": "an\nowl é", "labels": ["bird"], "split": "train"}
    assert json.loads(gzip.decompress(content)) == line


def test_progress(tmp_path):
    heard = []
    with listening(lambda *step: heard.append(step)):
        write_records(tmp_path, RECORDS, total=3)
    assert heard[-1] == ("documents", 3, 3)
