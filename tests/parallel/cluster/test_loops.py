"""Loops over folds, trials and documents give on a cluster what they give here, bit for bit."""

import time

import numpy as np
import pytest

pytest.importorskip("distributed")

from classmark import Hierarchy, TextClassifier
from classmark.data import Corpus
from classmark.parallel import in_order
from classmark.parallel.cluster.tasks import Loop, Sent
from classmark.parallel.cluster.watching import ClusterLostError
from classmark.service.answering import Question, classify
from classmark.tuning import TuningProblem, tune
from tests.farms import Farm
from tests.parallel.cluster.problems import TREE, corpus


def test_the_same_answers(farm):
    texts, labels = corpus()
    tree = Hierarchy.from_nested(TREE)
    here = TextClassifier(hierarchy=tree).fit(texts, labels)
    with farm.cluster(2) as place:
        there = TextClassifier(hierarchy=tree).fit(texts, labels, client=place.client)
        assert there.predict(texts) == here.predict(texts)
        asked = [(str(number), text) for number, text in enumerate(texts * 20)]
        found = list(classify(there, asked, Question(scores=True)))
    assert found == list(classify(here, asked, Question(scores=True)))


def test_the_same_trials(farm):
    texts, labels = corpus(80)
    given = Corpus([str(i) for i in range(80)], texts, labels, [None] * 80, hierarchy=None, source="words")
    problem = TuningProblem(given, "linear-svm", size=20)
    space = {"C": [0.1, 1.0, 10.0]}
    best, trials = tune(problem, space, rounds=1)
    with farm.cluster(2):
        again, others = tune(TuningProblem(given, "linear-svm", size=20), space, rounds=1)
    assert (again.settings, again.score) == (best.settings, best.score)
    assert [(one.settings, one.score) for one in others] == [(one.settings, one.score) for one in trials]
    assert np.isfinite(best.score)


@pytest.mark.parametrize("workers", [1, 2, 3, 5])
def test_the_same_neighbours(farm, workers):
    texts, labels = corpus(300)
    model = TextClassifier("knn-bm25").fit(texts, labels)
    X = model.transform(texts[:50])
    here, said = model.classifier_.index_.top(X, 10), model.predict(texts[:50])
    with farm.cluster(workers) as place:
        there = model.classifier_.index_.top(X, 10)
        assert model.predict(texts[:50]) == said
        place.close()
        assert place.questions > 0
    assert there.documents.tobytes() == here.documents.tobytes()
    assert there.scores.tobytes() == here.scores.tobytes()


def slow(number):
    time.sleep(0.2)
    return number


def test_a_lost_scheduler_ends_a_loop_with_one_line(tmp_path):
    """Dask's client, which the futures belong to, is closed before patience ends."""
    farm, answers = Farm(tmp_path), []
    lost = r"^the scheduler at tcp://\S+ has gone .*tasks \(slow\)"
    try:
        with pytest.raises(ClusterLostError, match=lost), farm.cluster(1, patience=40):
            for answer in in_order(slow, [(number,) for number in range(100)]):
                answers.append(answer)
                if answer == 4:
                    farm.scheduler.kill()
    finally:
        farm.close()
    assert answers == list(range(len(answers)))


def no_space(number):
    raise OSError(f"no space left for {number}")


class Unreadable:
    """What a worker cannot read."""

    def __reduce__(self):
        return no_space, (7,)


def test_what_a_worker_cannot_read_is_said(farm):
    """Whether all tasks share it, and Dask reads it, or it is in one of them, and our own function does."""
    with farm.cluster(1):
        with pytest.raises(ClusterLostError, match=r"^tasks \(slow\): data could not be sent to the workers"):
            list(in_order(slow, [()], shared=(Unreadable(),)))
        with pytest.raises(OSError, match=r"^no space left for 7$"):
            list(in_order(slow, [(Unreadable(),)]))


class Failed:
    """A future that ended with an error of the machine, not of the task: only a full disk of a worker's makes one."""

    status = "error"

    def result(self, timeout):
        raise OSError("no space left on device")


def test_a_worker_whose_disk_is_full_ends_a_loop(farm):
    with farm.cluster(1) as place:
        loop, task = Loop(place.client, place.watch, place.kind, slow, ()), Sent(b"")
        task.futures.append(Failed())
        with pytest.raises(ClusterLostError, match=r"^tasks \(slow\): no space left on device; look at the logs"):
            loop._result(task)
