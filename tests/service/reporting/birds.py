"""A small corpus whose categories can be learned, confused and doubted."""

import numpy as np

from classmark import Hierarchy
from classmark.data import Corpus

TREE = Hierarchy.from_paths(["bird/owl", "bird/gull", "plant/oak", "plant/</div>"])
GRAPH = Hierarchy.from_edges(
    [(None, "bird"), (None, "sea"), ("bird", "owl"), ("bird", "gull"), ("sea", "gull"), ("sea", "cod")]
)
WORDS = {
    "owl": "hoots night barn wings silent mouse",
    "gull": "cries sea harbour wings fish wind",
    "oak": "acorns wood leaves shade old forest",
    "</div>": "<script> markup tag broken page leaves",
    "cod": "fins sea water fish nets cold",
}
ODD = ["", "<script>alert(1)</script> & </textarea>", "‮שלום עולם‬ hoots", "hoots at night " * 7000]
"""Texts that a page might stumble over."""


def birds(hierarchy: Hierarchy = TREE, size: int = 96, several: bool = False) -> Corpus:
    """Give documents of a few words of their category, a third of them to test; some are labelled wrongly."""
    random = np.random.default_rng(0)
    leaves = [str(hierarchy.names[leaf]) for leaf in hierarchy.leaves]
    texts, labels = [], []
    for number in range(size):
        label = leaves[number % len(leaves)]
        words = WORDS[label.split("/", 1)[-1]].split()
        own = f"x{chr(97 + number % 26)}{chr(97 + number // 26)}"
        texts.append(f"{' '.join(random.choice(words, 4))} the common word {own}")
        wrong = leaves[(number + 1) % len(leaves)] if number % 16 == 5 else label
        labels.append([wrong, leaves[0]] if several and number % 3 == 0 and wrong != leaves[0] else [wrong])
    splits = ["test" if number % 3 == 2 else "train" for number in range(size)]
    texts[2 : 2 + 3 * len(ODD) : 3] = ODD
    return Corpus([f"d{number}" for number in range(size)], texts, labels, splits, hierarchy, "birds")
