"""
A taxonomy at a glance
======================

The embedded corpus as an icicle: each category lies below its parent, as wide as it has documents, and as dark as the
model is good at it.
"""

import matplotlib.pyplot as plt
import numpy as np

from classmark import TextClassifier, load_docstrings
from classmark.labels import encode

corpus = load_docstrings()
train, test = corpus.select(["train"]), corpus.select(["test"])
tree = corpus.hierarchy
model = TextClassifier("linear-svm", hierarchy=tree).fit(train.documents, train.labels)

# %%
# Documents and F1 of each category, those below it included:

true = tree.close(encode(test.labels, tree).indicator).toarray()
answered = model.predict_indicator(test.documents).toarray()
right = (true & answered).sum(axis=0)
f1 = 2 * right / np.maximum(true.sum(axis=0) + answered.sum(axis=0), 1)
size = tree.close(encode(corpus.labels, tree).indicator).toarray().sum(axis=0)

# %%
# A category begins where its parent does, behind its larger siblings:

start = np.zeros(len(tree))
behind = 0.0
for node in sorted(tree.tops, key=lambda node: -size[node]):
    start[node], behind = behind, behind + size[node]
for node in range(len(tree)):
    behind = start[node]
    for child in sorted(tree.child_positions(node), key=lambda child: -size[child]):
        start[child], behind = behind, behind + size[child]

fig, ax = plt.subplots(figsize=(11, 4.5), layout="constrained")
colours = plt.cm.ScalarMappable(norm=plt.Normalize(0.4, 1), cmap="YlGnBu")
for node, name in enumerate(tree.names):
    level, left, width = tree.levels[node], start[node], size[node]
    ax.barh(-level, width, left=left, height=0.96, color=colours.to_rgba(f1[node]), edgecolor="white", linewidth=0.6)
    if width > 130:
        style = {"color": "white" if f1[node] > 0.75 else "black", "rotation": 90 if width < 420 else 0}
        ax.text(left + width / 2, -level, name.rsplit(".", 1)[-1], ha="center", va="center", fontsize=9, **style)
ax.set_yticks(-np.arange(1, tree.depth + 1), [f"level {level}" for level in range(1, tree.depth + 1)])
ax.set_xlabel("documents")
ax.spines[["top", "right", "left"]].set_visible(False)
fig.colorbar(colours, ax=ax, label="F1 on the test documents")
ax.set_title("The documentation of numpy, scipy and scikit-learn by module")
plt.show()
