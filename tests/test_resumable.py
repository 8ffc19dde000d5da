"""What was stopped goes on from its checkpoint, and gives the same model to the last bit."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.sparse import random as random_sparse
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.utils.validation import has_fit_parameter

from classmark import (
    EMMC,
    AdaBoostMH,
    AdaBoostMHKR,
    EmbeddingEM,
    FlatEM,
    Hierarchy,
    MPBoost,
    PathEM,
    TextClassifier,
    TopDownClassifier,
    TopDownEM,
    TreeBoostMH,
    WinDrivenEM,
    checkpoints,
)
from classmark.progress import listening
from classmark.registry import METHODS, find
from tests.stopping import bits_of, stopped

LEAVES = [f"{top}/{leaf}" for top in "abc" for leaf in "xyz"]
TREE = Hierarchy.from_paths(LEAVES)
RANDOM = np.random.default_rng(0)
Y = [LEAVES[number] for number in RANDOM.integers(len(LEAVES), size=120)]
PARTLY = [name if number % 3 == 0 else None for number, name in enumerate(Y)]


def documents() -> Any:
    """Give counts that say something about the labels, and much that says nothing."""
    X = random_sparse(120, 60, density=0.2, random_state=0, format="lil")
    for row, name in enumerate(Y):
        X[row, LEAVES.index(name)] += RANDOM.integers(1, 3)
    X = X.tocsr()
    X.data = np.ceil(X.data * 3)
    return X


X = documents()
LEARNING: list[tuple[Any, list[Any], str, int]] = [
    (AdaBoostMH(64), Y, "rounds", 41),
    (AdaBoostMH(64, n_jobs=2), Y, "rounds", 41),
    (AdaBoostMH(30, validation_fraction=0.2), Y, "rounds", 7),
    (AdaBoostMH(20, intervals=3), Y, "rounds", 17),
    (AdaBoostMH(48, prediction="discrete"), Y, "rounds", 40),
    (AdaBoostMHKR(40, committee="growing,step=1,every=5"), Y, "rounds", 33),
    (MPBoost(12), Y, "rounds", 5),
    (MPBoost(12, committee="near,distance=0.05", validation_fraction=0.2), Y, "rounds", 5),
    (TreeBoostMH(20), Y, "nodes", 3),
    (TopDownClassifier(), Y, "nodes", 2),
    (TopDownClassifier(AdaBoostMH(5)), Y, "nodes", 2),
    (FlatEM(tol=0, max_iter=6), PARTLY, "iterations", 4),
    (PathEM(tol=0, max_iter=6, growth=3), PARTLY, "iterations", 2),
    (PathEM(tol=0, max_iter=4, growth=6), PARTLY, "iterations", 5),
    (TopDownEM(tol=0, max_iter=4), PARTLY, "iterations", 3),
    (EMMC(n_components=2, tol=0, max_iter=6), PARTLY, "iterations", 4),
    (WinDrivenEM(tol=0, max_iter=6), PARTLY, "iterations", 4),
    (EmbeddingEM(tol=0, max_iter=9), PARTLY, "iterations", 4),
]


@pytest.mark.parametrize(
    ("classifier", "labels", "what", "at"), LEARNING, ids=lambda value: type(value).__name__ if value else None
)
def test_what_was_stopped_goes_on_to_the_last_bit(tmp_path, classifier, labels, what, at):
    classifier.set_params(hierarchy=TREE)
    checkpoint = tmp_path / "checkpoint"
    with stopped(what, at):
        clone(classifier).fit(X, labels, checkpoint=checkpoint)
    resumed = clone(classifier).fit(X, labels, checkpoint=checkpoint, resume=True)
    assert bits_of(resumed, tmp_path) == bits_of(clone(classifier).fit(X, labels), tmp_path)
    # What was done is not done again: the file is that of the stop, of which nothing more was kept so soon.
    left: list[int | None] = []
    again = clone(classifier)
    _listen(again, labels, checkpoint, what, left)
    assert left[0] is not None
    whole: list[int | None] = []
    _listen(again, labels, None, what, whole)
    assert sum(filter(None, left)) < sum(filter(None, whole))


def _listen(classifier: Any, labels: Any, checkpoint: Any, what: str, totals: list[int | None]) -> None:
    """Fit, from the checkpoint if there is one, and note how many steps there were to do each time."""

    def listen(name: str, done: int, total: int | None) -> None:
        if name == what and done == 0:
            totals.append(total)

    given = {} if checkpoint is None else {"checkpoint": checkpoint, "resume": True}
    with listening(listen):
        classifier.fit(X, labels, **given)


def _change(name: str) -> Callable[[Any, Any, list[str]], tuple[Any, Any, list[str]]]:
    """Give what changes one thing of a run."""
    other = X.copy()
    other.data[0] += 1.0
    return {
        "documents": lambda model, _, labels: (model, other, labels),
        "labels": lambda model, X, labels: (model, X, [*labels[:-1], labels[0] if labels[0] != labels[-1] else "a/x"]),
        "n_estimators": lambda model, X, labels: (model.set_params(n_estimators=50), X, labels),
        "method": lambda model, X, labels: (MPBoost(hierarchy=TREE), X, labels),
        "categories": lambda model, X, labels: (model.set_params(hierarchy=None), X, labels),
    }[name]


@pytest.mark.parametrize("name", ["documents", "labels", "n_estimators", "method", "categories"])
def test_a_checkpoint_of_something_else_is_refused(tmp_path, name):
    checkpoint = tmp_path / "checkpoint"
    model = AdaBoostMH(64, hierarchy=TREE)
    with stopped("rounds", 20):
        clone(model).fit(X, Y, checkpoint=checkpoint)
    before = checkpoint.read_bytes()
    model, other, labels = _change(name)(model, X, Y)
    with pytest.raises(ValueError, match=rf"checkpoint: of another run \(.*{name}.*"):
        model.fit(other, labels, checkpoint=checkpoint, resume=True)
    assert checkpoint.read_bytes() == before


def test_another_decision_or_number_of_threads_changes_nothing_that_is_kept(tmp_path):
    checkpoint = tmp_path / "checkpoint"
    with stopped("rounds", 20):
        AdaBoostMH(64).fit(X, Y, checkpoint=checkpoint)
    resumed = AdaBoostMH(64, decision="threshold,value=0.5", n_jobs=2)
    resumed.fit(X, Y, checkpoint=checkpoint, resume=True)
    np.testing.assert_array_equal(resumed.z_, AdaBoostMH(64).fit(X, Y).z_)


def test_a_file_that_is_no_checkpoint_is_refused(tmp_path):
    file = tmp_path / "checkpoint"
    file.write_bytes(b"nothing of the kind")
    with pytest.raises(ValueError, match=r"checkpoint: not a checkpoint .*; delete it, or do not resume"):
        AdaBoostMH(4).fit(X, Y, checkpoint=file, resume=True)
    with pytest.raises(ValueError, match="the checkpoint of a run that was stopped; resume it, or delete the file"):
        AdaBoostMH(4).fit(X, Y, checkpoint=file)
    with pytest.raises(ValueError, match="no checkpoint"):
        AdaBoostMH(4).fit(X, Y, checkpoint=tmp_path / "none", resume=True)
    with pytest.raises(ValueError, match=r"resume:.*no checkpoint"):
        AdaBoostMH(4).fit(X, Y, resume=True)


def test_what_no_file_can_hold_is_not_kept(tmp_path):
    model = TopDownClassifier(RandomForestClassifier(2, random_state=0), hierarchy=TREE)
    with stopped("nodes", 4):
        model.fit(X, Y, checkpoint=tmp_path / "checkpoint")
    assert not (tmp_path / "checkpoint").exists()


def test_a_quick_run_keeps_nothing(tmp_path):
    AdaBoostMH(4).fit(X, Y, checkpoint=tmp_path / "checkpoint")
    assert not (tmp_path / "checkpoint").exists()


def test_learning_goes_on_where_nothing_can_be_kept(tmp_path, monkeypatch):
    monkeypatch.setattr(checkpoints, "SECONDS_BETWEEN", 0.0)
    folder = tmp_path / "gone"
    with pytest.warns(UserWarning, match="learning goes on, and nothing more is kept of it"):
        model = AdaBoostMH(64).fit(X, Y, checkpoint=folder / "checkpoint")
    assert model.n_estimators_ == 64


def test_texts_are_learned_from_on(tmp_path):
    texts, labels = ["owls hoot", "gulls cry", "oaks grow"] * 4, ["owl", "gull", "oak"] * 4
    model = TextClassifier("adaboost-mh", settings={"n_estimators": 40})
    with stopped("rounds", 20):
        clone(model).fit(texts, labels, checkpoint=tmp_path / "checkpoint")
    resumed = clone(model).fit(texts, labels, checkpoint=tmp_path / "checkpoint", resume=True)
    assert bits_of(resumed, tmp_path) == bits_of(model.fit(texts, labels), tmp_path)


def test_the_methods_that_go_on_are_those_of_the_page():
    page = (Path(__file__).parent.parent / "docs" / "long-runs.md").read_text(encoding="utf-8")
    table = page[page.index("| methods | what is kept |") :]
    named = re.findall(r"`([\w-]+)`", "".join(line.split("|")[1] for line in table.split("\n\n")[0].splitlines()))
    found = [name for name, method in METHODS.items() if has_fit_parameter(find(method.home), "resume")]
    assert sorted(named) == sorted(found)


def test_ctrl_c_keeps_the_rounds_and_the_checkpoint(tmp_path, monkeypatch):
    def look(one: Any) -> None:
        if one.number == 20:
            raise KeyboardInterrupt

    monkeypatch.setattr(checkpoints, "SECONDS_BETWEEN", 0.0)
    monkeypatch.setattr(checkpoints, "TIMES_AS_LONG", 0.0)
    checkpoint = tmp_path / "checkpoint"
    with pytest.warns(UserWarning, match="interrupted: kept the 20 of 40 rounds done; resume goes on"):
        cut = AdaBoostMH(40, callback=look).fit(X, Y, checkpoint=checkpoint)
    assert (cut.n_estimators_, cut.interrupted_) == (20, True)
    # Whoever looks on changes nothing that is learned.
    resumed = AdaBoostMH(40).fit(X, Y, checkpoint=checkpoint, resume=True)
    assert bits_of(resumed, tmp_path) == bits_of(AdaBoostMH(40).fit(X, Y), tmp_path)
