"""A slow, obvious twin of `classmark.text`: characters one by one, `Counter`s, plain lists."""

from __future__ import annotations

import unicodedata
from collections import Counter
from typing import TYPE_CHECKING

import Stemmer

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence


def tokens(text: str, *, digits: bool) -> list[str]:
    """Return the runs of letters, or of letters and digits."""
    found = [""]
    for char in text:
        if char.isalnum() and (digits or not char.isdecimal()):
            found[-1] += char
        else:
            found.append("")
    return [token for token in found if token]


def terms(
    text: str,
    *,
    lowercase: bool = True,
    token_pattern: str = "letters",
    stop_words: Collection[str] = (),
    stemmer: str | None = None,
    remove_numbers: bool = False,
    min_length: int = 1,
    ngrams: tuple[int, int] = (1, 1),
) -> list[str]:
    """Return the terms of a text; the parameters are those of `Analyser`, stop words always a collection."""
    text = unicodedata.normalize("NFC", text)
    if lowercase:
        text = text.lower()

    kept = []
    for token in tokens(text, digits=token_pattern == "words"):
        if len(token) < min_length or token.lower() in stop_words:
            continue
        if remove_numbers and all(char.isdigit() for char in token):
            continue
        stem = token if stemmer is None else Stemmer.Stemmer(stemmer).stemWord(token)
        if stem:
            kept.append(stem)

    joined = []
    for n in range(ngrams[0], ngrams[1] + 1):
        shifted = [kept[start:] for start in range(n)]
        joined += [" ".join(neighbours) for neighbours in zip(*shifted, strict=False)]
    return joined


def count(
    documents: Sequence[str | Mapping[str, float]],
    analyse: Callable[[str], list[str]],
    *,
    binary: bool = False,
    min_df: float = 1,
    max_df: float = 1.0,
    max_features: int | None = None,
) -> tuple[list[str], list[list[float]]]:
    """Return the vocabulary and the dense rows; the parameters are those of `TextVectoriser`."""
    bags: list[dict[str, float]] = []
    for document in documents:
        bag = dict(Counter(analyse(document))) if isinstance(document, str) else dict(document)
        bags.append({term: 1.0 if binary else float(n) for term, n in bag.items() if n > 0})

    low = min_df if isinstance(min_df, int) else min_df * len(documents)
    high = max_df if isinstance(max_df, int) else max_df * len(documents)
    vocabulary = []
    for term in sorted({term for bag in bags for term in bag}):
        df = sum(term in bag for bag in bags)
        if low <= df <= high:
            vocabulary.append(term)

    def rank(term: str) -> tuple[float, str]:
        return -sum(bag.get(term, 0.0) for bag in bags), term

    if max_features is not None:
        vocabulary = sorted(sorted(vocabulary, key=rank)[:max_features])
    return vocabulary, [[bag.get(term, 0.0) for term in vocabulary] for bag in bags]
