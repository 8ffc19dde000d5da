"""
Where the tickets went
======================

Two ways to look at the mistakes of a model: which category they ended up in, and how far away that is in the tree.
The tickets are those of the :doc:`tutorial </tutorial>`.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from classmark import TextClassifier, read_corpus
from classmark.data import CorpusOptions
from classmark.data.splits import k_fold
from classmark.labels import encode
from classmark.metrics import ERROR_KINDS, error_kinds

options = CorpusOptions(text_column="body", label_column="category", path_separator="/")
corpus = read_corpus(Path("..", "tickets.csv"), options=options)
tree, labels = corpus.hierarchy, np.array([own[0] for own in corpus.labels])

# %%
# Five parts, each answered by a model that has learned from the other four:

answers = np.empty_like(labels)
for learned, held_out in k_fold(len(corpus), 5, seed=0):
    model = TextClassifier("linear-svm", hierarchy=tree)
    model.fit([corpus.documents[at] for at in learned], labels[learned])
    answers[held_out] = model.predict([corpus.documents[at] for at in held_out])

# %%
# Rows are true, columns are answers; lines part the top categories. What lies outside their blocks has gone astray.

names = [tree.names[node] for node in tree.leaves]
names.sort()
table = np.zeros((len(names), len(names)), dtype=int)
np.add.at(table, ([names.index(name) for name in labels], [names.index(name) for name in answers]), 1)

fig, (left, right) = plt.subplots(1, 2, figsize=(11, 5), width_ratios=(3, 2), layout="constrained")
left.imshow(table, cmap="Blues")
for (row, column), count in np.ndenumerate(table):
    if count:
        left.text(column, row, count, ha="center", va="center", color="white" if count > 9 else "black")
left.set_xticks(range(len(names)), names, rotation=60, ha="right")
left.set_yticks(range(len(names)), names)
tops = [name.split("/")[0] for name in names]
for border in (at - 0.5 for at in range(1, len(names)) if tops[at] != tops[at - 1]):
    left.axhline(border, color="grey", linewidth=0.8)
    left.axvline(border, color="grey", linewidth=0.8)
left.set_xlabel("answer")
left.set_ylabel("label")

kinds = error_kinds(encode(labels, tree).indicator, encode(answers, tree).indicator, tree)
counts = {ERROR_KINDS[kind]: int((kinds == kind).sum()) for kind in np.unique(kinds)}
bars = right.barh(list(counts), list(counts.values()))
right.bar_label(bars, padding=3)
right.invert_yaxis()
right.set_xlabel("tickets")
right.spines[["top", "right"]].set_visible(False)
plt.show()
