"""`train` holds no text: the same model as from a corpus in memory, in far less of it."""

import gzip
import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from classmark.data import write_corpus
from classmark.data.splits import hide_labels
from classmark.progress import listening
from classmark.service import training
from classmark.service.corpora import read
from classmark.service.recipes import Recipe
from classmark.service.training import fit
from classmark.weak import weak_labels
from tests.service.animals import LABELS, NAMES, TEXTS, TREE, corpus_of, write_dataset

MEGABYTE = 10**6
ROOT = Path(__file__).parent.parent.parent

# 100 MB of text.
MEASURE = """
import json, sys
from pathlib import Path
from classmark.service import recipes, training
from tests.memory import long_lines, peak

lines = long_lines("ab")
folder = Path(sys.argv[1])
small, large = folder / "small", folder / "large"
small.mkdir()
large.mkdir()
(small / "docs.jsonl").write_text("".join(lines))
for shard in range(4):
    with (large / f"docs-{shard}.jsonl").open("w") as file:
        while file.tell() < 25_000_000:
            file.writelines(lines)
del lines
training.train(str(small), str(folder / "model"), recipes.Recipe("pcnb"))
before = peak()
trained = training.train(str(large), str(folder / "model"), recipes.Recipe("pcnb"))
print(json.dumps({"documents": trained.documents, "above": peak() - before}))
"""


def write_shards(folder: Path) -> str:
    """Write the dataset as three files, the last of them compressed."""
    write_dataset(folder)
    lines = (folder / "docs.jsonl").read_bytes().splitlines(keepends=True)
    (folder / "docs.jsonl").unlink()
    (folder / "docs-0.jsonl").write_bytes(b"".join(lines[:3]))
    (folder / "docs-1.jsonl").write_bytes(b"".join(lines[3:7]))
    (folder / "docs-2.jsonl.gz").write_bytes(gzip.compress(b"".join(lines[7:])))
    return str(folder)


def write_as(folder: Path, form: str) -> tuple[str, str | None]:
    """Write the animals in a format; give the place, and the file of the hierarchy where it lies elsewhere."""
    if form == "shards":
        return write_shards(folder), None
    if form == "dataset":
        return write_dataset(folder), None
    if form == "files":
        write_corpus(corpus_of(LABELS[:4]), folder / form, kind="files")
        return str(folder / form), None
    documents, hierarchy = write_corpus(corpus_of(LABELS), folder / f"animals.{form}")
    return str(documents), str(hierarchy)


@pytest.mark.parametrize("form", ["jsonl", "jsonl.gz", "csv", "dataset", "files", "shards"])
@pytest.mark.parametrize("method", ["linear-svm", "pcem"])
def test_the_model_of_a_corpus_in_memory(tmp_path, form, method):
    data, hierarchy = write_as(tmp_path, form)
    recipe = Recipe(method)
    training.train(data, str(tmp_path / "stored"), recipe, hierarchy=hierarchy)
    held = read(data, hierarchy).part(None, "train")
    assert isinstance(held.documents, list)
    model, _ = fit(held, recipe)
    model.save(tmp_path / "held")
    assert (tmp_path / "stored").read_bytes() == (tmp_path / "held").read_bytes()


def test_splits_names_and_hidden_labels(tmp_path):
    data = write_shards(tmp_path)
    (tmp_path / "nodes.tsv").write_text(NAMES)
    recipe = Recipe("pcem", names=True, label_rate=0.5, seed=3)
    trained = training.train(data, str(tmp_path / "stored"), recipe, splits=["test", "train"])
    assert trained.documents == 2 * len(TEXTS)
    held = read(data).select(["test", "train"])
    model, _ = fit(replace(held, labels=hide_labels(held.labels, 0.5, seed=3)), recipe)
    model.save(tmp_path / "held")
    assert (tmp_path / "stored").read_bytes() == (tmp_path / "held").read_bytes()


def test_no_labels_at_all(tmp_path):
    (tmp_path / "docs-0.jsonl").write_text('{"text": "hoots"}\n{"text": "swims"}\n')
    with pytest.raises(ValueError, match="label") as caught:
        training.train(str(tmp_path), str(tmp_path / "model"))
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "model").exists()


@pytest.mark.parametrize("change", ["another text", "one less", "one more"])
def test_documents_that_change_between_the_two_readings(tmp_path, change):
    data = write_shards(tmp_path)
    shard = tmp_path / "docs-1.jsonl"
    lines = shard.read_text().splitlines(keepends=True)
    new = {
        "another text": [lines[0].replace("acorns", "galls"), *lines[1:]],
        "one less": lines[1:],
        "one more": [lines[0].replace("train3", "train9"), *lines],
    }[change]

    def rewrite(what: str, done: int, total: int | None) -> None:
        if (what, done) == ("documents", 0):
            shard.write_text("".join(new))

    with listening(rewrite), pytest.raises(ValueError, match=r"document [45] has changed since") as caught:
        training.train(data, str(tmp_path / "model"))
    assert str(caught.value).startswith(f"{data}: document ")
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "model").exists()


def test_a_broken_line_of_the_second_shard(tmp_path):
    data = write_shards(tmp_path)
    with (tmp_path / "docs-1.jsonl").open("a") as file:
        file.write("{\n")
    with pytest.raises(ValueError, match=r"docs-1\.jsonl:5: not valid JSON"):
        training.train(data, str(tmp_path / "model"))


def test_a_shard_is_not_written_over(tmp_path):
    data = write_shards(tmp_path)
    with pytest.raises(ValueError, match=r"docs-2\.jsonl\.gz:.*then replaced"):
        training.train(data, str(tmp_path / "docs-2.jsonl.gz"))


def test_both_readings_are_told(tmp_path):
    heard: list[tuple[str, int, int | None]] = []
    with listening(lambda *step: heard.append(step)):
        training.train(write_shards(tmp_path), str(tmp_path / "model"))
    assert ("reading", 10, None) in heard
    assert ("documents", 5, 5) in heard


@pytest.mark.parametrize("settings", [{}, {"headers": "subject"}])
def test_weak_labels_of_stored_documents(tmp_path, settings):
    data = write_shards(tmp_path)
    with (
        pytest.warns(UserWarning, match="the labels of 5 documents are not used"),
        pytest.warns(UserWarning, match=r"3 of 4.*no weakly labelled"),
    ):
        trained = training.train(data, str(tmp_path / "stored"), Recipe("pcem", settings=settings, encoder="terms"))
    assert trained.documents == 5
    held = read(data).part(None, "train")
    with pytest.warns(UserWarning, match=r"3 of 4.*no weakly labelled"):
        found = weak_labels(held.documents, TREE, dict(held.nodes) or None)
    model, _ = fit(replace(held, labels=found.labels), Recipe("pcem", settings=settings))
    model.save(tmp_path / "held")
    assert (tmp_path / "stored").read_bytes() == (tmp_path / "held").read_bytes()


def test_training_needs_far_less_memory_than_the_text(tmp_path):
    pytest.importorskip("resource")
    done = subprocess.run(
        [sys.executable, "-c", MEASURE, tmp_path], cwd=ROOT, capture_output=True, text=True, check=True
    )
    measured = json.loads(done.stdout)
    assert measured["documents"] > 10_000
    assert measured["above"] < 70 * MEGABYTE


def test_the_hierarchy_of_the_animals_is_read_with_shards(tmp_path):
    assert read(write_shards(tmp_path)).hierarchy == TREE
