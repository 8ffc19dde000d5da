"""
Boosting, round by round
========================

AdaBoost.MH takes one term in each round, for all categories; MP-Boost takes one for each category. How good are they
after how many rounds?
"""

import matplotlib.pyplot as plt
import numpy as np

from classmark import AdaBoostMH, MPBoost, TextVectoriser, load_docstrings
from classmark.labels import encode

corpus = load_docstrings()
train, test = corpus.select(["train"]), corpus.select(["test"])
tree = corpus.hierarchy

# %%
# Whether a term is there is all that counts here, so rows are 0 or 1.

vectoriser = TextVectoriser(binary=True, min_df=3)
X, X_test = vectoriser.fit_transform(train.documents), vectoriser.transform(test.documents)
true = encode(test.labels, tree).indicator.toarray()

# %%
# `staged_node_scores` gives the scores after each round.

rounds = 150
fig, ax = plt.subplots(figsize=(7, 4.2), layout="constrained")
for name, booster, style in (("AdaBoost.MH", AdaBoostMH, "--"), ("MP-Boost", MPBoost, "-")):
    model = booster(hierarchy=tree, n_estimators=rounds).fit(X, train.labels)
    ends = np.flatnonzero(encode(train.labels, tree).indicator.sum(axis=0))
    right = [
        true[np.arange(len(true)), ends[scores[:, ends].argmax(axis=1)]].mean()
        for scores in model.staged_node_scores(X_test)
    ]
    ax.plot(np.arange(1, len(right) + 1), right, style, label=name)
ax.set_xlabel("rounds")
ax.set_ylabel("first category right")
ax.grid(alpha=0.3)
ax.legend()
plt.show()

# %%
# The first terms that AdaBoost.MH has chosen, in order; each is a question that people can read.

model = AdaBoostMH(hierarchy=tree, n_estimators=12).fit(X, train.labels)
print(", ".join(vectoriser.vocabulary_[pivot] for pivot in np.ravel(model.pivots_)))
