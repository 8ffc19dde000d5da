"""Train a classifier on the embedded corpus, evaluate it and ask it about a sentence.

The corpus is the documentation of the installed numpy, scipy and scikit-learn; its categories are their modules.
"""

from classmark import TextClassifier, load_docstrings
from classmark.explain import explain, to_text

SENTENCE = "Interpolate scattered points by a spline."


def main() -> None:
    """Run the example."""
    corpus = load_docstrings()
    train, test = corpus.select(["train"]), corpus.select(["test"])
    print(corpus)

    model = TextClassifier("linear-svm", hierarchy=corpus.hierarchy)
    model.fit(train.documents, train.labels)
    print(f"hF on {len(test)} test documents: {model.score(test.documents, test.labels):.3f}")

    print(f"\n“{SENTENCE}” belongs to {model.predict([SENTENCE])[0][0]}, because:\n")
    print(to_text(explain(model, SENTENCE, top=5)))


if __name__ == "__main__":
    main()
