"""Whether labels that are sure enough are right as often as promised: the second table of docs/probabilities.md.

Needs `reuters90` and `newsgroups20` in the folder that the environment variable CLASSMARK_DATA names.
"""

import os
from pathlib import Path

import numpy as np

from classmark import read_corpus
from classmark.labels import encode
from classmark.service.recipes import Recipe
from classmark.service.training import fit

CALIBRATIONS = {"reuters90": "platt", "newsgroups20": "softmax"}
"""The best for each corpus."""
CONFIDENCES = (0.8, 0.9, 0.95, 0.99)


def main() -> None:
    """Print the table."""
    places = [Path(os.environ.get("CLASSMARK_DATA", ""), name) for name in CALIBRATIONS]
    if not all(place.is_dir() for place in places):
        print("promises: the corpora are not here; set CLASSMARK_DATA")
        return
    print("| corpus | P | probability from | right, held out | no label, held out | right, test | no label, test |")
    print("|---|--:|--:|--:|--:|--:|--:|")
    for place in places:
        corpus = read_corpus(place)
        model, _ = fit(corpus.select(["train"]), Recipe(calibration=CALIBRATIONS[place.name]))
        test, tree = corpus.select(["test"]), model.hierarchy_
        true = tree.close(encode([list(labels or ()) for labels in test.labels], tree).indicator)
        X, promise = model.transform(test.documents), model.classifier_.promise_
        assert promise is not None
        for confidence in CONFIDENCES:
            promised = promise.at(confidence)
            own = encode(model.classifier_.predict_sure(X, confidence), tree).indicator
            found = (own.multiply(true).nnz / own.nnz, np.mean(np.diff(own.indptr) == 0))
            figures = " | ".join(f"{share:.3f}" for share in (promised.right, promised.without, *found))
            print(f"| `{place.name}` | {confidence} | {promised.probability:g} | {figures} |")


if __name__ == "__main__":
    main()
