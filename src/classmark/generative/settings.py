"""What the settings of generative classifiers may be, as a table; checked at the top of `fit`."""

from typing import Any

from classmark.checks import TRUTH, Allowed, choice, is_number, number, optional, whole


def _weights(value: Any) -> bool:
    return isinstance(value, list | tuple) and all(is_number(one) and one >= 0 for one in value) and sum(value) > 0


ALLOWED: Allowed = {
    "smoothing": number(above=0),
    "prior": TRUTH,
    "vocabulary": choice(["labelled", "all"]),
    "unseen_leaves": TRUTH,
    "scaling": optional(choice(["log-idf"])),
    "length": number(above=0),
    "growth_min_df": whole(1),
    "unlabelled_weight": number(least=0),
    "tolerance": number(least=0),
    "max_iter": whole(1),
    "growth": whole(0),
    "shrinkage": number(least=0, below=1),
    "level_weights": optional((_weights, "one number from 0 a level, not all 0")),
    "n_components": whole(1, 1000),
}
