"""PCEM against the plain formulation of the same EM with scipy and numpy, in time and memory, in one run.

Needs `newsgroups20` in the folder that the environment variable CLASSMARK_DATA names. With `--large`, two million
generated documents over 100,000 terms and 100 paths are learned from instead, and the memory it took is printed. With
`--calibration FOLDER` it is measured how often posteriors come true, and the plot and its data are written there.
"""

import os
import resource
import sys
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array
from scipy.special import expit, logsumexp

from classmark import Hierarchy, PathEM, TextVectoriser, read_corpus
from classmark.data import Corpus
from classmark.generative.em import learn
from classmark.generative.examples import Examples, Mixture, Rules
from classmark.labels import encode
from classmark.metrics import brier_score, expected_calibration_error
from classmark.metrics.calibration import Calibration
from classmark.registry import find_method
from reproductions.experiments.few_labels import divide
from reproductions.path_prediction_2019.figures import curves

LABEL_RATE = 0.01
ROUNDS = 5
CALIBRATED: dict[str, tuple[str, dict[str, Any]]] = {
    "pcem": ("pcem", {}),
    "pcem, even prior": ("pcem", {"prior": False}),
    "pcem, softmax": ("pcem", {"calibration": "softmax"}),
    "pcem, platt": ("pcem", {"calibration": "platt"}),
    "pcem-plus": ("pcem-plus", {}),
    "pcem-plus, softmax": ("pcem-plus", {"calibration": "softmax"}),
}
"""The curves of the calibration plot: methods, and parameters of the classifier."""
CALIBRATION_SEEDS = (120, 121, 122)


