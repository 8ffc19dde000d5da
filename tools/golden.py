"""Compare the results of all classifiers with those of another commit, bit for bit.

`--against COMMIT` runs all cases with the code of COMMIT and with this code, on one machine and in one run, joins the
results by the keys of the cases, and prints every case that differs:

    python tools/golden.py --against HEAD
    python tools/golden.py --against main --only 'flat/*' --jobs 2

Each commit runs its own copy of this file, so a commit that renames a class, a parameter or a module changes this file
too. The keys of cases, of algorithms and of results never change: they join the two runs. As far as possible, what has
a name in the package is in the tables and the functions above the line "Cases".
"""

import argparse
import builtins
import json
import logging
import os
import signal
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from fnmatch import fnmatchcase
from functools import cache, partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

import classmark
from classmark import Hierarchy

ROOT = Path(__file__).resolve().parent.parent
TEXTS = ROOT / "tests" / "golden"
ENCODER = ROOT / "tests" / "models" / "encoder"
Record = dict[str, npt.NDArray[Any]]

ALGORITHMS: dict[str, tuple[str, dict[str, Any]]] = {
    "adaboost-mh": ("AdaBoostMH", {"n_estimators": 10}),
    "adaboost-mh-kr": ("AdaBoostMHKR", {"n_estimators": 10}),
    "blend": ("BlendClassifier", {"folds": 3}),
    "consistent": ("ConsistentClassifier", {}),
    "embedding-em": ("EmbeddingEM", {}),
    "fine-tuned": (
        "FineTunedClassifier",
        {"encoder": f"sentence:{ENCODER}", "epochs": 1, "learning_rate": 0.03, "batch_size": 32, "device": "cpu"},
    ),
    "flat": ("FlatClassifier", {}),
    "linear-svm": ("LinearSVMClassifier", {"C": 2.0}),
    "flat-closed": ("FlatClassifier", {"inner": "auto", "prune": 0.01}),
    "flat-em": ("FlatEM", {"trust": "auto"}),
    "flat-nb": ("FlatNB", {}),
    "frozen-encoder": ("FrozenEncoderClassifier", {"epochs": 1}),
    "hiercost": ("HierCost", {}),
    "knn-bm25": ("BM25KNN", {"k": 7}),
    "knn-hierarchical": ("HierarchicalKNN", {"k": 7}),
    "knn-overlap": ("OverlapKNN", {}),
    "majority": ("MajorityClassifier", {}),
    "mp-boost": ("MPBoost", {"n_estimators": 10}),
    "multicomponent-em": ("EMMC", {"trust": "auto", "n_components": 2}),
    "multicomponent-nb": ("NBMC", {"n_components": 2}),
    "path-em": ("PathEM", {"trust": "auto", "growth": 2}),
    "path-nb": ("PathNB", {}),
    "rerank": ("RerankClassifier", {"folds": 3}),
    "self-training": ("SelfTrainingClassifier", {"trust": "auto", "max_iter": 2}),
    "teacher-student": ("TeachingClassifier", {}),
    "topdown": ("TopDownClassifier", {}),
    "topdown-em": ("TopDownEM", {"trust": "auto"}),
    "topdown-nb": ("TopDownNB", {}),
    "topdown-soft": ("TopDownClassifier", {"descent": "soft", "inner": "reach"}),
    "treeboost-mh": ("TreeBoostMH", {"n_estimators": 10}),
    "windriven-em": ("WinDrivenEM", {"trust": "auto"}),
    "windriven-nb": ("WinDrivenNB", {}),
}
"""Key of an algorithm → the name of its class in `classmark`, and parameters under which it is fast."""
READS_TEXTS = ("fine-tuned",)
NEEDS = {"fine-tuned": ("torch", "transformers", "tokenizers"), "frozen-encoder": ("tokenizers",)}
METHODS: dict[str, dict[str, Any]] = {
    **{name: {} for name in ("blend", "em", "em-plus", "embedding-em", "emmc", "global-svm", "hiercost", "knn-bm25")},
    **{name: {} for name in ("knn-bm25-hier", "knn-bm25-paper", "knn-overlap", "linear-svm", "logistic", "majority")},
    **{name: {} for name in ("nb", "nb-plus", "nbmc", "pcem", "pcem-plus", "pcnb", "rerank", "self-training")},
    **{name: {} for name in ("tdem", "tdnb", "topdown-logistic", "topdown-svm", "wdem", "wdnb")},
    **{f"adaboost-mh{kind}": {"n_estimators": 20} for kind in ("", "-abstaining", "-discrete", "-kr")},
    **{f"treeboost-{kind}": {"n_estimators": 20} for kind in ("mh", "mp")},
    **{f"{kind}-adaboost": {"n_estimators": 20} for kind in ("global", "local")},
    "auto": {"methods": "nb-plus,linear-svm", "budget": "none"},
    "fine-tuned": {"encoder": f"sentence:{ENCODER}", "epochs": 1, "learning_rate": 0.03, "device": "cpu"},
    # Vectors of the tiny encoder alone are nearly equal: on another CPU the heads would differ in the first digit.
    "frozen-encoder": {"encoder": f"sentence:{ENCODER}+terms", "epochs": 2},
    "mp-boost": {"n_estimators": 20},
}
"""Key of a method, which is its name as long as nobody renames it → settings under which it is fast."""
NUMBERS = {
    "threshold": ("threshold", ("value", "consistency", "otherwise")),
    "tuned": ("threshold", ("value", "consistency", "otherwise")),
    "scut": ("node-thresholds", ("consistency", "thresholds")),
    "pcut": ("node-thresholds", ("consistency", "thresholds")),
    "rcut": ("rcut", ("r",)),
    "dscut": ("dscut", ("thresholds",)),
    "tuned-dscut": ("dscut", ("thresholds",)),
    "best-path": ("best-path", ()),
    "expected-hf": ("expected-hf", ("cost",)),
    "back-off": ("back-off", ("confidence", "to")),
}
"""Name of a decision → the key of what it does, and the attributes that decide."""
WORDS = {"close": 1.0, "average": 2.0, "filter": 3.0, "nearest": 4.0, "hf": 5.0, "parent": 6.0}
REASONS = {
    "exactly one own label": "one-label",
    "are too few to learn": "few-documents",
    "held-out hF: ": "held-out",
    "anything else leaves": "leaves-without-answer",
    "a threshold of 0 instead": "short-zero",
    "even odds instead": "short-even-odds",
    "nodes instead": "short-some-nodes",
    "held out instead": "short-one-part",
    "documents held out": "best-ends",
}
"""Part of the reason for a decision → its code; the first part that is found counts."""


