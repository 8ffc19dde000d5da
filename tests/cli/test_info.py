import gzip
import json
import pickle
import re
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

import classmark

TREE = """
animal
├── bird
│   ├── owl
│   └── gull
└── fish
    └── cod
plant
└── oak
"""


def test_a_model(run, model):
    info = run("info", model, "--json").json
    assert (info["model"], info["method"], info["settings"], info["seed"]) == (model, "linear-svm", {}, 0)
    assert info["decision"] == "threshold,value=0.0,consistency=close,otherwise=nearest"
    assert info["because"] == "9 labelled documents are too few to learn another one from"
    assert info["hierarchy"] == "<Hierarchy: a tree of 8 categories, 4 leaves, depth 3>"
    assert info["bytes"] == Path(model).stat().st_size
    assert info["libraries"]["classmark"] == classmark.__version__


def test_a_model_for_people(run, model):
    said = run("info", model).out
    assert "\nmethod     linear-svm\n" in said
    assert "max_features none" in said
    assert "lowercase yes" in said


def test_the_selection(run, model, animals):
    assert run("info", model, "--json").json["selection"] is None
    run("train", animals, "-o", "small", "--select", "chi-square,n_terms=5")
    assert "\nselection  chi-square,n_terms=5\n" in run("info", "small").out
    info = run("info", "small", "--json").json
    assert (info["selection"], info["terms"]) == ("chi-square,n_terms=5", 5)
    assert run("info", model, "--json").json["terms"] > 5


@pytest.mark.parametrize("name", ["model", "model.bin"])
def test_a_model_by_another_name(run, trained, name):
    Path(name).write_bytes(trained)
    assert run("info", name, "--json").json["method"] == "linear-svm"


def test_a_corpus(run, folder, documents):
    documents += [{"text": "x", "labels": []}, {"text": "y"}, {"text": "z"}]
    assert run("info", folder("corpus", documents), "--json").json == {
        "corpus": "corpus",
        "documents": 18,
        "unlabelled": 2,
        "belonging_nowhere": 1,
        "splits": {"train": 9, "test": 6},
        "hierarchy": "<Hierarchy: a tree of 8 categories, 4 leaves, depth 3>",
    }


def test_a_corpus_without_splits_and_hierarchy(run):
    Path("docs.csv").write_text("text\nhoots\n")
    assert run("info", "docs.csv").out.splitlines()[-2:] == ["splits             none", "hierarchy          none"]


def test_a_table_with_its_own_columns(run):
    Path("shop.csv").write_text("sku,title,kinds,part\n7,a tent,outdoors>tents|camping,new\n8,a pan,,old\n")
    columns = ["--text-column", "title", "--label-column", "kinds", "--id-column", "sku", "--split-column", "part"]
    options = [*columns, "--label-separator", "|", "--path-separator", ">"]
    info = run("info", "shop.csv", "--json", *options).json
    assert (info["documents"], info["unlabelled"], info["splits"]) == (2, 1, {"new": 1, "old": 1})
    assert info["hierarchy"] == "<Hierarchy: a tree of 3 categories, 2 leaves, depth 2>"
    assert run("info", "shop.csv", "--json", *options, "--empty-labels", "nowhere").json["belonging_nowhere"] == 1


def test_paths_in_columns_of_a_file_of_another_name(run):
    Path("shop.txt").write_text("text,top,below\na tent,outdoors,tents\n")
    said = run("info", "shop.txt", "--kind", "csv", "--path-columns", "top,below", "--tree").out
    assert said.endswith("\noutdoors\n└── outdoors/tents\n")


def test_info_large_gzip_file_without_time_stamp_is_a_corpus(run):
    """Its first 8 bytes are a number below the size of the file, as the length of a safetensors header is."""
    words = np.random.default_rng(0).integers(0, 2**62, size=(2_000, 45))
    lines = (json.dumps({"text": " ".join(map(str, row)), "labels": ["owl"]}) + "\n" for row in words.tolist())
    content = gzip.compress("".join(lines).encode(), mtime=0)
    assert int.from_bytes(content[:8], "little") < len(content)
    Path("docs.jsonl.gz").write_bytes(content)
    assert run("info", "docs.jsonl.gz", "--json").json["documents"] == 2_000


