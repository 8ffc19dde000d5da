"""
Probabilities that mean what they say
=====================================

Of the answers with a probability of 0.8, eight in ten should be right. Naive Bayes is far too sure of itself. A model
with a `calibration` learns from held-out documents how often each score comes true.
"""

import matplotlib.pyplot as plt
import numpy as np

from classmark import TextClassifier, load_docstrings
from classmark.labels import encode
from classmark.metrics import expected_calibration_error

corpus = load_docstrings()
train, test = corpus.select(["train"]), corpus.select(["test"])
tree = corpus.hierarchy

# %%
# The documents that belong to a leaf, and the most probable leaf of each, by its probability in ten parts:

true = encode(test.labels, tree).indicator
rows = np.flatnonzero(true[:, tree.leaves].sum(axis=1) == 1)

fig, ax = plt.subplots(figsize=(5.6, 5.2), layout="constrained")
ax.plot([0, 1], [0, 1], color="grey", linewidth=1, label="as it should be")
for calibration, style in ((None, "s--"), ("softmax", "o-")):
    model = TextClassifier("nb-plus", hierarchy=tree, calibration=calibration).fit(train.documents, train.labels)
    chances = model.predict_proba([test.documents[row] for row in rows])
    found = expected_calibration_error(true[rows], chances, over="rows", nodes=tree.leaves)
    name = f"{calibration or 'as it is'}: off by {found.error:.2f} in the mean"
    ax.plot(found.predicted, found.observed, style, label=name)
ax.set_xlabel("probability")
ax.set_ylabel("how often it comes true")
ax.legend(loc="upper left")
plt.show()