def path_scores(
    paths: npt.NDArray[np.int64], groups: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Give 2 for a document's own path and 1 for its siblings, and 1 for its own path alone; nothing for a path -1."""
    own = np.eye(groups.size)[paths] * (paths >= 0)[:, None]
    return own + (groups[paths][:, None] == groups) * (paths >= 0)[:, None], own


def plain(X: csr_array, paths: npt.NDArray[np.int64], groups: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """Learn PCEM by sparse products; a path of -1 is no label. Give the logarithms of the terms' chances."""
    labelled = paths >= 0
    X = X[:, np.flatnonzero(np.bincount(X[labelled].indices, minlength=X.shape[1]))]
    taught, others = X[labelled], X[~labelled]
    scores, own = path_scores(paths[labelled], groups)
    first, first_totals = taught.T @ scores, scores.sum(axis=0)
    counts, totals, before = first, first_totals, -np.inf
    for _ in range(50):
        prior = np.log(1 + totals) - np.log(totals.size + totals.sum())
        terms = np.log(1 + counts) - np.log(X.shape[1] + counts.sum(axis=0))
        joint = others @ terms + prior
        evidence = logsumexp(joint, axis=1)
        likelihood = prior.sum() + terms.sum() + evidence.sum() + (own * (taught @ terms + prior)).sum()
        if likelihood - before < 1e-3 * abs(before) < np.inf:
            break
        posterior = np.exp(joint - evidence[:, None])
        counts, totals, before = first + others.T @ posterior, first_totals + posterior.sum(axis=0), likelihood
    return np.asarray(terms)


def newsgroups(folder: Path) -> tuple[csr_array, list[str | None], Hierarchy]:
    """Give the counts of all documents, and the labels of a few."""
    corpus = read_corpus(folder)
    assert corpus.hierarchy is not None
    X = TextVectoriser().fit_transform(corpus.documents).astype(np.float64)
    keep = np.random.default_rng(0).random(X.shape[0]) < LABEL_RATE
    labels = [one[0] if one and kept else None for one, kept in zip(corpus.labels, keep, strict=True)]
    return X, labels, corpus.hierarchy


def positions(labels: list[str | None], tree: Hierarchy) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Give the number of each document's path, -1 for none, and the number of each path's parent."""
    ends = sorted({tree.position(label) for label in labels if label is not None})
    numbers = {tree.names[end]: number for number, end in enumerate(ends)}
    paths = np.array([-1 if label is None else numbers[label] for label in labels])
    return paths, np.array([tree.parent_positions(end)[0] for end in ends])


def timed(work: Callable[[], object]) -> tuple[float, float]:
    """Give the least CPU and wall-clock seconds of some rounds."""
    cpu, wall = [], []
    for _ in range(ROUNDS):
        starts = time.process_time(), time.perf_counter()
        work()
        cpu.append(time.process_time() - starts[0])
        wall.append(time.perf_counter() - starts[1])
    return min(cpu), min(wall)


def peak(work: Callable[[], object]) -> float:
    """Give the most MiB that a work held at a time."""
    tracemalloc.start()
    work()
    found = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return found / 2**20


def compare(folder: Path) -> None:
    """Print times and memory of both."""
    X, labels, tree = newsgroups(folder)
    paths, groups = positions(labels, tree)

    scores, own = path_scores(paths, groups)
    examples = Examples(X, csr_array(scores), csr_array(own), np.ones(X.shape[0]))

    def ours(n_jobs: int) -> tuple[Mixture, list[float]]:
        return learn(examples, examples.terms(examples.labelled), Rules(n_jobs=n_jobs))

    mixture, objective = ours(1)
    difference = np.abs(mixture.log_terms - plain(X, paths, groups)).max()
    iterations = len(objective)
    table = X.shape[1] * groups.size * 8 / 2**20
    matrix = (X.data.nbytes + X.indices.nbytes + X.indptr.nbytes) / 2**20
    print(f"PCEM on newsgroups20: {X.shape[0]:,} documents, {X.shape[1]:,} terms, {iterations} iterations")
    print(f"largest difference of parameters: {difference:.1e}")
    rows: list[tuple[str, Callable[[], Any]]] = [
        ("scipy and numpy", lambda: plain(X, paths, groups)),
        ("classmark, 1 thread", lambda: ours(1)),
        ("classmark, 2 threads", lambda: ours(2)),
    ]
    times = {}
    for name, work in rows:
        times[name] = timed(work)
        print(f"{name:22} {times[name][0]:.3f} s of CPU, {times[name][1]:.3f} s, at most {peak(work):.0f} MiB more")
    first, one, two = times.values()
    print(
        f"times faster: {first[0] / one[0]:.1f} in CPU on 1 thread, {first[1] / two[1]:.1f} by the clock on 2 threads"
    )
    print(f"X has {matrix:.0f} MiB, paths × terms {table:.0f} MiB")


def large(documents: int = 2_000_000, terms: int = 100_000, paths: int = 100, per_document: int = 40) -> None:
    """Learn from generated documents, a tenth of a percent labelled, and print what it took."""
    random = np.random.default_rng(0)
    tree = Hierarchy.from_paths([f"{path // 10}/{path}" for path in range(paths)])
    truth = random.integers(0, paths, documents)
    share = terms // (2 * paths)
    indices = random.integers(0, terms // 2, (documents, per_document), dtype=np.int32)
    indices[:, ::2] = terms // 2 + truth[:, None] * share + random.integers(0, share, (documents, per_document // 2))
    indices.sort(axis=1)
    indptr = np.arange(0, documents * per_document + 1, per_document, dtype=np.int32)
    X = csr_array((np.ones(documents * per_document), indices.ravel(), indptr), shape=(documents, terms))
    X.sum_duplicates()
    y = np.full(documents, None, dtype=object)
    labelled = random.permutation(documents)[: documents // 1000]
    y[labelled] = [f"{truth[row] // 10}/{truth[row]}" for row in labelled]
    start = time.perf_counter()
    model = PathEM(hierarchy=tree, vocabulary="all", n_jobs=2).fit(X, y)
    seconds = time.perf_counter() - start
    gib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    found = (model.predict(X[:10_000]) == [f"{path // 10}/{path}" for path in truth[:10_000]]).mean()
    print(f"{documents:,} documents × {terms:,} terms × {paths} paths, {X.nnz:,} entries: {model.n_iter_} iterations")
    print(f"{seconds:.0f} s on 2 threads, at most {gib:.1f} GiB, {found:.1%} of 10,000 documents right")


def reliability(corpus: Corpus, X: csr_array, name: str, share: float, seed: int) -> tuple[Calibration, float]:
    """Give how often the probability of the best leaf comes true, and the Brier score, of documents for the test."""
    tree, (method, parameters) = corpus.hierarchy, CALIBRATED[name]
    assert tree is not None
    labelled, unlabelled, test = divide(X.shape[0], 15_077, share, seed)
    rows = np.sort(np.concatenate([labelled, unlabelled]))
    y = [corpus.labels[row] if known else None for row, known in zip(rows, np.isin(rows, labelled), strict=True)]
    model = find_method(method).learner.build(seed, None).set_params(hierarchy=tree, **parameters)
    model.fit(csr_array(X[rows]), y)
    tested = csr_array(X[test])
    chances = model.predict_proba(tested) if "calibration" in parameters else expit(model.node_scores(tested))
    truth = encode([corpus.labels[row] for row in test], tree).indicator
    # A sum of posteriors may lie a rounding error above 1.
    chances = np.minimum(chances, 1.0)
    found = expected_calibration_error(truth, chances, over="rows", nodes=tree.leaves)
    return found, brier_score(truth, chances, over="rows", nodes=tree.leaves)


def calibration(corpus_folder: Path, folder: Path) -> None:
    """Print calibration errors, and write the plot for 1 % of labels with its data."""
    corpus = read_corpus(corpus_folder)
    counts = {
        method: find_method(method).text.vectoriser().fit_transform(corpus.documents)
        for method in {method for method, _ in CALIBRATED.values()}
    }
    series, lines = {}, ["curve,predicted,observed,documents"]
    for share in (0.01, 0.1):
        for name, (method, _) in CALIBRATED.items():
            found = [reliability(corpus, counts[method], name, share, seed) for seed in CALIBRATION_SEEDS]
            error, brier = np.mean([one.error for one, _ in found]), np.mean([brier for _, brier in found])
            print(f"{share:4.0%} {name:20} calibration error {error:.3f}, Brier score {brier:.3f}", flush=True)
            if share == LABEL_RATE:
                series[name], rows = pooled([one for one, _ in found])
                lines += [f'"{name}",{predicted:.4f},{observed:.4f},{number}' for predicted, observed, number in rows]
    picture = curves(
        {"as it should be": [(0.0, 0.0), (1.0, 1.0)], **series},
        ("probability of the best leaf", "share of documents where it is right"),
        ((0.0, 1.0), (0.0, 1.0)),
        (0.1, 0.1),
    )
    (folder / "few-labels-calibration.svg").write_text(picture, encoding="utf-8")
    (folder / "few-labels-calibration.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")


def pooled(found: list[Calibration]) -> tuple[list[tuple[float, float]], list[tuple[float, float, int]]]:
    """Put the bins of several seeds together; bins with fewer than 30 documents are in the data and not in the plot."""
    rows = []
    for number in range(found[0].counts.size):
        parts = [(one.counts[number], one.predicted[number], one.observed[number]) for one in found]
        count = sum(size for size, _, _ in parts)
        if count:
            means = [sum(part[0] * part[i] for part in parts if part[0]) / count for i in (1, 2)]
            rows.append((float(means[0]), float(means[1]), int(count)))
    return [(predicted, observed) for predicted, observed, count in rows if count >= 30], rows


def main() -> None:
    """Run what was asked for."""
    if "--large" in sys.argv:
        large()
        return
    folder = Path(os.environ.get("CLASSMARK_DATA", ""), "newsgroups20")
    if not folder.is_dir():
        print("generative: newsgroups20 is not here; set CLASSMARK_DATA")
        return
    if "--calibration" in sys.argv:
        calibration(folder, Path(sys.argv[sys.argv.index("--calibration") + 1]))
        return
    compare(folder)


if __name__ == "__main__":
    main()