class MissingParameterError(Exception):
    """Raised if a case does not exist for an algorithm."""


class StoppedError(Exception):
    """Raised in place of a signal."""


def build(key: str, hierarchy: Hierarchy | None = None, seed: int | None = None, **common: Any) -> Any:
    """Return the unfitted classifier of an algorithm; raise MissingParameterError if it lacks a common parameter."""
    name, own = ALGORITHMS[key]
    kind = getattr(classmark, name)
    if seed is not None:
        common["random_state"] = seed
    if missing := set(common) - set(kind().get_params(deep=False)):
        raise MissingParameterError(f"{name} lacks {min(missing)}")
    return kind(**{**own, "hierarchy": hierarchy, **common})


def text_classifier(method: str, **common: Any) -> Any:
    """Return the unfitted classifier of texts of a method."""
    return classmark.TextClassifier(method, settings=METHODS[method], **common)


def results(model: Any, X: Any) -> Record:
    """Return everything that a fitted classifier says of documents."""
    inner = getattr(model, "classifier_", model)
    rows = model.transform(X) if inner is not model else X
    found: Record = {
        "node-scores": inner.node_scores(rows),
        "own-scores": inner.own_scores(rows),
        "first": inner.predict_first(rows),
        "sets": inner.predict_indicator(rows).toarray(),
        "labels": np.array([json.dumps(plain(one)) for one in model.predict(X)]),
        "classes": np.array([json.dumps(plain(one)) for one in inner.classes_]),
        "reason": np.array(reason_code(inner.decision_reason_)),
        **decision_numbers(inner.decision_),
    }
    if hasattr(inner, "predict_proba"):
        found["probabilities"] = inner.predict_proba(rows)
        try:
            confident = [json.dumps(plain(one)) for one in inner.predict_sure(rows, 0.5)]
        except ValueError:  # held-out documents guarantee less
            confident = ["ValueError"]
        found["confident"] = np.array(confident)
    return found


