import pickle
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
    assert info["decision"] == "threshold,value=0.0,consistency=close"
    assert info["hierarchy"] == "<Hierarchy: a tree of 8 categories, 4 leaves, depth 3>"
    assert info["bytes"] == Path(model).stat().st_size
    assert info["libraries"]["classmark"] == classmark.__version__


def test_a_model_for_people(run, model):
    said = run("info", model).out
    assert "\nmethod     linear-svm\n" in said
    assert "max_features none" in said
    assert "lowercase yes" in said


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
        "belonging nowhere": 1,
        "splits": {"train": 9, "test": 6},
        "hierarchy": "<Hierarchy: a tree of 8 categories, 4 leaves, depth 3>",
    }


def test_a_corpus_without_splits_and_hierarchy(run):
    Path("docs.csv").write_text("text\nhoots\n")
    assert run("info", "docs.csv").out.splitlines()[-2:] == ["splits             none", "hierarchy          none"]


@pytest.mark.parametrize("of", ["model", "corpus"])
def test_tree(run, model, animals, of):
    path = model if of == "model" else animals
    assert run("info", path, "--tree").out.endswith(TREE)
    assert f"\n{run('info', path, '--tree', '--json').json['tree']}\n" == TREE


def test_a_missing_file(refused):
    assert "missing: there is no such file or folder" in refused("info", "missing")
    assert "missing.classmark: there is no such file or folder" in refused("info", "missing.classmark")


class TestDamagedModels:
    """Whatever the file, every command says so in one line and nothing in it is executed."""

    @pytest.fixture(params=["info", "evaluate", "predict", "explain"])
    def use(self, request, refused, animals):
        rest = {"info": [], "explain": ["hoots"]}.get(request.param, [animals])
        return lambda path: refused(request.param, path, *rest)

    def test_truncated(self, use, trained):
        Path("cut.classmark").write_bytes(trained[: len(trained) // 2])
        assert "cut.classmark: not a classmark model, or a damaged one" in use("cut.classmark")

    def test_another_format_version(self, use, trained):
        newer = trained.replace(rb"\"format\":1", rb"\"format\":9")
        assert newer != trained
        Path("newer.classmark").write_bytes(newer)
        assert "newer.classmark: model format 9, this version of classmark reads 1" in use("newer.classmark")

    def test_a_flipped_bit(self, use, trained):
        data = bytearray(trained)
        data[-1] ^= 1
        Path("flipped.classmark").write_bytes(data)
        assert "flipped.classmark: the checksum does not fit" in use("flipped.classmark")

    def test_a_pickle(self, use):
        class Trap:
            def __reduce__(self):
                return Path.touch, (Path("sprung"),)

        Path("pickle.classmark").write_bytes(pickle.dumps(Trap()))
        assert "pickle.classmark: not a classmark model" in use("pickle.classmark")
        assert not Path("sprung").exists()

    def test_empty(self, use):
        Path("empty.classmark").touch()
        assert "empty.classmark: not a classmark model" in use("empty.classmark")

    def test_a_stranger(self, use):
        save_file({"weights": np.zeros(3)}, "stranger.classmark")
        assert "stranger.classmark: a safetensors file, but not a classmark model" in use("stranger.classmark")

    def test_a_text(self, use):
        Path("text.classmark").write_text("this is a text and no model")
        assert "text.classmark: not a classmark model" in use("text.classmark")

    def test_a_flipped_bit_anywhere(self, refused, trained):
        for place in range(0, len(trained), 37):
            data = bytearray(trained)
            data[place] ^= 1 << place % 8
            Path("flipped.classmark").write_bytes(data)
            refused("info", "flipped.classmark")
