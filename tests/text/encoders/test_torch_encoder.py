"""Encoders as torch modules: weights there and back, numpy beside torch, and what is refused."""

import json

import numpy as np
import pytest
from safetensors.numpy import save_file
from scipy.sparse import csr_array

torch = pytest.importorskip("torch", reason="encoders as torch modules need torch")
transformers = pytest.importorskip("transformers", reason="encoders as torch modules need transformers")
pytest.importorskip("tokenizers", reason="the extra embed is not installed")

from classmark.text.encoders.bert import Bert  # noqa: E402
from classmark.text.encoders.examples import Ragged  # noqa: E402
from classmark.text.encoders.folder import ModelFolder, SentenceEncoder  # noqa: E402
from classmark.text.encoders.torch_encoder import encoder_weights, make_encoder, mean_states  # noqa: E402
from tests.text.encoders.small_bert import CONFIG, LONGEST, WORDS, random_weights, write_model  # noqa: E402

SIZES = {
    "hidden_size": 12,
    "intermediate_size": 20,
    "num_hidden_layers": 2,
    "num_attention_heads": 3,
    "vocab_size": len(WORDS),
    "max_position_embeddings": 10,
}
CONFIGS = {
    "bert": SIZES,
    "roberta": SIZES | {"pad_token_id": 1, "type_vocab_size": 1},
    "xlm-roberta": SIZES | {"pad_token_id": 1, "type_vocab_size": 1},
    "mpnet": SIZES | {"pad_token_id": 1, "relative_attention_num_buckets": 32},
    "distilbert": {
        "dim": 12,
        "hidden_dim": 20,
        "n_layers": 2,
        "n_heads": 3,
        "vocab_size": len(WORDS),
        "max_position_embeddings": 10,
    },
}
CLASSES = {"xlm-roberta": "XLMRobertaModel", "roberta": "RobertaModel", "mpnet": "MPNetModel", "bert": "BertModel"}


def write_kind(folder, kind):
    """Write a random model of a kind as transformers has it."""
    write_model(folder)
    torch.manual_seed(0)
    model = getattr(transformers, CLASSES.get(kind, "DistilBertModel"))
    made = model(model.config_class(**CONFIGS[kind]))
    (folder / "config.json").write_text(json.dumps(made.config.to_dict()))
    save_file({name: value.numpy() for name, value in made.state_dict().items()}, folder / "model.safetensors")
    return made.eval()


def rows_of(lengths):
    random = np.random.default_rng(0)
    return Ragged.of([random.integers(0, len(WORDS), length).tolist() for length in lengths])


def numbered(rows, width=LONGEST):
    columns = np.concatenate([np.arange(length) for length in rows.lengths])
    return csr_array((rows.values + 1.0, columns, rows.starts), shape=(len(rows), width))


@pytest.mark.parametrize("kind", CONFIGS)
def test_there_and_back(tmp_path, kind):
    made = write_kind(tmp_path, kind)
    folder = ModelFolder(tmp_path)
    weights = folder.weights()
    encoder = make_encoder(folder.config, weights)
    back = encoder_weights(encoder)
    assert back.keys() == weights.keys()
    assert all((back[name] == weights[name]).all() and back[name].dtype == np.float32 for name in weights)
    rows = rows_of([3, 1, 8, 0, 5])
    found = mean_states(encoder, rows, 8, "cpu")
    for row in (0, 1, 2, 4):
        ids = torch.from_numpy(rows.take(np.array([row])).values)[None]
        with torch.no_grad():
            expected = made(input_ids=ids).last_hidden_state[0].mean(0).numpy()
        assert found[row] == pytest.approx(expected, abs=1e-5)
    assert not found[3].any()


@pytest.mark.parametrize("kind", CONFIGS)
def test_sentences_of_every_kind(tmp_path, kind):
    write_kind(tmp_path, kind)
    folder = ModelFolder(tmp_path)
    texts = ["the owl hoots", "night", ""]
    found = SentenceEncoder(tmp_path)(texts)
    rows = Ragged.of([[1, 2, 3], [5], []])
    expected = mean_states(make_encoder(folder.config, folder.weights()), rows, 8, "cpu")
    expected[:2] /= np.linalg.norm(expected[:2], axis=1, keepdims=True)
    assert found == pytest.approx(expected, abs=1e-5)


def test_numpy_equals_torch_at_every_length():
    rows = rows_of([*range(LONGEST + 1), *range(LONGEST + 1)])
    by_torch = mean_states(make_encoder(CONFIG, random_weights()), rows, LONGEST, "cpu")
    by_numpy = Bert(CONFIG, random_weights()).mean_states(numbered(rows))
    assert by_numpy.dtype == by_torch.dtype == np.float32
    assert np.abs(by_numpy - by_torch).max() < 2e-5


def test_the_rest_of_a_long_text_is_not_read():
    encoder = make_encoder(CONFIG, random_weights())
    found = mean_states(encoder, Ragged.of([[1, 2, 3], [1, 2]]), 2, "cpu")
    assert found[0] == pytest.approx(found[1], abs=1e-6)


def test_weights_of_half_size_do():
    halves = {name: values.astype(np.float16) for name, values in random_weights().items()}
    assert {value.dtype for value in make_encoder(CONFIG, halves).state_dict().values()} == {torch.float32}


def test_nothing_is_said_or_drawn(capfd):
    torch.manual_seed(0)
    before = torch.get_rng_state()
    strange = {"_name_or_path": "nowhere", "torch_dtype": "float16", "auto_map": {"AutoModel": "nowhere--code.Model"}}
    encoder = make_encoder(CONFIG | strange, random_weights())
    assert torch.equal(before, torch.get_rng_state())
    assert encoder.dtype == torch.float32
    assert not encoder.training
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("config", "changed", "words"),
    [
        ({"model_type": "gpt2"}, {}, "a gpt2 model; give one of bert, distilbert"),
        ({"hidden_size": 13}, {}, "transformers makes no encoder of these settings|multiple of"),
        ({"hidden_size": "wide"}, {}, "transformers makes no encoder of these settings"),
        ({"num_hidden_layers": 10**9}, {}, "1000000000 layers, but"),
        ({"vocab_size": 10**12}, {}, "word_embeddings.weight' has shape .* instead of .1000000000000, 12"),
        ({}, {"encoder.layer.1.output.dense.bias": None}, "weights have no 'encoder.layer.1.output.dense.bias'"),
        ({}, {"embeddings.LayerNorm.bias": np.zeros(3)}, r"LayerNorm.bias' has shape \(3,\) instead of \(12,\)"),
    ],
)
def test_bad_input(config, changed, words):
    weights = {name: value for name, value in (random_weights() | changed).items() if value is not None}
    with pytest.raises(ValueError, match=words) as error:
        make_encoder(CONFIG | config, weights)
    assert "\n" not in str(error.value)


def test_token_numbers_outside_the_vocabulary():
    with pytest.raises(ValueError, match="token number 6, but the encoder knows 6 tokens"):
        mean_states(make_encoder(CONFIG, random_weights()), Ragged.of([[6]]), 4, "cpu")