def contributions(model: Any, X: Any) -> Record:
    """Return the shares of the terms in the scores of each node."""
    found: Record = {}
    for name in model.hierarchy_.names:
        terms, bias = model.contributions(X, name)
        found |= {f"terms-{name}": csr_array(terms).toarray(), f"bias-{name}": np.asarray(bias)}
    return found


def decision_numbers(decision: Any) -> Record:
    """Return the kind of a decision and its numbers."""
    kind, names = NUMBERS[classmark.decision.describe(decision)["name"]]
    numbers: list[float] = []
    for value in (getattr(decision, name) for name in names):
        values = value if isinstance(value, tuple) else (value,)
        numbers += [np.nan if one is None else WORDS[one] if isinstance(one, str) else float(one) for one in values]
    return {"decision-kind": np.array(kind), "decision-numbers": np.array(numbers)}


def reason_code(reason: str | None) -> str:
    """Return the code of the reason for a decision."""
    return "none" if reason is None else next(code for part, code in REASONS.items() if part in reason)


def saved_and_loaded(model: Any, folder: Path) -> Any:
    """Return a classifier that was written to a file and read from it."""
    files = import_module("classmark.persistence")
    files.save(folder / "model", model.to_state())
    return type(model)().from_state(files.load(folder / "model"))


@contextmanager
def stopped(what: str, at: int) -> Iterator[None]:
    """Keep every step of a fit in its checkpoint, and stop when a step is done."""

    def listen(name: str, done: int, total: int | None) -> None:
        if (name, done) == (what, at):
            raise StoppedError

    with ExitStack() as stack:
        stack.enter_context(constant("checkpoints", SECONDS_BETWEEN=0.0, TIMES_AS_LONG=0.0))
        stack.enter_context(import_module("classmark.progress").listening(listen))
        try:
            yield
        except StoppedError:
            return
    raise AssertionError(f"there is no step {at} of {what}")


def live_index(folder: Path, documents: list[str], labels: list[list[str]], scoring: str) -> Any:
    """Return the classifier over a folder of documents of which some were added, replaced and deleted."""
    live = import_module("classmark.index").LiveIndex.create(folder, scoring=scoring, hierarchy=text_tree())
    ids = [f"d{place}" for place in range(len(documents))]
    live.add(ids[:40], documents[:40], labels[:40])
    live.add([*ids[40:], ids[0]], [*documents[40:], documents[1]], [*labels[40:], labels[1]])
    live.delete(ids[10:15])
    return classmark.TextClassifier.load(folder)


# Module and attributes of the limits that cases lower.
SCORE_LIMIT = ("held_out", "SCORES_TO_LEARN_FROM")
PROCESS_LIMIT = ("held_out", "WORTH_A_PROCESS")


@contextmanager
def constant(module: str, **values: Any) -> Iterator[None]:
    """Replace constants of a module; raise AttributeError if there is none of that name."""
    where = import_module(f"classmark.{module}")
    before = {name: getattr(where, name) for name in values}
    vars(where).update(values)
    try:
        yield
    finally:
        vars(where).update(before)


# Cases: nothing below has the name of a class, a parameter or a module.

TREE = Hierarchy.from_nested({"a": {"x": ["u", "v"], "y": None}, "b": None})
DAG = Hierarchy.from_parents({"a": None, "b": None, "x": ["a", "b"], "y": "a", "u": ["x", "y"], "v": "x"})
N, N_TERMS = 60, 9
LEAVES = ["u", "v", "y", "b"]
TERMS = ["owl", "gull", "fish", "oak", "fern", "ships", "sea", "night", "wood"]
"""What the columns are called for an encoder of texts."""


