"""Folders of models: the forms that weights come in, and files that are none."""

import json

import numpy as np
import pytest
from safetensors.numpy import save, save_file

from classmark.text.encoders.folder import ModelFolder
from classmark.text.encoders.kinds import find_folder
from tests.text.encoders.small_bert import CONFIG, LONGEST, random_weights, write_model

pytest.importorskip("tokenizers", reason="the extra embed is not installed")


@pytest.fixture
def folder(tmp_path):
    return write_model(tmp_path / "bert")


def same(found, expected, error=0.0):
    assert found.keys() == expected.keys()
    for name, values in found.items():
        assert values.dtype == np.float32
        assert values == pytest.approx(expected[name], rel=error, abs=1e-7)


def test_what_a_folder_has(folder):
    model = ModelFolder(folder)
    assert (model.config, model.kind, model.longest) == (CONFIG, "bert", LONGEST)
    assert model.tokeniser(128).max_tokens == LONGEST
    assert model.tokeniser(2).transform(["owl hoots the"]).toarray().tolist() == [[3, 4]]
    same(model.weights(), random_weights())


def test_weights_within_a_larger_model_and_under_old_names(folder):
    old = {".LayerNorm.weight": ".LayerNorm.gamma", ".LayerNorm.bias": ".LayerNorm.beta"}
    weights = {"cls.predictions.bias": np.zeros(3, np.float32), "bert.pooler.dense.bias": np.zeros(3, np.float32)}
    weights["bert.embeddings.position_ids"] = np.arange(LONGEST)
    for name, values in random_weights().items():
        for new, before in old.items():
            name = name.replace(new, before)
        weights[f"bert.{name}"] = values
    save_file(weights, folder / "model.safetensors")
    same(ModelFolder(folder).weights(), random_weights())


def test_weights_as_half_numbers(folder):
    save_file({name: w.astype(np.float16) for name, w in random_weights().items()}, folder / "model.safetensors")
    same(ModelFolder(folder).weights(), random_weights(), 1e-3)


def test_weights_as_bfloat16(folder):
    halves = {name: (w.view(np.uint32) >> 16).astype(np.uint16) for name, w in random_weights().items()}
    content = save(halves)
    length = int.from_bytes(content[:8], "little")
    header = content[8 : 8 + length].replace(b'"U16"', b'"BF16"')
    (folder / "model.safetensors").write_bytes(len(header).to_bytes(8, "little") + header + content[8 + length :])
    same(ModelFolder(folder).weights(), random_weights(), 1e-2)


def test_kinds_whose_positions_begin_later(folder):
    (folder / "config.json").write_text(json.dumps(CONFIG | {"model_type": "roberta"}))
    assert ModelFolder(folder).longest == LONGEST - 2


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("config.json", None, "no config.json there; give the folder of a BERT model"),
        ("config.json", "{", "not the configuration"),
        ("config.json", "[]", "not the configuration"),
        ("config.json", json.dumps(CONFIG | {"model_type": "gpt2"}), r"a gpt2 model; give.*bert, distilbert"),
        ("config.json", json.dumps(CONFIG | {"model_type": ["bert"]}), r"a \['bert'\] model; give"),
        ("config.json", json.dumps(CONFIG | {"max_position_embeddings": 0}), "max_position_embeddings is 0, which"),
        ("tokenizer.json", "{}", "tokenizer.json: the tokenizer cannot be read"),
        ("tokenizer.json", b"\xff", "tokenizer.json: .* can't decode"),
        ("model.safetensors", None, "no model.safetensors there"),
        ("model.safetensors", "nonsense", "model.safetensors: damaged, or no file of weights"),
    ],
)
def test_bad_input(folder, name, content, words):
    (folder / name).unlink()
    if content is not None:
        (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(ValueError, match=words) as error:
        model = ModelFolder(folder)
        model.tokeniser(8)
        model.weights()
    assert "\n" not in str(error.value)


def test_the_folder_of_an_encoder(folder):
    assert find_folder(f"sentence:{folder}") == folder


@pytest.mark.parametrize(
    ("encoder", "words"),
    [
        ("terms", r"encoder terms:.*encoder with layers"),
        ("static:folder", r"encoder static:.*encoder with layers"),
        ("nonsense", "unknown encoder 'nonsense'"),
        ("sentence:nowhere", r"encoder sentence:nowhere:.*no such folder"),
    ],
)
def test_no_folder_of_an_encoder(encoder, words):
    with pytest.raises(ValueError, match=words):
        find_folder(encoder)