def test_unknown_labels(run, refused, folder, documents):
    documents[0]["labels"] = ["emu"]
    name = folder("more", documents)
    assert "drop unknown labels (--unknown-labels drop, on_unknown='drop')" in refused("info", name)
    result = run("info", name, "--unknown-labels", "drop", "--json")
    assert "1 document(s) have no other label" in result.err
    assert result.json.get("belonging_nowhere", 0) == 0
    assert result.json["unlabelled"] == 1


def test_corpora_by_name(run, folder, documents, monkeypatch, inside):
    monkeypatch.setenv("CLASSMARK_DATA", str(inside / "shelf"))
    Path("shelf").mkdir()
    folder("shelf/animals", documents)
    assert run("info", "animals", "--json").json["documents"] == 15
    assert run("info", "docstrings", "--json").json["documents"] > 1000


@pytest.mark.parametrize("of", ["model", "corpus"])
def test_tree_with_titles(run, animals, of):
    Path(animals, "nodes.tsv").write_text("node\tname\tdescription\nbird\tfeathered\tIt flies.\noak\tQuercus\n")
    run("train", animals, "-o", "model")
    titled = TREE.replace("bird", "bird feathered").replace("oak", "oak Quercus")
    assert run("info", "model" if of == "model" else animals, "--tree").out.endswith(titled)


@pytest.mark.parametrize("of", ["model", "corpus"])
def test_tree(run, model, animals, of):
    path = model if of == "model" else animals
    assert run("info", path, "--tree").out.endswith(TREE)
    assert f"\n{run('info', path, '--tree', '--json').json['tree']}\n" == TREE


def test_a_missing_file(refused):
    assert re.search(r"missing:.*no such file", refused("info", "missing"))
    assert re.search(r"missing\.classmark:.*no such file", refused("info", "missing.classmark"))


class TestDamagedModels:
    """Whatever the file, every command says so in one line and nothing in it is executed."""

    @pytest.fixture(params=["info", "evaluate", "predict", "explain"])
    def use(self, request, refused, animals):
        rest = {"info": [], "explain": ["hoots"]}.get(request.param, [animals])
        return lambda path: refused(request.param, path, *rest)

    def test_truncated(self, use, trained):
        Path("cut.classmark").write_bytes(trained[: len(trained) // 2])
        assert "cut.classmark: not a classmark" in use("cut.classmark")

    def test_another_format_version(self, use, trained):
        newer = trained.replace(rb"\"format\":2", rb"\"format\":9")
        assert newer != trained
        Path("newer.classmark").write_bytes(newer)
        assert re.search(r"newer\.classmark: model format 9,.*classmark reads 2", use("newer.classmark"))

    def test_a_flipped_bit(self, use, trained):
        data = bytearray(trained)
        data[-1] ^= 1
        Path("flipped.classmark").write_bytes(data)
        assert re.search(r"flipped\.classmark:.*checksum.*not fit", use("flipped.classmark"))

    def test_a_pickle(self, use):
        class Trap:
            def __reduce__(self):
                return Path.touch, (Path("sprung"),)

        Path("pickle.classmark").write_bytes(pickle.dumps(Trap()))
        assert "pickle.classmark: not a classmark" in use("pickle.classmark")
        assert not Path("sprung").exists()

    def test_empty(self, use):
        Path("empty.classmark").touch()
        assert "empty.classmark: not a classmark" in use("empty.classmark")

    def test_a_stranger(self, use):
        save_file({"weights": np.zeros(3)}, "stranger.classmark")
        assert re.search(r"stranger\.classmark:.*not a classmark", use("stranger.classmark"))

    def test_a_text(self, use):
        Path("text.classmark").write_text("this is a text and no model")
        assert "text.classmark: not a classmark" in use("text.classmark")

    def test_a_flipped_bit_anywhere(self, refused, trained):
        for place in range(0, len(trained), 37):
            data = bytearray(trained)
            data[place] ^= 1 << place % 8
            Path("flipped.classmark").write_bytes(data)
            refused("info", "flipped.classmark")