@cache
def data() -> tuple[csr_array, csr_array, npt.NDArray[Any], list[list[str]]]:
    """Return documents, documents to predict, a label each, and lists of labels."""
    random = np.random.default_rng(0)
    counts = random.poisson(0.3, (N, N_TERMS))
    counts[np.arange(N), np.arange(N) % 4] += 2
    new = random.poisson(0.5, (12, N_TERMS))
    new[-1] = 0
    y = np.array(LEAVES * 15)
    lists = [[name] if i % 5 else [name, LEAVES[(i + 1) % 4]] for i, name in enumerate(y.tolist())]
    X = csr_array(counts.astype(float))
    return X, csr_array(np.vstack([counts[:20], new]).astype(float)), y, lists


def plain(value: Any) -> Any:
    """Return a label, or labels, as JSON takes it."""
    if isinstance(value, list | tuple | np.ndarray):
        return [plain(one) for one in value]
    return value.item() if isinstance(value, np.generic) else value


def words(X: csr_array) -> Any:
    """Return counts of terms as texts."""
    rows = X.toarray().astype(int)
    return np.array([" ".join(np.repeat(TERMS, row)) for row in rows], dtype=object)


class Case(NamedTuple):
    """Labels, and how the classifier is built and fitted."""

    labels: Any
    hierarchy: Hierarchy | None = TREE
    common: dict[str, Any] = {}  # noqa: RUF012 - nobody changes it
    weight: Any = None


def shared_cases() -> dict[str, Case]:
    """Return the cases of every algorithm."""
    _, _, y, lists = data()
    numbers = np.arange(N)
    unlabeled = [None if i % 3 else labels for i, labels in enumerate(lists)]
    few = [None if i % 3 else str(label) for i, label in enumerate(y)]
    rare = [["b"] if i == 7 else [*{"u" if name == "b" else name: 0 for name in own}] for i, own in enumerate(lists)]
    auto = {"decision": "auto"}
    return {
        "flat": Case(y, None),
        "flat-two-classes": Case(np.where(numbers % 4 < 2, 7, 3), None),
        "flat-softmax": Case(y, None, {"calibration": "softmax"}),
        "tree-lists": Case(lists),
        "tree-single": Case(y, TREE),
        "tree-scut-platt": Case(lists, TREE, {"decision": "scut", "calibration": "platt"}),
        "tree-isotonic": Case(lists, TREE, {"calibration": "isotonic"}),
        "tree-expected-hf": Case(lists, TREE, {"decision": "expected-hf"}),
        "tree-tuned-on-training": Case(lists, TREE, {"decision": "tuned,on=training"}),
        "tree-unlabeled": Case(unlabeled, TREE, auto),
        "tree-few-labels": Case(few, TREE),
        "tree-19-labeled": Case([own if i < 19 else None for i, own in enumerate(lists)], TREE, auto),
        "tree-21-labeled": Case([own if i < 21 else None for i, own in enumerate(lists)], TREE, auto),
        "tree-rare-category": Case(rare, TREE, auto),
        "tree-weights": Case(lists, TREE, auto, numbers % 3 * 1.0),
        "tree-no-time": Case(lists, TREE, {"decision": "auto,seconds=0.000000001"}),
        "tree-little-time": Case(lists, TREE, {"decision": "auto,seconds=0.0005"}),
        "dag-auto": Case(lists, DAG, auto),
        "dag-seed": Case(lists, DAG, {"decision": "scut", "seed": 3}),
    }


DECISIONS = (
    *("average-confidence", "back-off", "best-path", "dscut", "pcut", "rcut,r=2", "threshold,value=0.2"),
    *("tuned-dscut", "tuned,consistency=filter", "scut,consistency=average", "threshold,otherwise=nearest"),
)
DECIDING = ("adaboost-mh", "blend", "flat", "flat-closed", "knn-bm25", "path-nb", "topdown")
COUNTING = ("adaboost-mh", "blend", "embedding-em", "flat", "flat-nb", "hiercost", "knn-bm25", "topdown")
IN_PARALLEL = ("adaboost-mh", "blend", "flat", "hiercost", "knn-bm25", "path-em", "topdown", "treeboost-mh")
ON_A_CLUSTER = ("adaboost-mh", "flat", "knn-bm25", "mp-boost", "path-em", "topdown")
EM = {"trust": "full", "tol": 0.0, "max_iter": 6}
RESUMED: dict[str, tuple[str, int, dict[str, Any]]] = {
    "adaboost-mh": ("rounds", 41, {"n_estimators": 64}),
    "adaboost-mh-kr": ("rounds", 5, {}),
    "embedding-em": ("iterations", 2, {"tol": 0.0}),
    "flat-em": ("iterations", 2, EM),
    "mp-boost": ("rounds", 5, {}),
    "multicomponent-em": ("iterations", 2, EM),
    "path-em": ("iterations", 2, EM),
    "topdown": ("nodes", 1, {}),
    "topdown-em": ("iterations", 2, EM),
    "treeboost-mh": ("nodes", 1, {}),
    "windriven-em": ("iterations", 2, EM),
}
"""Algorithm → the loop that is stopped, after how many steps, and parameters by which there are as many."""


