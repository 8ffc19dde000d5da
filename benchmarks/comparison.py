"""Whether a hierarchical method beats the flat linear SVM, both tuned in the same way.

On `reuters90` (several labels a document, a guarded threshold for each category, `scut`), also with the documents that
belong nowhere, `train-extra`, and on `newsgroups20` (one label a document, `best-path` and `expected-hf`), in the
folder that the environment variable CLASSMARK_DATA names. Every method tries two values of C on a quarter of the
training documents that it has not learned from; the one with the best mean of micro-F1, macro-F1 and hF is trained on
all of them and evaluated on the split `test`. One Markdown table: the
figures of the chosen C on the quarter and on the test documents, and the p-value of the difference from `linear-svm`
with the same decision, for macro-F1 (t-test over the leaves) and hF (bootstrap).
"""

import os
from pathlib import Path
from typing import Any, NamedTuple

from threadpoolctl import threadpool_limits

from classmark.data import Corpus, read_corpus
from classmark.data.splits import stratified_split
from classmark.pipeline import TextClassifier
from classmark.service.judging import Judged, judge, significance, summary


class Candidate(NamedTuple):
    """A method and its settings but for C."""

    method: str
    negatives: str | None = None

    @property
    def name(self) -> str:
        """What the row is called."""
        return f"`{self.method}`" + ("" if self.negatives is None else f", `negatives={self.negatives}`")

    def settings(self, value: float) -> dict[str, Any]:
        """Give the settings with a value of C."""
        return {"C": value} | ({} if self.negatives is None else {"negatives": self.negatives})


CANDIDATES = (
    Candidate("linear-svm"),
    Candidate("topdown-svm"),
    Candidate("topdown-svm", negatives="all"),
    Candidate("global-svm"),
)
"""The baseline first."""
VALUES = (1, 10)
"""What C may be."""
RUNS = (
    ("reuters90", ("train",), "scut"),
    ("reuters90", ("train", "train-extra"), "scut"),
    ("newsgroups20", ("train",), "best-path"),
    ("newsgroups20", ("train",), "expected-hf"),
)
"""Corpora, the splits to learn from, and decisions."""
HEADER = (
    "| corpus | trained on | decision | method | C | held out: micro-F1 | macro-F1 | hF "
    "| test: micro-F1 | macro-F1 | hF | p, macro-F1 | p, hF |\n"
    "|---|---|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|"
)


class Tried(NamedTuple):
    """A value of C, and what came of it on the held-out quarter."""

    value: float
    figures: tuple[float, float, float]


def fitted(candidate: Candidate, value: float, decision: str, hierarchy: Any, train: Corpus) -> TextClassifier:
    """Train a method."""
    settings = candidate.settings(value)
    model = TextClassifier(candidate.method, settings=settings, decision=decision, hierarchy=hierarchy)
    return model.fit(train.documents, train.labels)


def figures(model: TextClassifier, judged: Judged) -> tuple[float, float, float]:
    """Give micro-F1, macro-F1 and hF."""
    found = summary(model, judged).figures
    return found["leaves"]["micro_f1"], found["leaves"]["macro_f1"], found["hierarchical"]["hf"]


def chosen(candidate: Candidate, decision: str, parts: Corpus) -> Tried:
    """Give the value of C that serves the held-out quarter best."""
    learned, held_out = parts.select(["learned"]), parts.select(["held-out"])
    tried = []
    for value in VALUES:
        model = fitted(candidate, value, decision, parts.hierarchy, learned)
        tried.append(Tried(value, figures(model, judge(model, held_out))))
    return max(tried, key=lambda one: sum(one.figures))


def main() -> None:
    """Print the table, a row as soon as it is measured."""
    folder = os.environ.get("CLASSMARK_DATA")
    if folder is None:
        print("skipped: needs the real corpora; set CLASSMARK_DATA to the folder that holds them")
        return
    print(HEADER)
    for name, splits, decision in RUNS:
        corpus = read_corpus(Path(folder, name))
        train, test = corpus.select(splits), corpus.select(["test"])
        parts = stratified_split(train, {"learned": 0.75, "held-out": 0.25})
        baseline: Judged | None = None
        for candidate in CANDIDATES:
            best = chosen(candidate, decision, parts)
            model = fitted(candidate, best.value, decision, corpus.hierarchy, train)
            judged = judge(model, test)
            chances = ["", ""]
            if baseline is not None:
                tests = significance(judged.true, judged.predicted, baseline.predicted, model.hierarchy_)
                chances = [f"{tests[one]['p_value']:.3f}" for one in ("macro_t_test", "bootstrap_hf")]
            baseline = baseline or judged
            cells = [f"{value:.3f}" for value in (*best.figures, *figures(model, judged))] + chances
            where = f"{name} | {' + '.join(splits)} | `{decision}`"
            print(f"| {where} | {candidate.name} | {best.value} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    with threadpool_limits(1):
        main()
