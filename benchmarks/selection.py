"""CPU time of term selection on 50,000 terms × 1,000 categories, beside scikit-learn's chi-square on the same counts.

The problem: 20,000 documents with one category each, about five million pairs of a term and a category that occur
together. Everything must take less than a second.

The peer is `sklearn.feature_selection.chi2`, which takes all categories at once but answers with one value a term: it
compares the sums of the counts in the categories with those to be expected, and never looks at a pair's own 2 × 2
table. Values for each pair, which every globalisation needs, take one call a category; twenty are timed and scaled.
"""

from functools import partial

import numpy as np
from scipy.sparse import csr_array
from sklearn.feature_selection import chi2
from timing import in_turns

from classmark.selection import GLOBALISATIONS, SCORES, score_pairs
from classmark.selection.scores import round_robin

N_DOCUMENTS, N_TERMS, N_CATEGORIES = 20_000, 50_000, 1_000
N_TERMS_A_DOCUMENT = 260
N_KEPT = 5_000
PER_CATEGORY = 60
N_PEER_CALLS = 20
SEED = 0
LIMIT = 1.0


def make_problem(rng: np.random.Generator) -> tuple[csr_array, csr_array]:
    """Draw documents of evenly spread terms, each in one category; a term may be drawn twice and counts once."""
    rows = np.repeat(np.arange(N_DOCUMENTS), N_TERMS_A_DOCUMENT)
    columns = rng.integers(N_TERMS, size=rows.size)
    X = csr_array((np.ones(rows.size), (rows, columns)), shape=(N_DOCUMENTS, N_TERMS))
    X.data[:] = 1.0
    categories = rng.integers(N_CATEGORIES, size=N_DOCUMENTS)
    shape = (N_DOCUMENTS, N_CATEGORIES)
    return X, csr_array((np.ones(N_DOCUMENTS, dtype=bool), categories, np.arange(N_DOCUMENTS + 1)), shape=shape)


def report(name: str, seconds: float) -> None:
    """Print one of our times, and whether it is under the limit."""
    print(f"{name:<46}{seconds:8.3f}   {'under' if seconds < LIMIT else 'OVER'} {LIMIT:.0f} s")


def main() -> None:
    """Measure and print."""
    X, labels = make_problem(np.random.default_rng(SEED))
    pairs = score_pairs(X, labels)
    print(
        f"{N_DOCUMENTS:,} documents × {N_TERMS:,} terms × {N_CATEGORIES:,} categories, "
        f"{pairs.together.nnz:,} pairs occur together; CPU seconds, best of five"
    )
    scoring = dict(zip(SCORES, in_turns(*(partial(score_pairs, X, labels, name) for name in SCORES)), strict=True))
    for name, seconds in scoring.items():
        report(f"score_pairs, {name}", seconds)
    ranking = {f"{name}, {N_KEPT:,} terms": partial(rank, pairs, N_KEPT) for name, rank in GLOBALISATIONS.items()}
    ranking[f"{PER_CATEGORY} terms a category"] = partial(round_robin, pairs, PER_CATEGORY)
    for name, seconds in zip(ranking, in_turns(*ranking.values()), strict=True):
        report(f"information-gain + {name}", scoring["information-gain"] + seconds)

    targets = [labels.indices == category for category in range(N_PEER_CALLS)]
    at_once, one_by_one = in_turns(partial(chi2, X, labels.indices), lambda: [chi2(X, target) for target in targets])
    print(f"{'scikit-learn chi2, one value a term':<46}{at_once:8.3f}")
    scaled = one_by_one * N_CATEGORIES / N_PEER_CALLS
    times = scaled / scoring["chi-square"]
    print(f"{'scikit-learn chi2, a value a pair, scaled':<46}{scaled:8.3f}   {times:.0f} × ours")


if __name__ == "__main__":
    main()