def fitted(key: str, case: Case, **more: Any) -> tuple[Any, Any]:
    """Return a fitted classifier, and the documents to predict."""
    X, new, _, _ = data()
    if key in READS_TEXTS:
        X, new = words(X), words(new)
    model = build(key, case.hierarchy, **case.common, **more)
    return model.fit(X, case.labels, case.weight), new


def all_cases() -> Iterator[tuple[str, Callable[[], Record]]]:
    """Yield the key of each case, and what makes its results."""
    yield from cases_of_algorithms()
    yield from cases_of_fits()
    yield from cases_of_texts()


def cases_of_algorithms() -> Iterator[tuple[str, Callable[[], Record]]]:
    """Yield the cases that every algorithm has, and those of decisions."""
    shared = shared_cases()
    for key in ALGORITHMS:
        for name, case in shared.items():
            yield f"{key}/{name}", partial(fit_case, key, case)
        yield f"{key}/contributions", partial(contributions_case, key, shared["tree-lists"])
        for name in ("tree-lists", "tree-isotonic"):
            yield f"{key}/{name}-saved", partial(saved_case, key, shared[name])
    for key in DECIDING:
        for decision in DECISIONS:
            case = Case(shared["tree-lists"].labels, TREE, {"decision": decision})
            yield f"{key}/decision-{decision}", partial(fit_case, key, case)
    for key in ("flat", "knn-bm25", "knn-hierarchical"):
        for decision in ("tuned-dscut", "scut", "auto"):
            case = Case(shared["tree-lists"].labels, TREE, {"decision": decision})
            yield f"{key}/{decision}-above-score-limit", partial(above_score_limit, key, case)


def cases_of_fits() -> Iterator[tuple[str, Callable[[], Record]]]:
    """Yield the cases of other ways to fit, each of the algorithms that have it."""
    unlabeled = shared_cases()["tree-unlabeled"]
    for key in COUNTING:
        yield f"{key}/explicit-zeros", partial(explicit_zeros, key)
    for key in IN_PARALLEL:
        yield f"{key}/two-jobs", partial(two_jobs, key, unlabeled)
    for key in ("adaboost-mh", "adaboost-mh-kr", "mp-boost"):
        yield f"{key}/warm-start", partial(warm_start, key)
    for key, how in RESUMED.items():
        yield f"{key}/resumed", partial(resumed, key, unlabeled, *how)
    for key in ("blend", "rerank", "teacher-student"):
        yield f"{key}/two-views", partial(two_views, key, unlabeled)
    for key in ON_A_CLUSTER:
        yield f"{key}/cluster", partial(on_a_cluster, key, unlabeled)


def cases_of_texts() -> Iterator[tuple[str, Callable[[], Record]]]:
    """Yield the cases of the committed texts."""
    yield from values_cases().items()
    for method in ("frozen-encoder", "embedding-em", "pcem-plus"):
        yield f"texts/{method}-titles", partial(text_case, method, titles={"owls": "night birds", "sea": "salt water"})
    for method in ("em", "em-plus", "embedding-em", "emmc", "linear-svm", "pcem", "pcem-plus", "self-training", "tdem"):
        yield f"texts/{method}-unlabeled", partial(text_case, method, step=3)
    for scoring in ("okapi", "overlap"):
        yield f"live-index/{scoring}", partial(indexed, scoring)


def fit_case(key: str, case: Case) -> Record:
    """Return the results of a fit."""
    return results(*fitted(key, case))


def contributions_case(key: str, case: Case) -> Record:
    """Return the shares of the terms in the scores."""
    return contributions(*fitted(key, case))


