"""The short ways to an answer lead where the scores and the decision do, whatever these are."""

from dataclasses import fields

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import RidgeClassifier

from classmark import FlatClassifier, Hierarchy, TopDownClassifier
from classmark.decision import CONSISTENCY, DECISIONS, Auto, LearnedDecision, Threshold, make_decision
from classmark.labels import encode
from classmark.strategies.topdown.descent import DESCENTS
from tests.generators import hierarchies


def documents(random, count):
    return random.random((count, 6)) * (random.random((count, 6)) < 0.5)


def random_model(seed, hierarchy, learner, **settings):
    """A model of a few documents with random terms and labels; they, their labels, and others."""
    random = np.random.default_rng(seed)
    X, unseen = documents(random, 14), documents(random, 20)
    chosen = random.random((14, len(hierarchy))) < 0.3
    chosen[0, -1] = True
    labels = [[hierarchy.names[node] for node in np.flatnonzero(row)] for row in chosen]
    model = TopDownClassifier(learner, hierarchy=hierarchy, decision="threshold", **settings)
    return model.fit(X, labels), X, encode(labels, hierarchy).indicator, unseen


def every_decision(scores):
    """Each decision of the table under each consistency rule; thresholds also among the scores."""
    values = [0.0, *np.quantile(scores[np.isfinite(scores)], [0.3, 0.6, 0.9]).tolist()]
    for name, kind in DECISIONS.items():
        if kind is Auto:  # which stands for one of the others
            continue
        rules = CONSISTENCY if "consistency" in {field.name for field in fields(kind)} else [None]
        for rule in rules:
            if kind is Threshold:
                yield from (Threshold(value, rule) for value in values)
            else:
                yield make_decision(name, {} if rule is None else {"consistency": rule})


@pytest.mark.parametrize("learner", [RidgeClassifier(), FlatClassifier(RidgeClassifier())], ids=["linear", "ours"])
@settings(max_examples=15)
@given(
    seed=st.integers(0, 10_000),
    hierarchy=hierarchies(10) | hierarchies(10, tree=True),
    descent=st.sampled_from(list(DESCENTS)),
    inner=st.sampled_from(["stay", "reach"]),
)
def test_answers_are_those_of_the_scores_and_the_decision(learner, seed, hierarchy, descent, inner):
    model, X, labels, unseen = random_model(seed, hierarchy, learner, descent=descent, inner=inner)
    scores, taught = ((model.node_scores(one), model.own_scores(one)) for one in (unseen, X))
    for decision in every_decision(scores[0]):
        learns = isinstance(decision, LearnedDecision)
        model.decision_ = decision.fit(taught[decision.ranks_ends], labels, hierarchy) if learns else decision
        expected = model.decision_.decide(scores[decision.ranks_ends], hierarchy, model.ends_)
        assert (model.predict_indicator(unseen) != hierarchy.close(expected)).nnz == 0, model.decision_


def test_how_far_an_ancestor_is_below_the_threshold_counts_by_another_way():
    """A document is stopped at p; r, which is worth 3 by way of s, still needs q below p: 3 - 4 - 0.5 < 0."""
    dag = Hierarchy.from_parents({"p": None, "s": None, "q": "p", "r": ["q", "s"]})
    decision = Threshold(consistency="likelihood")
    model = TopDownClassifier(hierarchy=dag, decision=decision, inner="reach").fit(np.eye(4), [[one] for one in dag])
    margins = {"p": -0.5, "s": 3.0, "q": -4.0, "r": 5.0}
    found = np.array([margins[dag.names[slot]] for slot in model.structure_.slots])
    model.bank_ = model.bank_._replace(weights=0 * model.bank_.weights, intercepts=found)
    assert model.node_scores(np.eye(4)[:1]).tolist() == [[-0.5, 3, -4, 3]]
    assert model.predict(np.eye(4)[:1]) == [["s"]]
