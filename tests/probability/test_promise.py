"""What held-out documents promise of sure answers: counted one by one, bounded, kept on new documents, and in files."""

from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.sparse import csr_array
from scipy.stats import binom

from classmark import ConsistentClassifier, FlatClassifier, FlatNB, Hierarchy, persistence
from classmark.held_out import measured_promise
from classmark.labels import encode
from classmark.probability import CALIBRATIONS, Promise
from classmark.probability.promise import CUTS, SHOWN
from tests.generators import hierarchies, indicators
from tests.oracles import coverage as oracle
from tests.oracles.metrics import sets_of

ONE = Hierarchy.flat(["a"])
TREE = Hierarchy.from_nested({"a": {"x": ["u", "v"], "y": None}, "b": ["z", "w"]})
LEAVES = ["u", "v", "y", "z", "w"]
TWO_EACH = pytest.mark.parametrize("several", [False, True])


def documents(number, seed, several):
    """Documents whose words overlap, so that answers are often wrong, the more so the deeper."""
    random = np.random.default_rng(seed)
    rows = np.arange(number)
    places = random.integers(0, 5, (number, 2))
    rates = np.full((number, 9), 0.4)
    rates[rows, places[:, 0]] += 1.2
    rates[rows, 5 + places[:, 0] // 2] += 1.5
    if several:
        rates[rows, places[:, 1]] += 1.2
    names = [[LEAVES[one], LEAVES[two]] if several else [LEAVES[one]] for one, two in places]
    return random.poisson(rates).astype(float), names


@cache
def fitted(calibration, several, kind=FlatClassifier):
    return kind(hierarchy=TREE, calibration=calibration).fit(*documents(1500, 0, several))


def promise_of(labels, right, chances=None):
    """A promise from documents that all have one label, the first of them rightly."""
    given_chances = np.ones(labels) if chances is None else chances
    true = csr_array((np.arange(labels) < right)[:, None])
    return Promise.of([(csr_array(np.ones((labels, 1), bool)), given_chances, true)], ONE)


@st.composite
def measured(draw):
    """Draw a hierarchy, closed label sets, chances of all nodes, and what is true."""
    hierarchy = draw(hierarchies())
    number = draw(st.integers(1, 5))
    labels, true = (hierarchy.close(draw(indicators(hierarchy, number))) for _ in range(2))
    chances = draw(arrays(np.float64, labels.shape, elements=st.sampled_from([0.0, 0.005, 0.5, 0.7, 0.9985, 1.0])))
    return hierarchy, labels, chances, true


@given(measured())
def test_the_slow_twin_counts_the_same(case):
    hierarchy, labels, chances, true = case
    promise = Promise.of([(labels, chances[labels.nonzero()], true)], hierarchy)
    rows = [dict(enumerate(row)) for row in chances.tolist()]
    by_one = list(zip(sets_of(labels), rows, sets_of(true), strict=True))
    for cut in (0, 1, 50, 51, 70, 99, 107, 108):
        assert tuple(promise.counts[:, cut]) == oracle.promised(by_one, CUTS[cut], hierarchy)


@given(measured())
def test_documents_may_come_in_parts(case):
    hierarchy, labels, chances, true = case
    parts = [
        (csr_array(labels[[row]]), chances[row][labels[[row]].nonzero()[1]], csr_array(true[[row]]))
        for row in range(labels.shape[0])
    ]
    whole = Promise.of([(labels, chances[labels.nonzero()], true)], hierarchy)
    assert np.array_equal(Promise.of(parts, hierarchy).counts, whole.counts)


@pytest.mark.parametrize(("labels", "right"), [(1, 1), (10, 10), (10, 9), (200, 150), (5000, 4990)])
def test_the_bound_is_where_so_many_right_ones_become_unlikely(labels, right):
    bound = promise_of(labels, right).surely_right[0]
    # If only this share were right, there would be so many right ones in one sample of twenty.
    assert binom.sf(right - 1, labels, bound) == pytest.approx(0.05)


def test_nothing_right_promises_nothing():
    assert promise_of(10, 0).most == 0
    assert promise_of(10, 0).table() == []


def test_the_cut_is_never_below_what_is_promised_and_above_it_where_needed():
    chances = np.linspace(1, 0, 1000, endpoint=False)
    sure = promise_of(1000, 1000, chances)
    assert [sure.at(confidence).probability for confidence in (0.5, 0.8, 0.9)] == [0.5, 0.8, 0.9]
    # Right down to .7 alone: at a cut of .6 three in four are right, and .6 can be promised; .75 takes a higher cut.
    late = promise_of(1000, 300, chances)
    assert late.at(0.6).probability == 0.6
    assert 0.6 < late.at(0.74).probability == pytest.approx(0.74)
    assert late.at(0.9).probability == 0.9


def test_probabilities_that_are_too_high_are_cut_higher():
    chances = np.linspace(1, 0.5, 1000)
    promised = promise_of(1000, 400, chances).at(0.55)
    assert promised.probability > 0.6
    assert promised.right > 0.55


def test_what_cannot_be_promised_is_refused_with_what_can():
    promise = promise_of(30, 30)
    with pytest.raises(ValueError, match=r"min_precision=0.95.*more than the 30 documents .* give at most 0\.904,"):
        promise.at(0.95)
    assert promise.at(0.904).right == 1
    with pytest.raises(ValueError, match="give at most"):
        promise.at(1.0)


@TWO_EACH
@pytest.mark.parametrize("calibration", CALIBRATIONS)
def test_the_promise_is_kept_on_new_documents(calibration, several):
    model = fitted(calibration, several)
    X, names = documents(4000, 1, several)
    true = TREE.close(encode(names, TREE).indicator)
    promises = model.promise_.table()
    assert [one.confidence for one in promises] == list(SHOWN[: len(promises)])
    assert len(promises) >= 3
    for promised in promises:
        answers = TREE.own(encode(model.predict_sure(X, promised.confidence), TREE).indicator)
        right = answers.multiply(true).nnz / answers.nnz
        # Two hundredths for chance: the fewest labels given are some hundreds.
        assert right > promised.confidence - 0.02
        assert right == pytest.approx(promised.right, abs=0.05)
        # A step of an isotonic curve holds many documents, and moves where other ones are learned from.
        assert np.mean(np.diff(answers.indptr) == 0) == pytest.approx(promised.without, abs=0.1)


@pytest.mark.parametrize("kind", [FlatClassifier, ConsistentClassifier])
def test_more_is_given_where_less_is_asked_for(kind):
    model = fitted("platt", True, kind)
    X, _ = documents(200, 2, True)
    before = model.predict_indicator(X).toarray()
    for confidence in (0.3, 0.5, 0.7, 0.9):
        kept = TREE.close(encode(model.predict_sure(X, confidence), TREE).indicator).toarray()
        assert (kept <= before).all()
        before = kept


def test_answers_are_lists_and_an_indicator_stays_one():
    X, names = documents(300, 0, False)
    one = FlatClassifier(hierarchy=TREE, calibration="softmax").fit(X, np.array(names)[:, 0])
    assert isinstance(one.predict(X), np.ndarray)
    sure = one.predict_sure(X, 0.8)
    assert {len(labels) for labels in sure} == {0, 1}
    assert {label for labels in sure for label in labels} & {"a", "b", "x"}
    closed = TREE.close(encode(names, TREE).indicator)
    many = FlatClassifier(hierarchy=TREE, calibration="platt").fit(X, closed)
    assert TREE.is_consistent(many.predict_sure(X, 0.5)).all()


def test_own_probabilities_are_taken_as_they_are():
    X, names = documents(300, 0, False)
    model = FlatNB(hierarchy=TREE).fit(X, names)
    assert model.promise_ is None
    chances = model.predict_proba(X)
    for labels, row in zip(model.predict_sure(X, 0.9), chances, strict=True):
        assert all(row[TREE.position(label)] >= 0.9 for label in labels)


@pytest.mark.parametrize("confidence", [0, -0.5, 1.5, np.nan, "much", True, None])
def test_confidences_that_cannot_be(confidence):
    with pytest.raises(ValueError, match=r"^min_precision=.*> 0 and <= 1$"):
        fitted("platt", False).predict_sure(documents(1, 0, False)[0], confidence)


def test_without_probabilities():
    X, names = documents(50, 0, False)
    model = FlatClassifier(hierarchy=TREE).fit(X, names)
    with pytest.raises(ValueError, match=r"which the model does not give; train it with calibration \(platt, isotonic"):
        model.predict_sure(X, 0.5)


def test_the_file_keeps_it(tmp_path):
    model = fitted("platt", True)
    persistence.save(tmp_path / "model", model.to_state())
    loaded = FlatClassifier().from_state(persistence.load(tmp_path / "model"))
    assert loaded.promise_.table() == model.promise_.table()
    X, _ = documents(50, 3, True)
    assert loaded.predict_sure(X, 0.6) == model.predict_sure(X, 0.6)


@pytest.mark.parametrize(
    "change",
    [
        {"documents": "many"},
        {"documents": 3},
        {"cuts": np.empty(0)},
        {"counts": np.full((4, CUTS.size), -1)},
        {"counts": np.tile(np.array([[1], [2], [0], [0]]), CUTS.size)},
    ],
)
def test_what_cannot_be_a_promise_is_refused(change):
    state = promise_of(10, 5).to_state() | change
    with pytest.raises(ValueError, match=r"promise|counts|cuts"):
        Promise.from_state(state)


def test_no_document_is_measured_by_what_was_learned_from_it():
    """Scores that say nothing: curves learned from the same documents would know rare labels by heart."""
    random = np.random.default_rng(0)
    own = csr_array(np.eye(5, dtype=bool)[random.integers(0, 5, 400)])
    model = FlatClassifier(hierarchy=Hierarchy.flat(LEAVES), calibration="isotonic")
    model.fit(random.random((50, 3)), random.choice(LEAVES, 50))
    promise = measured_promise(model, random.normal(size=(400, 5)), own, pooled=False)
    assert promise.documents == 400
    assert promise.most < 0.4


def test_fitting_again_without_calibration_promises_nothing():
    X, names = documents(60, 0, False)
    model = FlatClassifier(hierarchy=TREE, calibration="platt").fit(X, names)
    assert model.promise_ is not None
    assert model.set_params(calibration=None).fit(X, names).promise_ is None
