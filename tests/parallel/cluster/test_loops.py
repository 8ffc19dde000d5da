"""Loops over folds, trials and documents give on a cluster what they give here, bit for bit."""

import time

import numpy as np
import pytest

pytest.importorskip("distributed")

from classmark import Hierarchy, TextClassifier
from classmark.data import Corpus
from classmark.parallel import in_order
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
    lost = r"^the scheduler at tcp://\S+ has gone while waiting for tasks \(slow\)"
    try:
        with pytest.raises(ClusterLostError, match=lost), farm.cluster(1, patience=40):
            for answer in in_order(slow, [(number,) for number in range(100)]):
                answers.append(answer)
                if answer == 4:
                    farm.scheduler.kill()
    finally:
        farm.close()
    assert answers == list(range(len(answers)))
