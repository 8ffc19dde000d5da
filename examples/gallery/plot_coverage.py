"""
How much may stay with people
=============================

Not every answer must be given. Leave out those that the model is least sure of, and the others are right more often:
the curve says what each share costs.
"""

import matplotlib.pyplot as plt
import numpy as np

from classmark import TextClassifier, load_docstrings
from classmark.labels import encode
from classmark.metrics import coverage_curve

corpus = load_docstrings()
train, test = corpus.select(["train"]), corpus.select(["test"])
tree = corpus.hierarchy
true = encode(test.labels, tree).indicator
shares = np.linspace(0.05, 1, 20)

# %%
# An answer is as sure as the best category is ahead of the second best.

fig, ax = plt.subplots(figsize=(7, 4.2), layout="constrained")
for method, style in (("topdown-svm", "o-"), ("knn-bm25", "s--")):
    model = TextClassifier(method, hierarchy=tree).fit(train.documents, train.labels)
    X = model.transform(test.documents)
    first = model.classifier_.predict_first(X)
    ends = np.flatnonzero(encode(train.labels, tree).indicator.sum(axis=0))
    ranked = np.sort(model.classifier_.node_scores(X)[:, ends], axis=1)
    ahead = ranked[:, -1] - ranked[:, -2]
    curve = coverage_curve(true, model.predict_indicator(test.documents), first, ahead, tree, shares)
    ax.plot(shares, [point.accuracy for point in curve.points], style, markersize=4, label=method)

ax.set_xlabel("documents that are answered, the surest first")
ax.set_ylabel("first category right")
ax.xaxis.set_major_formatter(lambda share, _: f"{share:.0%}")
ax.grid(alpha=0.3)
ax.legend()
plt.show()
