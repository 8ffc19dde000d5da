"""Vectors in place of terms, or beside them: the features of a text are the coordinates of its vector."""

from collections.abc import Iterable
from dataclasses import field
from typing import Any, Self

import msgspec
import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, hstack
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from classmark.errors import InputError
from classmark.parameters import Parameterized
from classmark.persistence import State, checked_array
from classmark.text.encoders.cache import cached
from classmark.text.encoders.kinds import Encoder, make_encoder, unit_vectors
from classmark.text.encoders.tokens import checked_texts
from classmark.text.settings import EncoderName, TextSettings
from classmark.text.vectoriser import TextVectoriser
from classmark.text.weighting import TermWeighting

Vectors = npt.NDArray[np.float64]

PROBE = "The quick brown fox jumps over the lazy dog."
"""A text by which an encoder is known again."""
ALIKE = 0.999
"""The least cosine of the probe's vectors by the same model: libraries and machines round differently."""
WITH_TERMS = "+terms"
"""What the name of an encoder ends with where terms stand beside its vectors."""
TERMS_WEIGHT = 0.5
"""The length of the row of terms beside a vector of length 1."""


class TextEncoder(Parameterized, TransformerMixin, BaseEstimator):
    """Turns texts into unit vectors by an encoder, in the place of a `TextVectoriser`.

    A blank text is a row of zeros. Vectors are kept on disk by content (`classmark.text.encoders.cache`). The encoder
    itself is never part of a model file: its name is, and the vector that it gives for one sentence, so that another
    encoder under the same name is refused.

    Attributes
    ----------
    probe_ : array, (n_coordinates,)
        The vector of the sentence.
    """

    encoder: EncoderName = field(default="sentence", kw_only=False)

    @property
    def vocabulary_(self) -> list[str]:
        """Names of the coordinates."""
        check_is_fitted(self)
        return [f"coordinate {number}" for number in range(1, self.probe_.size + 1)]

    def fit(self, documents: Iterable[Any], y: Any = None) -> Self:
        """Take up the encoder; there is nothing to learn from documents."""
        self._encode: Encoder = _encoder_called(self.encoder)
        self.probe_: Vectors = self._vectors([PROBE])[0]
        return self

    def fit_transform(self, documents: Iterable[Any], y: Any = None) -> csr_array:
        """Encode documents, read once."""
        return self.fit(()).transform(documents)

    def transform(self, documents: Iterable[Any]) -> csr_array:
        """Encode documents, some at a time: `(n_documents, n_coordinates)`."""
        check_is_fitted(self)
        if not hasattr(self, "_encode"):
            self._take_up()
        found = self._vectors(checked_texts(documents))
        return csr_array(found) if len(found) else csr_array((0, self.probe_.size))

    def to_state(self) -> State:
        """Give what a model file keeps of the encoder besides its name."""
        return {"probe": self.probe_}

    @classmethod
    def from_state(cls, encoder: str, state: State) -> Self:
        """Give an encoder of a model file; it is looked for when it is needed first."""
        found = cls(encoder)
        found.probe_ = checked_array(state, "probe", np.float64, (None,))
        return found

    def _take_up(self) -> None:
        self._encode = _encoder_called(self.encoder)
        probe = self._vectors([PROBE])[0]
        if probe.shape != self.probe_.shape or probe @ self.probe_ < ALIKE:
            del self._encode
            raise InputError(f"the encoder {self.encoder} is not the one that the model learned with; install that one")

    def _vectors(self, texts: Iterable[str]) -> Vectors:
        return np.asarray(unit_vectors(self._encode, texts))

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "probe_")

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in super().__getstate__().items() if name != "_encode"}


class VectorsAndTerms:
    """Turns texts into unit vectors by an encoder and weighted terms beside them, in the place of a `TextVectoriser`.

    A vector knows words that no training document has; terms tell names apart that are alike to an encoder.

    Parameters
    ----------
    text : TextSettings
        How terms are read and weighted; its encoder ends with `+terms`.
    """

    def __init__(self, text: TextSettings) -> None:
        self.text = text
        self.encoder = TextEncoder(text.encoder.removesuffix(WITH_TERMS))
        self.vectoriser, self.weighting = text.vectoriser(), text.term_weighting()

    @property
    def vocabulary_(self) -> list[str]:
        """Names of the coordinates, then the terms."""
        return [*self.encoder.vocabulary_, *self.vectoriser.vocabulary_]

    def fit_transform(self, documents: Iterable[Any], y: Any = None) -> csr_array:
        """Learn the terms of documents, whose texts are held meanwhile, and give their rows."""
        texts = list(checked_texts(documents))
        counts = self.vectoriser.fit_transform(texts)
        self.weighting = self.text.fitted_weighting(counts, self.vectoriser.runs_)
        return self._beside(self.encoder.fit_transform(texts), counts)

    def transform(self, documents: Iterable[Any]) -> csr_array:
        """Give the rows of documents, whose texts are held meanwhile: `(n_documents, n_coordinates + n_terms)`."""
        texts = list(checked_texts(documents))
        return self._beside(self.encoder.transform(texts), self.vectoriser.transform(texts))

    def _beside(self, vectors: csr_array, counts: csr_array) -> csr_array:
        return csr_array(hstack([vectors, TERMS_WEIGHT * self.weighting.transform(counts)], format="csr"))

    def to_state(self) -> State:
        """Give what a model file keeps besides the settings of text."""
        return self.encoder.to_state() | terms_state(self.vectoriser, self.weighting)

    @classmethod
    def from_state(cls, text: TextSettings, state: State) -> Self:
        """Take up what a model file has."""
        found = cls(text)
        found.encoder = TextEncoder.from_state(found.encoder.encoder, state)
        found.vectoriser, found.weighting = restored_terms(text, state)
        return found


def terms_state(vectoriser: TextVectoriser, weighting: TermWeighting) -> State:
    """Give what a model file keeps of how terms are counted and weighted, besides the settings of text."""
    return {"vocabulary": vectoriser.vocabulary_, "idf": weighting.idf_, "mean_length": weighting.mean_length_}


def restored_terms(text: TextSettings, state: State) -> tuple[TextVectoriser, TermWeighting]:
    """Give what counts and weighs the terms of a model file, refusing what cannot."""
    vocabulary = msgspec.convert(state["vocabulary"], list[str])
    weighting = text.term_weighting()
    weighting.idf_ = checked_array(state, "idf", np.float64, (len(vocabulary),))
    weighting.mean_length_ = float(state["mean_length"])
    if not (np.isfinite(weighting.idf_).all() and np.isfinite(weighting.mean_length_)):
        raise InputError("the model's 'idf' or 'mean_length' is not a number")
    weighting.n_features_in_ = len(vocabulary)
    return TextVectoriser.from_vocabulary(vocabulary, text.analyser()), weighting


def features_of(text: TextSettings) -> TextEncoder | VectorsAndTerms:
    """Give what makes rows of documents where that is not terms alone."""
    return VectorsAndTerms(text) if text.encoder.endswith(WITH_TERMS) else TextEncoder(text.encoder)


def restored_features(text: TextSettings, state: State) -> TextEncoder | VectorsAndTerms:
    """Give what made the rows of a model file."""
    if text.encoder.endswith(WITH_TERMS):
        return VectorsAndTerms.from_state(text, state)
    return TextEncoder.from_state(text.encoder, state)


def _encoder_called(name: str) -> Encoder:
    """Give an encoder, one that keeps its vectors where making them again would take longer than finding them."""
    encode = make_encoder(name)
    return cached(encode) if name.startswith("sentence") else encode
