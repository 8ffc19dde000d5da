"""What `auto` finds within a budget, and whether what it expects comes true.

    python -m benchmarks.auto test BUDGET [CORPUS …]      test splits, beside the plain default (linear-svm)
    python -m benchmarks.auto few BUDGET [SEED …]         newsgroups20 pooled, 1 % labels, over all nodes
    python -m benchmarks.auto expect BUDGET [CORPUS …]    ten random cuts of each training set: expected and found
    python -m benchmarks.auto busy BUDGET CORPUS          one core kept busy meanwhile: how long it takes

Needs corpora in the folder that the environment variable CLASSMARK_DATA names; `docstrings` comes with the library.
The protocol of `few` is that of `python -m reproductions path_prediction_2019`. `expect` searches four fifths of at
most 2,500 training documents, and the figure is hF on the others. No extra is used: encoders are left out.
"""

import multiprocessing
import os
import sys
import time
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from classmark.data import Corpus, load_docstrings, read_corpus
from classmark.labels import encode
from classmark.metrics import summarise
from classmark.pipeline import TextClassifier
from reproductions.experiments.few_labels import divide

CORPORA = (
    "docstrings",
    "clinc150",
    "rcv1v2_sample",
    "reuters90",
    "newsgroups20",
    "medline_mesh",
    "wordnet_nouns",
)
CUTS, MOST = 10, 2500
TRAINING, SHARE, SEEDS = 15_077, 0.01, range(100, 105)
WITHOUT = "frozen-encoder,fine-tuned"


def corpus_of(name: str) -> Corpus:
    """Read a corpus."""
    return load_docstrings() if name == "docstrings" else read_corpus(Path(os.environ["CLASSMARK_DATA"], name))


def found_by_auto(corpus: Corpus, rows: Sequence[int], labels: Any, budget: str, seed: int) -> TextClassifier:
    """Search some documents of a corpus."""
    settings = {"budget": budget, "without": WITHOUT}
    model = TextClassifier("auto", settings=settings, hierarchy=corpus.hierarchy, random_state=seed)
    return model.fit([corpus.documents[row] for row in rows], labels)


def figures(model: TextClassifier, corpus: Corpus, rows: Sequence[int]) -> dict[str, Any]:
    """Evaluate a model on some documents of a corpus."""
    hierarchy = model.hierarchy_
    truth = hierarchy.close(encode([corpus.labels[row] for row in rows], hierarchy).indicator)
    answers, first = model.classifier_.predict_both(model.transform([corpus.documents[row] for row in rows]))
    return summarise(truth, answers, first, hierarchy)


def in_words(found: dict[str, Any]) -> str:
    """Give the figures that people compare."""
    leaves = found["leaves"]
    return (
        f"{leaves['micro_f1']:.3f} / {leaves['macro_f1']:.3f} | {found['hierarchical']['hf']:.3f} | "
        f"{found['first']['accuracy']:.3f}"
    )


def test(budget: str, *corpora: str) -> None:
    """Print what is found on the test splits."""
    print("| corpus | auto: leaves | hF | first | default: leaves | hF | first | seconds | trials | chosen |")
    print("|---|--:|--:|--:|--:|--:|--:|--:|--:|---|", flush=True)
    for name in corpora or CORPORA:
        corpus = corpus_of(name)
        rows, asked = ([row for row, one in enumerate(corpus.splits) if one == split] for split in ("train", "test"))
        labels = [corpus.labels[row] for row in rows]
        start = time.perf_counter()
        model = found_by_auto(corpus, rows, labels, budget, 0)
        seconds, search = time.perf_counter() - start, model.search_
        assert search is not None
        mine = in_words(figures(model, corpus, asked))
        default = "– | – | –"
        # One against the rest for 10,000 categories takes an hour.
        if len(model.hierarchy_) < 1000:
            plain = TextClassifier(hierarchy=corpus.hierarchy).fit([corpus.documents[row] for row in rows], labels)
            default = in_words(figures(plain, corpus, asked))
        chosen = f"{search['method']} {search['settings'].get('parts', '')} {search['decision']}"
        line = f"| {name} | {mine} | {default} | {seconds:.0f} | {len(search['trials'])} | {chosen} |"
        print(line, flush=True)


def few(budget: str, *seeds: str) -> None:
    """Print what is found with 1 % of the labels of newsgroups20."""
    corpus, found = corpus_of("newsgroups20"), []
    for seed in map(int, seeds or map(str, SEEDS)):
        labelled, unlabelled, asked = divide(len(corpus), TRAINING, SHARE, seed)
        rows = np.sort(np.append(labelled, unlabelled))
        known = np.isin(rows, labelled)
        labels = [corpus.labels[row] if one else None for row, one in zip(rows, known, strict=True)]
        start = time.perf_counter()
        model = found_by_auto(corpus, rows.tolist(), labels, budget, seed)
        seconds = time.perf_counter() - start
        nodes = figures(model, corpus, asked.tolist())["nodes"]
        found.append([nodes["micro_f1"], nodes["macro_f1"]])
        assert model.search_ is not None
        chosen = f"{model.search_['method']} {model.search_['settings']}"
        print(f"{seed}: {found[-1][0]:.3f} / {found[-1][1]:.3f}, {seconds:.0f} s, {chosen}", flush=True)
    print("mean: {:.3f} / {:.3f}".format(*np.mean(found, axis=0)))


def expect(budget: str, *corpora: str) -> None:
    """Print how often hF of new documents is in the interval, and how wide that is."""
    print("| corpus | inside | mean width | mean expected | mean found | least and most of found − expected |")
    print("|---|--:|--:|--:|--:|---|", flush=True)
    for name in corpora or CORPORA[:5]:
        corpus = corpus_of(name)
        train = [row for row, one in enumerate(corpus.splits) if one == "train"]
        lines = []
        for cut in range(CUTS):
            rows = np.random.default_rng(cut).permutation(train)[:MOST]
            known, new = rows[: 4 * len(rows) // 5].tolist(), rows[4 * len(rows) // 5 :].tolist()
            model = found_by_auto(corpus, known, [corpus.labels[row] for row in known], budget, cut)
            assert model.search_ is not None
            expected = model.search_["expected"]
            hf = figures(model, corpus, new)["hierarchical"]["hf"]
            lines.append((expected["low"], expected["value"], expected["high"], hf))
            print(name, cut, *(f"{value:.4f}" for value in lines[-1]), file=sys.stderr, flush=True)
        low, value, high, hf = np.array(lines).T
        inside = int(((low <= hf) & (hf <= high)).sum())
        print(
            f"| {name} | {inside} of {CUTS} | {(high - low).mean():.3f} | {value.mean():.3f} | {hf.mean():.3f} | "
            f"{(hf - value).min():+.3f}, {(hf - value).max():+.3f} |",
            flush=True,
        )


def busy(budget: str, *corpora: str) -> None:
    """Search while another process keeps a core busy."""
    other = multiprocessing.Process(target=_spin, daemon=True)
    other.start()
    test(budget, *corpora)
    other.terminate()


def _spin() -> None:
    while True:
        pass


MODES = {"test": test, "few": few, "expect": expect, "busy": busy}

if __name__ == "__main__":
    warnings.simplefilter("ignore")
    MODES[sys.argv[1]](*sys.argv[2:])
