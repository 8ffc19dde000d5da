"""Tokens a second of `TextVectoriser`, beside scikit-learn's `CountVectorizer` with the same PyStemmer.

Both lower-case, find runs of letters, drop English stop words, stem with Porter and count, from cold, on the
same texts. The figure is CPU time, best of five, the two taking turns. Tokens are all matches of the pattern.
The texts are those of ``reuters90/docs.jsonl.gz`` in the folder that the environment variable CLASSMARK_DATA
names, or made up (Zipf's law) if there is none.
"""

from __future__ import annotations

import gzip
import json
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import Stemmer
from sklearn.feature_extraction.text import CountVectorizer
from timing import in_turns

from classmark.text import STOP_WORDS, Analyser, TextVectoriser
from classmark.text.analyser import TOKEN_PATTERNS

if TYPE_CHECKING:
    from collections.abc import Callable


class StemmingCountVectorizer(CountVectorizer):  # type: ignore[misc]
    """The usual way to put a stemmer into scikit-learn: around the analyzer it builds."""

    def build_analyzer(self) -> Callable[[str], list[str]]:
        """Return scikit-learn's analyzer with the stemmer behind it."""
        analyse = super().build_analyzer()
        stem_words = Stemmer.Stemmer("porter").stemWords

        def stemmed(text: str) -> list[str]:
            stems: list[str] = stem_words(analyse(text))
            return stems

        return stemmed


def real_texts() -> list[str]:
    """Return the texts of reuters90, or none if they are not there."""
    path = Path(os.environ.get("CLASSMARK_DATA", "")) / "reuters90" / "docs.jsonl.gz"
    if not path.is_file():
        return []
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line)["text"] for line in lines]


def made_up_texts(n_documents: int = 10_000, length: int = 120, n_words: int = 40_000) -> list[str]:
    """Return texts whose words have random letters and the frequencies of Zipf's law."""
    random = np.random.default_rng(0)
    letters = np.array(list("etaoinshrdlucmfwypvbgkjqxz"))
    frequent = sorted(STOP_WORDS["english"])
    rare = ["".join(random.choice(letters, size)) for size in random.integers(3, 12, n_words)]
    words = np.array([*frequent, *rare])
    shares = 1 / np.arange(1, len(words) + 1)
    drawn = random.choice(words, (n_documents, length), p=shares / shares.sum())
    return [" ".join(row) for row in drawn]


def ours(texts: list[str]) -> Any:
    """Count with classmark."""
    return TextVectoriser(Analyser(stop_words="english", stemmer="porter")).fit_transform(texts)


def theirs(texts: list[str]) -> Any:
    """Count with scikit-learn."""
    stop_words = sorted(STOP_WORDS["english"])
    pattern = TOKEN_PATTERNS["letters"]
    return StemmingCountVectorizer(token_pattern=pattern, stop_words=stop_words).fit_transform(texts)


def main() -> None:
    """Print the figures."""
    real = real_texts()
    texts = real or made_up_texts()
    find = re.compile(TOKEN_PATTERNS["letters"]).findall
    n_tokens = sum(len(find(text.lower())) for text in texts)
    our_best, their_best = in_turns(lambda: ours(texts), lambda: theirs(texts))
    print(f"{'reuters90' if real else 'made-up texts'}: {len(texts):,} documents, {n_tokens:,} tokens")
    print(f"classmark TextVectoriser            {n_tokens / our_best:12,.0f} tokens/s")
    print(f"scikit-learn + PyStemmer            {n_tokens / their_best:12,.0f} tokens/s")
    print(f"ratio                               {their_best / our_best:12.2f}")


if __name__ == "__main__":
    main()
