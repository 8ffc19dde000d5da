"""What the settings of neighbour classifiers may be, as a table; checked at the top of `fit`."""

from classmark.checks import Allowed, choice, number, optional, whole
from classmark.decision.dscut import is_by_rank
from classmark.index.scoring import IDFS, SCORINGS

BM25_SCORINGS: tuple[str, ...] = tuple(name for name, scoring in SCORINGS.items() if not scoring.is_overlap)

ALLOWED: Allowed = {
    "k": whole(1),
    "alpha": number(least=0),
    "k1": number(least=0),
    "b": number(least=0, most=1),
    "scoring": choice(BM25_SCORINGS),
    "idf": choice(IDFS),
    "terms": optional(whole(1)),
    "thresholds": (is_by_rank, "one number from 0 to 1 for each label that a document may have, such as (1, 0.6, 0.4)"),
    "n_labels": whole(1, 1000),
    "decay": number(least=0, most=1),
    "ancestors": number(least=0),
    "centroid": number(least=0),
    "borrow": number(least=0),
    "bayes": number(least=0),
    "descent": optional(number(above=0)),
}
