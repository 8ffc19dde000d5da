"""
The documents behind an answer
==============================

A classifier of neighbours can show its evidence: the documents that voted, and how loud.
"""

import matplotlib.pyplot as plt

from classmark import TextClassifier, load_docstrings

corpus = load_docstrings()
train = corpus.select(["train"])
model = TextClassifier("knn-bm25", hierarchy=corpus.hierarchy).fit(train.documents, train.labels)

question = "Find the shortest path between two nodes of a sparse graph."
(answer,) = model.predict([question])
print(question, "→", *answer)

# %%
# `voters` gives the neighbours that voted for a category, the nearest first.

(voters,) = model.classifier_.voters(model.transform([question]), answer[0])
names = [train.ids[voter.document] for voter in voters[:10]]

fig, ax = plt.subplots(figsize=(8, 3.8), layout="constrained")
bars = ax.barh(names, [voter.vote for voter in voters[:10]])
ax.bar_label(bars, [f"similarity {voter.similarity:.1f}" for voter in voters[:10]], padding=3, fontsize=8)
ax.invert_yaxis()
ax.set_xlabel(f"vote for {answer[0]}")
ax.spines[["top", "right"]].set_visible(False)
ax.margins(x=0.15)
plt.show()
