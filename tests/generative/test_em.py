"""Learning: equal to the oracle, never downhill, and the same bits on any number of threads."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from classmark import EMMC, FlatEM, FlatNB, Hierarchy, PathEM, PathNB, TopDownEM, WinDrivenEM
from classmark.generative import counts
from classmark.generative.counts import NEGLIGIBLE, posteriors
from classmark.generative.em import learn
from classmark.generative.examples import Examples, Rules
from tests.generative.problems import partly_labelled, problems
from tests.oracles import generative as oracle

EM = [FlatEM, PathEM, EMMC, TopDownEM, WinDrivenEM]
every_em = pytest.mark.parametrize("kind", EM, ids=lambda kind: kind.__name__)


def assert_equal_parameters(model, prior, theta, known):
    assert np.exp(model.log_prior_) == pytest.approx(prior, abs=1e-9)
    assert model.known_.tolist() == known
    assert np.exp(model.log_terms_) == pytest.approx(np.array(theta).T[known], abs=1e-9)


def assert_equal_posteriors(model, problem, prior, theta):
    """The odds of every node are those of the sum of the posteriors of the paths through it."""
    scores = model.node_scores(problem.X)
    assert np.isfinite(scores).any(axis=1).all()
    chances = 1 / (1 + np.exp(-scores))
    for row, x in zip(chances, problem.X.tolist(), strict=True):
        paths = oracle.posterior(oracle.log_joint(x, prior, theta))
        for node, name in enumerate(problem.tree.names):
            through = [name in problem.tree.path(problem.tree.names[end]) for end in problem.ends]
            assert row[node] == pytest.approx(sum(np.array(paths)[through]), abs=1e-9)


@settings(max_examples=60)
@given(
    problems(),
    st.sampled_from([0.1, 1.0, 2.5]),
    st.sampled_from([0.0, 0.3, 1.0]),
    st.sampled_from(["labelled", "all"]),
    st.integers(1, 3),
    st.booleans(),
)
def test_em_equals_the_oracle(problem, smoothing, weight, vocabulary, iterations, by_path):
    kind = PathEM if by_path else FlatEM
    model = kind(
        hierarchy=problem.tree,
        smoothing=smoothing,
        vocabulary=vocabulary,
        unlabeled_weight=weight,
        tol=0,
        max_iter=iterations,
    ).fit(problem.X, problem.labels)
    S = problem.path_scores([1.0] * problem.depth) if by_path else problem.flat_scores()
    known = problem.known(vocabulary)
    rounds = iterations if None in problem.labels else 0
    prior, theta, values = oracle.em(problem.X.tolist(), S, known, smoothing, weight, rounds)
    assert model.ends_.tolist() == problem.ends
    assert_equal_parameters(model, prior, theta, known)
    assert_equal_posteriors(model, problem, prior, theta)
    assert model.objective_ == pytest.approx(values, rel=1e-9, abs=1e-9)


@settings(max_examples=40)
@given(problems(unlabelled=False), st.data())
def test_naive_bayes_equals_the_oracle(problem, data):
    weights = data.draw(st.lists(st.sampled_from([0.5, 1.0, 2.0]), min_size=problem.depth, max_size=problem.depth))
    known = problem.known("labelled")
    for model, S in (
        (PathNB(hierarchy=problem.tree, level_weight=weights), problem.path_scores(weights)),
        (FlatNB(hierarchy=problem.tree), problem.flat_scores()),
    ):
        model.fit(problem.X, problem.labels)
        prior, theta = oracle.estimate(problem.X.tolist(), S, known, 1.0)
        assert_equal_parameters(model, prior, theta, known)
        assert_equal_posteriors(model, problem, prior, theta)


@pytest.mark.parametrize("kind", [FlatEM, PathEM, EMMC], ids=lambda kind: kind.__name__)
@settings(max_examples=40)
@given(problem=problems(), weight=st.sampled_from([0.2, 1.0]), prior=st.booleans())
def test_the_objective_never_falls(kind, problem, weight, prior):
    components = {"n_components": 2} if kind is EMMC else {}
    model = kind(hierarchy=problem.tree, prior=prior, unlabeled_weight=weight, tol=0, max_iter=8, **components).fit(
        problem.X, problem.labels
    )
    values = np.array(model.objective_)
    assert (np.diff(values) >= -1e-9 * (1 + np.abs(values[:-1]))).all()


corpus = partial(partly_labelled, documents=400, own=0.5)


def tree():
    return Hierarchy.from_paths(["a/x", "a/y", "b/z", "b/w"])


@every_em
def test_unlabelled_documents_help(kind):
    X, y, _ = corpus()
    held_out, _, expected = corpus(1)
    model = kind(hierarchy=tree(), vocabulary="all").fit(X, y)
    taught = kind(hierarchy=tree(), vocabulary="all").fit(X[::10], y[::10])
    assert (model.predict(held_out) == expected).mean() > (taught.predict(held_out) == expected).mean() > 0.6
    assert model.n_iter_ == len(model.objective_) > 1
    assert (taught.n_iter_, taught.objective_) == (1, [])


@every_em
def test_the_same_bits_on_any_number_of_threads_and_in_any_blocks(kind, monkeypatch):
    X, y, _ = corpus()
    settings = {"hierarchy": tree(), "scaling": "log-idf", "growth": 2}
    one = kind(**settings).fit(X, y)
    three = kind(**settings, n_jobs=3).fit(X, y)
    assert one.log_terms_.tobytes() == three.log_terms_.tobytes()
    assert one.log_prior_.tobytes() == three.log_prior_.tobytes()
    assert one.objective_ == three.objective_
    assert one.node_scores(X).tobytes() == three.node_scores(X).tobytes()
    monkeypatch.setattr(counts, "CELLS_IN_A_BLOCK", 70)
    blocks = kind(**settings).fit(X, y)
    assert blocks.log_terms_ == pytest.approx(one.log_terms_, rel=1e-12)
    assert blocks.objective_ == pytest.approx(one.objective_, rel=1e-12)


def test_it_stops_when_the_likelihood_hardly_rises():
    X, y, _ = corpus()
    long = FlatEM(tol=0, max_iter=30).fit(X, y).objective_
    gains = np.diff(long) / np.abs(long[:-1])
    stopped = FlatEM(tol=1e-3, max_iter=30).fit(X, y).objective_
    # Of one path a document, Equation 8 is the objective; the first gain under the tolerance is the last.
    assert len(stopped) == 2 + int(np.argmax(gains < 1e-3))
    assert stopped == long[: len(stopped)]
    assert len(FlatEM(tol=0, max_iter=7).fit(X, y).objective_) == 7


def test_a_weight_is_a_number_of_copies():
    X, y, _ = corpus(documents=40)
    weight = np.arange(40) % 3
    copies = np.repeat(np.arange(40), weight)
    for kind in EM:
        weighted = kind(hierarchy=tree()).fit(X, y, sample_weight=weight)
        copied = kind(hierarchy=tree()).fit(X[copies], y[copies])
        assert weighted.node_scores(X) == pytest.approx(copied.node_scores(X), rel=1e-9)


def test_the_vocabulary_grows():
    X, y, _ = corpus(documents=60, terms=200)
    narrow = PathEM(hierarchy=tree(), tol=0, max_iter=3).fit(X, y)
    wide = PathEM(hierarchy=tree(), tol=0, max_iter=3, growth=2).fit(X, y)
    labelled = X[[label is not None for label in y]].any(axis=0)
    assert narrow.known_.tolist() == labelled.tolist()
    assert wide.known_.all()
    assert len(wide.objective_) == 5
    frequent = PathEM(hierarchy=tree(), tol=0, max_iter=3, growth=2, growth_min_df=8).fit(X, y)
    assert frequent.known_.tolist() == (labelled | ((X > 0).sum(axis=0) >= 8)).tolist()
    assert frequent.known_.sum() < 200


def test_the_negligible_is_left_out_of_sums_alone():
    joint, evidence = np.array([[0.0, -100.0, np.log(2 * NEGLIGIBLE)]]), np.empty(1)
    posteriors(joint, evidence)
    assert evidence[0] == pytest.approx(0.0, abs=1e-9)
    assert joint[0] == pytest.approx([1.0, 0.0, 2 * NEGLIGIBLE])
    assert joint[0, 1] == 0
    X = csr_array([[1.0, 0.0], [0.0, 1.0], [200.0, 0.0]])
    scores = csr_array([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]])
    mixture, _ = learn(Examples(X, scores, scores, np.ones(3)), np.ones(2, bool), Rules(max_iter=1))
    # The third document is the first class's alone: (1 + 1) and (1 + 0) documents, 1 added to each.
    assert np.exp(mixture.log_prior) == pytest.approx([3 / 5, 2 / 5])
    assert np.exp(mixture.log_terms[:, 1]) == pytest.approx([1 / 3, 2 / 3])
    assert np.exp(mixture.log_terms[:, 0]) == pytest.approx([202 / 203, 1 / 203])
