"""Texts to numbers, in three steps that know nothing of categories.

1. `Analyser` says what the terms of a text are (case, tokens, stop words, stems, n-grams). It learns nothing.
2. `TextVectoriser` learns which terms exist and gives each a column; a document becomes a row of counts.
   Ready-made features pass by the analyser and share the columns.
3. `TermWeighting` learns what a term is worth in the collection and turns counts into weights.

Counts and weights are apart because the methods differ in what they want: boosting wants presence, the
generative models want counts, linear ones tf-idf; they all share one vocabulary. Steps 2 and 3 are
scikit-learn transformers, each useful in a `Pipeline` without the other. What a step learns are plain
attributes (`vocabulary_`, `idf_`), so that a model file needs no pickle; what only makes it fast (stemmers,
memories of words seen) is built at the first use and never saved.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from classmark.text.settings import TextSettings
from classmark.text.stopwords import STOP_WORDS

if TYPE_CHECKING:
    from classmark.text.analyser import Analyser
    from classmark.text.vectoriser import TextVectoriser
    from classmark.text.weighting import TermWeighting

__all__ = ["STOP_WORDS", "Analyser", "TermWeighting", "TextSettings", "TextVectoriser"]

_MODULES = {"Analyser": "analyser", "TermWeighting": "weighting", "TextVectoriser": "vectoriser"}


def __getattr__(name: str) -> Any:
    """Import a class when it is first used, so that settings are listed without scikit-learn."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
