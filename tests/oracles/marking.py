"""What each word of a text is marked with, by the definition: every term, everywhere it stands, word by word."""

from collections.abc import Mapping, Sequence

from classmark.text import Analyser


def shares_of_words(words: Sequence[str], analyser: Analyser, shares: Mapping[str, float]) -> list[float]:
    """Give the share of each of some words, of which each is one token at most."""
    low, high = analyser.ngrams
    alone = Analyser(**{**analyser.get_params(), "ngrams": (1, 1)})
    kept = [(place, *alone.terms(word)) for place, word in enumerate(words) if alone.terms(word)]
    total = [0.0] * len(words)
    for term, share in shares.items():
        stands = [
            kept[first : first + count]
            for count in range(low, high + 1)
            for first in range(len(kept) - count + 1)
            if " ".join(one for _, one in kept[first : first + count]) == term
        ]
        for run in stands:
            for place, _ in run:
                total[place] += share / len(stands) / len(run)
    return total


def most_heard(units: Sequence[tuple[str, float]], longest: int) -> float:
    """Give the most of the shares, by absolute value, that neighbouring units of so many characters together have."""
    found = 0.0
    for first in range(len(units)):
        for last in range(first, len(units) + 1):
            if sum(len(text) for text, _ in units[first:last]) <= longest:
                found = max(found, sum(abs(share) for _, share in units[first:last]))
    return found
