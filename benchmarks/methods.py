"""Quality, speed and size of every method, as one Markdown table.

Each method of `METHODS`, or each that an argument names, is trained with its default settings on the split `train` of
each corpus and evaluated on the split `test`. The corpora are the embedded docstrings and, where the environment
variable CLASSMARK_DATA names a folder that holds them, `reuters90` and `newsgroups20`. The columns:

- leaf F1: micro- and macro-averaged over the leaves of the hierarchy, the latter over all leaves, present or not;
- hF: hierarchical F, micro-averaged, ancestors included;
- training: seconds of CPU time from texts to a fitted classifier, reading the files not included;
- documents/s: test documents classified in a second of CPU time, texts to label sets, best of three;
- model: size of the saved file in megabytes (10⁶ bytes).

With `--write` the rows go into the table *Every figure* of `docs/comparison.md`, in place of those that are there, and
`tools/write_figures.py` takes them from there to the other pages.

Everything runs on one thread: BLAS would otherwise wait for its other threads in a loop, which is CPU time too.
"""

import os
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from threadpoolctl import threadpool_limits

from classmark.data import Corpus, load_docstrings, read_corpus
from classmark.pipeline import TextClassifier
from classmark.registry import METHODS
from classmark.service.judging import evaluate_model

CORPORA = ("reuters90", "newsgroups20")
N_RUNS = 3
PAGE = Path(__file__).parent.parent / "docs" / "comparison.md"
HEADER = (
    "| corpus | method | leaf micro-F1 | leaf macro-F1 | hF | training (s) | documents/s | model (MB) |\n"
    "|---|---|--:|--:|--:|--:|--:|--:|"
)


class Result(NamedTuple):
    """The figures of one method on one corpus."""

    corpus: str
    method: str
    micro_f1: float
    macro_f1: float
    hf: float
    training: float
    speed: float
    megabytes: float

    def row(self) -> str:
        """Give the figures as a row of the table."""
        quality = " | ".join(f"{value:.3f}" for value in (self.micro_f1, self.macro_f1, self.hf))
        effort = f"{self.training:.1f} | {self.speed:,.0f} | {self.megabytes:.1f}"
        return f"| {self.corpus} | `{self.method}` | {quality} | {effort} |"


def corpora() -> Iterator[tuple[str, Corpus]]:
    """Give the embedded corpus, and the others where they are at hand."""
    yield "docstrings", load_docstrings()
    folder = os.environ.get("CLASSMARK_DATA")
    for name in CORPORA if folder else ():
        path = Path(str(folder), name)
        if path.is_dir():
            yield name, read_corpus(path)


def training_seconds(model: TextClassifier, train: Corpus) -> float:
    """Fit a model and give the CPU time it took."""
    start = time.process_time()
    model.fit(train.documents, train.labels)
    return time.process_time() - start


def documents_a_second(model: TextClassifier, test: Corpus) -> float:
    """Classify the test documents a few times and give the best speed."""
    best = float("inf")
    for _ in range(N_RUNS):
        start = time.process_time()
        model.predict_indicator(test.documents)
        best = min(best, time.process_time() - start)
    return len(test) / best


def megabytes(model: TextClassifier) -> float:
    """Save a model and give the size of its file."""
    with TemporaryDirectory() as folder:
        file = Path(folder, "model.classmark")
        model.save(file)
        return file.stat().st_size / 1e6


def measure(name: str, corpus: Corpus, method: str) -> Result:
    """Train, evaluate, time and weigh one method on one corpus."""
    model = TextClassifier(method, hierarchy=corpus.hierarchy)
    training = training_seconds(model, corpus.select(["train"]))
    test = corpus.select(["test"])
    scores = evaluate_model(model, test).figures
    return Result(
        corpus=name,
        method=method,
        micro_f1=scores["leaves"]["micro_f1"],
        macro_f1=scores["leaves"]["macro_f1"],
        hf=scores["hierarchical"]["hf"],
        training=training,
        speed=documents_a_second(model, test),
        megabytes=megabytes(model),
    )


def merged(page: str, measured: Iterable[Result]) -> str:
    """Give the text of a page with these rows in its table, each method where `METHODS` has it."""
    before, mark, rest = page.partition(f"<!-- measured -->\n{HEADER}\n")
    table, _, after = rest.partition("<!-- end of measured -->")
    rows = {tuple(line.split(" | ")[:2]): line for line in table.splitlines()}
    rows |= {tuple(result.row().split(" | ")[:2]): result.row() for result in measured}
    order = [(f"| {corpus}", f"`{method}`") for corpus in ("docstrings", *CORPORA) for method in METHODS]
    lines = "".join(f"{rows[key]}\n" for key in order if key in rows)
    return f"{before}{mark}{lines}<!-- end of measured -->{after}"


def main() -> None:
    """Print the table, a row as soon as it is measured, and write it where that is asked for."""
    methods = [argument for argument in sys.argv[1:] if argument != "--write"] or list(METHODS)
    results = []
    print(HEADER)
    with threadpool_limits(1):
        for name, corpus in corpora():
            for method in methods:
                results.append(measure(name, corpus, method))
                print(results[-1].row(), flush=True)
    if "--write" in sys.argv:
        PAGE.write_text(merged(PAGE.read_text(encoding="utf-8"), results), encoding="utf-8")


if __name__ == "__main__":
    main()
