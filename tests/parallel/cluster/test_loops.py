"""Loops over folds, trials and documents give on a cluster what they give here, bit for bit."""

import numpy as np
import pytest

pytest.importorskip("distributed")

from classmark import Hierarchy, TextClassifier
from classmark.data import Corpus
from classmark.service.answering import Question, classify
from classmark.tuning import TuningProblem, tune
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
