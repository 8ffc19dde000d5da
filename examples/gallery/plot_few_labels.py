"""
What unlabelled documents are worth
===================================

Labels are dear and documents are cheap. With fewer and fewer labelled documents, naive Bayes falls off; a method that
learns from the others too (`pcem-plus`) falls off less.
"""

import matplotlib.pyplot as plt

from classmark import TextClassifier, load_docstrings
from classmark.data.splits import hide_labels

corpus = load_docstrings()
train, test = corpus.select(["train"]), corpus.select(["test"])

# %%
# Labels are hidden, not documents: `None` stands for each of them.

shares = [0.02, 0.05, 0.15, 0.5]
curves = {"nb": [], "nb-plus": [], "pcem-plus": []}
for share in shares:
    kept = hide_labels(train.labels, share, seed=1)
    for method, curve in curves.items():
        learned = [at for at, labels in enumerate(kept) if labels is not None or method == "pcem-plus"]
        model = TextClassifier(method, hierarchy=corpus.hierarchy)
        model.fit([train.documents[at] for at in learned], [kept[at] for at in learned])
        curve.append(model.score(test.documents, test.labels))

# %%
# *hF* counts a category with all that lie above it.

fig, ax = plt.subplots(figsize=(7, 4.2), layout="constrained")
for (method, curve), style in zip(curves.items(), ("o:", "s--", "D-"), strict=True):
    ax.plot(shares, curve, style, label=method)
ax.set_xscale("log")
ax.set_xticks(shares, [f"{share:.0%}" for share in shares], minor=False)
ax.minorticks_off()
ax.set_xlabel("labelled documents")
ax.set_ylabel("hF on the test documents")
ax.grid(alpha=0.3)
ax.legend()
plt.show()