def saved_case(key: str, case: Case) -> Record:
    """Return the results of a classifier that was saved and loaded."""
    model, new = fitted(key, case)
    with temporary_folder() as folder:
        return results(saved_and_loaded(model, folder), new)


def explicit_zeros(key: str) -> Record:
    """Return the results of a fit on documents with zeros that are written down."""
    X, new, _, lists = data()
    zeros = X.copy()
    zeros.data[::7] = 0.0
    return results(build(key, TREE, decision="auto").fit(zeros, lists), new)


def two_jobs(key: str, case: Case) -> Record:
    """Return the results of a fit in two jobs, the folds in two processes."""
    with constant(PROCESS_LIMIT[0], **{PROCESS_LIMIT[1]: 0.0}):
        return results(*fitted(key, case, n_jobs=2))


def above_score_limit(key: str, case: Case) -> Record:
    """Return the results where there are more scores than a decision may be fitted on."""
    with constant(SCORE_LIMIT[0], **{SCORE_LIMIT[1]: 100}):
        return results(*fitted(key, case))


def warm_start(key: str) -> Record:
    """Return the results of a fit that continues another."""
    X, new, _, lists = data()
    model = build(key, TREE, warm_start=True).set_params(n_estimators=4).fit(X, lists)
    return results(model.set_params(n_estimators=10).fit(X, lists), new)


def resumed(key: str, case: Case, what: str, at: int, more: dict[str, Any]) -> Record:
    """Return the results of a fit that was stopped and resumed."""
    X, new, _, _ = data()
    with temporary_folder() as folder:
        with stopped(what, at):
            build(key, TREE, **more).fit(X, case.labels, checkpoint=folder / "state")
        return results(build(key, TREE, **more).fit(X, case.labels, checkpoint=folder / "state", resume=True), new)


def two_views(key: str, case: Case) -> Record:
    """Return the results of an ensemble whose members see different columns."""
    X, new, _, _ = data()
    model = build(key, TREE, decision="auto")
    return results(model.fit(X, case.labels, columns=[slice(0, 5), slice(3, N_TERMS)]), new)


@cache
def texts() -> tuple[list[str], list[list[str]]]:
    """Return the committed texts and their labels."""
    lines = (TEXTS / "texts.jsonl").read_text(encoding="utf-8").splitlines()
    documents = [json.loads(line) for line in lines]
    return [one["text"] for one in documents], [one["labels"] for one in documents]


@cache
def text_tree() -> Hierarchy:
    """Return the categories of the committed texts."""
    return Hierarchy.from_tsv(TEXTS / "hierarchy.tsv")


def predicted_places() -> npt.NDArray[np.intp]:
    """Return which of the committed texts are predicted, and not learned from."""
    return np.arange(20) * len(texts()[0]) // 20


def text_case(method: str, step: int = 1, **common: Any) -> Record:
    """Return the results of a method on the committed texts, of which those of each `step` are labeled."""
    documents, labels = texts()
    unseen = set(predicted_places().tolist())
    seen = [place for place in range(len(documents)) if place not in unseen]
    known = [None if number % step else labels[place] for number, place in enumerate(seen)]
    model = text_classifier(method, hierarchy=text_tree(), **common).fit([documents[place] for place in seen], known)
    return results(model, [documents[place] for place in sorted(unseen)])


def indexed(scoring: str) -> Record:
    """Return the results of a live index."""
    documents, labels = texts()
    with temporary_folder() as folder:
        return results(live_index(folder / "index", documents, labels, scoring), documents[:20])


AT_END = ExitStack()
"""What is closed after all cases."""


@cache
def local_cluster() -> Any:
    """Return a client of two workers that last until `AT_END` is closed."""
    from distributed import Client, LocalCluster

    options = {"processes": True, "dashboard_address": None, "silence_logs": logging.CRITICAL}
    workers = AT_END.enter_context(LocalCluster(2, threads_per_worker=1, **options))
    return AT_END.enter_context(Client(workers))


