"""What term selection does to a classifier: linear-svm on `reuters90`, the table of docs/selection.md.

Needs `reuters90` in the folder that the environment variable CLASSMARK_DATA names.
"""

import os
from pathlib import Path

from classmark import read_corpus
from classmark.service.judging import evaluate_model
from classmark.service.recipes import Recipe
from classmark.service.training import fit

SELECTIONS = (
    None,
    "information-gain,per_category=60",
    "information-gain,share=0.1",
    "information-gain,share=0.1,globalise=max",
    "information-gain,share=0.1,globalise=weighted-mean",
    "chi-square,share=0.1",
    "chi-square,share=0.1,globalise=max",
    "odds-ratio,share=0.1",
    "document-frequency,share=0.1",
    "information-gain,share=0.04",
    "chi-square,share=0.04,globalise=max",
)


def main() -> None:
    """Print the table."""
    folder = Path(os.environ.get("CLASSMARK_DATA", ""), "reuters90")
    if not folder.is_dir():
        print("selection: reuters90 is not here; set CLASSMARK_DATA")
        return
    corpus = read_corpus(folder)
    print("| selection | terms | leaf micro-F1 | leaf macro-F1 | hF |\n|---|--:|--:|--:|--:|")
    for selection in SELECTIONS:
        model, _ = fit(corpus.select(["train"]), Recipe(selection=selection))
        found = evaluate_model(model, corpus.select(["test"])).figures
        leaves, hierarchical = found["leaves"], found["hierarchical"]
        name = "none" if selection is None else f"`{selection}`"
        print(
            f"| {name} | {len(model.vectoriser_.vocabulary_):,} | {leaves['micro_f1']:.3f} "
            f"| {leaves['macro_f1']:.3f} | {hierarchical['hf']:.3f} |"
        )


if __name__ == "__main__":
    main()
