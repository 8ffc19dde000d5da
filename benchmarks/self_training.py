"""Self-training over several learners with few labels, by the protocol of path_prediction_2019.

Needs `newsgroups20` in the folder that the environment variable CLASSMARK_DATA names. Arguments are names of the rows
below, all of them by default; numbers among them are seeds, 100 to 102 by default. Micro- and macro-F1 over the 26
nodes with 1 % and 10 % of the labels, the standard deviation of micro-F1 of one seed, and the median CPU seconds of
training.
"""

import os
import sys
import warnings
from pathlib import Path
from typing import Any

from reproductions.experiments.few_labels import FEW_LABELS, FewLabels
from reproductions.surroundings import Surroundings

COUNTS: dict[str, Any] = {"weighting": "counts", "norm": None}
WORDS: dict[str, Any] = COUNTS | {"stemmer": None}
ROWS: dict[str, tuple[str, dict[str, Any]]] = {
    "nb": ("nb", {}),
    "nb-hard": ("self-training", WORDS | {"learner": "nb"}),
    "nb-soft": ("self-training", WORDS | {"learner": "nb", "kind": "soft"}),
    "em": ("em", {}),
    "em-all-terms": ("em", {"vocabulary": "all"}),
    "pcnb": ("pcnb", {}),
    "pcnb-hard": ("self-training", WORDS | {"learner": "pcnb"}),
    "pcnb-soft": ("self-training", WORDS | {"learner": "pcnb", "kind": "soft"}),
    "nb-plus": ("nb-plus", {}),
    "nb-plus-hard": ("self-training", COUNTS | {"learner": "nb-plus"}),
    "nb-plus-soft": ("self-training", COUNTS | {"learner": "nb-plus", "kind": "soft"}),
    "pcem-plus": ("pcem-plus", {}),
    "logistic": ("logistic", {"C": 10, "class_weight": "balanced"}),
    "logistic-hard": ("self-training", {}),
    "logistic-soft": ("self-training", {"kind": "soft"}),
}
"""The rows by name: a method, and its settings."""
RATES = (0.01, 0.1)


def row(name: str, seeds: list[int], surroundings: Surroundings) -> str:
    """Measure one row with every rate."""
    method, settings = ROWS[name]
    cells = []
    for rate in RATES:
        condition = FewLabels(
            corpus="newsgroups20",
            method=method,
            settings=settings,
            training=15_077,
            labelled=rate,
            seeds=len(seeds),
            first_seed=seeds[0],
            nodes=26,
        )
        (found,) = FEW_LABELS.run([condition], surroundings)
        micro, macro, deviation = (100 * found[key] for key in ("micro_f1", "macro_f1", "micro_f1.deviation"))
        cells.append(f"{micro:.1f} / {macro:.1f} | {deviation:.1f} | {found['train_seconds']:.1f}")
    return f"| {name} | {' | '.join(cells)} |"


def main() -> None:
    """Print the rows asked for."""
    warnings.simplefilter("ignore")
    folder = Path(os.environ.get("CLASSMARK_DATA", "nowhere"))
    if not (folder / "newsgroups20").is_dir():
        print("self-training: newsgroups20 is not here; set CLASSMARK_DATA")
        return
    seeds = sorted(int(one) for one in sys.argv[1:] if one.isdigit()) or [100, 101, 102]
    if seeds != list(range(seeds[0], seeds[0] + len(seeds))):
        print("self-training: give seeds that follow one another")
        return
    surroundings = Surroundings(folder)
    print("| row | 1 %: micro / macro | deviation | seconds | 10 %: micro / macro | deviation | seconds |")
    print("|---|--:|--:|--:|--:|--:|--:|")
    for name in [one for one in sys.argv[1:] if not one.isdigit()] or ROWS:
        print(row(name, seeds, surroundings), flush=True)


if __name__ == "__main__":
    main()