def on_a_cluster(key: str, case: Case) -> Record:
    """Return the results of a fit on two workers."""
    with classmark.cluster(local_cluster()):
        return results(*fitted(key, case))


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """Yield a folder that is removed afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


def installed(key: str) -> bool:
    """Return whether the packages are installed that a case needs."""
    first, _, second = key.partition("/")
    name = second.partition("-titles")[0] if first == "texts" else first
    needed = NEEDS.get(name, ()) + (("distributed",) if second == "cluster" else ())
    return all(find_spec(package) is not None for package in needed)


def run(case: Callable[[], Record]) -> Record | None:
    """Return the results of a case, or the built-in class of what it raises; None if the case does not exist."""
    try:
        return case()
    except MissingParameterError:
        return None
    except (AssertionError, ImportError, NameError):
        raise
    except Exception as error:  # noqa: BLE001 - what a case raises is its result
        if "GOLDEN_DEBUG" in os.environ:
            traceback.print_exc()
        return {
            "raises": np.array(next(kind.__name__ for kind in type(error).__mro__ if hasattr(builtins, kind.__name__)))
        }


def dump(path: Path, only: str) -> None:
    """Run the cases and write their results."""
    warnings.simplefilter("ignore")
    found: Record = {}
    seconds: dict[str, float] = {}
    with AT_END:
        for key, case in all_cases():
            if not fnmatchcase(key, only) or not installed(key):
                continue
            started = time.perf_counter()
            record = run(case)
            if record is not None:
                found |= {f"{key}|{part}": np.asarray(value) for part, value in record.items()}
                seconds[key] = time.perf_counter() - started
    np.savez(path, **found)  # type: ignore[arg-type]
    slowest = sorted(seconds, key=lambda key: -seconds[key])[:10]
    listed = ", ".join(f"{key} {seconds[key]:.1f}" for key in slowest)
    sys.stderr.write(f"{len(seconds)} cases in {sum(seconds.values()):.0f} s; slowest, in seconds: {listed}\n")


VALUES = TEXTS / "values.npz"
KEPT = ("node-scores", "own-scores", "probabilities", "sets", "decision-kind", "decision-numbers")


def values_cases() -> dict[str, Callable[[], Record]]:
    """Return the cases whose results are committed: every method."""
    cases: dict[str, Callable[[], Record]] = {f"texts/{method}": partial(text_case, method) for method in METHODS}
    cases["texts/linear-svm-platt"] = partial(text_case, "linear-svm", calibration="platt", decision="scut")
    return cases


def write_values(path: Path) -> None:
    """Write the results that are committed; own scores that are the scores of nodes are not written twice."""
    warnings.simplefilter("ignore")
    found: Record = {}
    for key, case in values_cases().items():
        if not installed(key):
            sys.exit(f"{key}: missing {' or '.join(NEEDS[key.partition('/')[2]])}; install the extras embed and torch")
        record = case()
        if np.array_equal(record["node-scores"], record["own-scores"]):
            del record["own-scores"]
        found |= {f"{key}|{part}": record[part] for part in KEPT if part in record}
    np.savez_compressed(path, **found)  # type: ignore[arg-type]


def read(path: Path) -> dict[str, Record]:
    """Return the results that were written, by case."""
    cases: dict[str, Record] = {}
    with np.load(path) as file:
        for name in file.files:
            key, _, part = name.rpartition("|")
            cases.setdefault(key, {})[part] = file[name]
    return cases


def difference(before: Record, after: Record) -> str:
    """Return in which results two records differ, and by how much; empty if every byte is the same."""
    found = []
    for part in sorted({*before, *after}):
        if part not in before or part not in after:
            found.append(f"{part} {'added' if part in after else 'missing'}")
            continue
        old, new = before[part], after[part]
        if (old.dtype, old.shape, old.tobytes()) == (new.dtype, new.shape, new.tobytes()):
            continue
        if max(old.size, new.size) < 4 or old.shape != new.shape:
            found.append(f"{part} {shown(old)} -> {shown(new)}")
        elif old.dtype.kind == "U":
            found.append(f"{part} in {int((old != new).sum())} of {old.size} values")
        elif old.dtype != new.dtype:
            found.append(f"{part} {old.dtype} -> {new.dtype}")
        else:
            found.append(f"{part} by {largest_difference(old, new):.3g}")
    return ", ".join(found)


def shown(values: npt.NDArray[Any]) -> str:
    """Return a few values, or the shape of many."""
    return str(values.tolist()) if values.size < 4 else f"{values.dtype}{values.shape}"


def largest_difference(old: npt.NDArray[Any], new: npt.NDArray[Any]) -> float:
    """Return the largest absolute difference; infinite where one number only is infinite or not a number."""
    old, new = old.astype(float), new.astype(float)
    same = (old == new) | (np.isnan(old) & np.isnan(new))
    with np.errstate(invalid="ignore"):
        apart = np.where(same, 0.0, np.abs(old - new))
    return float(np.nan_to_num(apart, nan=np.inf, posinf=np.inf).max(initial=0.0))


def compare(before: dict[str, Record], after: dict[str, Record]) -> int:
    """Print the cases that differ; return 1 if some do, or are missing."""
    differing, missing = 0, sorted({*before} - {*after})
    for key in before:
        if key in after and (said := difference(before[key], after[key])):
            differing += 1
            print(f"{key}: {said}")
    for key in missing:
        print(f"{key}: missing here")
    for key in sorted({*after} - {*before}):
        print(f"{key}: only here")
    joined = len({*before} & {*after})
    print(f"{joined - differing} of {joined} cases equal")
    return int(bool(differing or missing))


def against(commit: str, only: str, jobs: int) -> int:
    """Compare this code with that of a commit, both run now; return the exit code."""
    with temporary_folder() as folder, worktree(commit, folder / "tree") as tree:
        if not (tree / "tools" / Path(__file__).name).is_file():
            sys.exit(f"{commit} has no tools/{Path(__file__).name}; name a later commit")
        sides = {folder / "before.npz": tree, folder / "after.npz": ROOT}
        running: list[subprocess.Popen[bytes]] = []
        try:
            for path, root in sides.items():
                running.append(start_dump(root, path, only))
                if jobs == 1:
                    running[-1].wait()
            codes = [process.wait() for process in running]
        finally:
            for process in running:
                process.terminate()
                process.wait()
        if any(codes):
            sys.exit(f"a dump failed: {commit} exit code {codes[0]}, this code {codes[1]}")
        return compare(*map(read, sides))


def start_dump(root: Path, path: Path, only: str) -> subprocess.Popen[bytes]:
    """Start the dump of a checkout by its own script."""
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join([str(root / "src"), str(root)]),
        "CLASSMARK_CACHE": "off",
        "OPENBLAS_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
    }
    command = [sys.executable, str(root / "tools" / Path(__file__).name), "--dump", str(path), "--only", only]
    return subprocess.Popen(command, cwd=root, env=environment)


@contextmanager
def worktree(commit: str, folder: Path) -> Iterator[Path]:
    """Yield a checkout of a commit that is removed afterwards."""
    git = ["git", "-C", str(ROOT), "worktree"]
    subprocess.run([*git, "add", "--quiet", "--detach", str(folder), commit], check=True)
    try:
        yield folder
    finally:
        subprocess.run([*git, "remove", "--force", str(folder)], check=False)


def main() -> int:
    """Run the command line; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dump", type=Path, metavar="FILE", help="write the results of this code to a file")
    parser.add_argument("--compare", type=Path, nargs=2, metavar="FILE", help="compare two files written by --dump")
    parser.add_argument("--against", metavar="COMMIT", help="compare this code with that of a commit")
    parser.add_argument("--write-values", action="store_true", help=f"write {VALUES.relative_to(ROOT)}")
    parser.add_argument("--only", default="*", metavar="PATTERN", help="cases to run, such as 'flat/*' (default: all)")
    parser.add_argument("--jobs", type=int, default=1, help="2 runs both sides of --against in parallel (default: 1)")
    arguments = parser.parse_args()
    # SIGTERM too removes the worktree.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    if arguments.dump:
        dump(arguments.dump, arguments.only)
    elif arguments.compare:
        return compare(*map(read, arguments.compare))
    elif arguments.write_values:
        write_values(VALUES)
    elif arguments.against:
        return against(arguments.against, arguments.only, arguments.jobs)
    else:
        parser.error("name one of --dump, --compare, --against and --write-values")
    return 0


if __name__ == "__main__":
    sys.exit(main())
