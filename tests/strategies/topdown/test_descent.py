"""The way down: kernels, the problem-by-problem walk and the recursion by definition agree; Figure 1 follows."""

import math
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from classmark import Hierarchy
from classmark.strategies.topdown.classifier import _structure
from classmark.strategies.topdown.descent import DESCENTS, Structure, localise, walk
from classmark.strategies.topdown.linear_bank import LinearBank, LinearModel
from classmark.strategies.topdown.local import local_problems
from tests.generators import hierarchies, indicators
from tests.oracles import topdown as oracle

FEATURES = 4


def ints(*values):
    return np.array(values, dtype=np.int32)


@st.composite
def banks(draw):
    """A hierarchy with random linear models at its nodes, and documents for them."""
    hierarchy = draw(hierarchies(9))
    labels = draw(indicators(hierarchy, draw(st.integers(1, 5))).filter(lambda drawn: drawn.nnz))
    own = hierarchy.own(hierarchy.close(labels))
    problems = list(local_problems(own, hierarchy, "siblings", draw(st.booleans())))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    models = []
    for problem in problems:
        columns = np.flatnonzero(random.random(FEATURES) < 0.7)
        # Quarters: ties happen, and sums are exact in any order.
        weights = random.integers(-8, 9, (columns.size, problem.slots.size)) / 4
        models.append(LinearModel(columns, weights, random.integers(-8, 9, problem.slots.size) / 4))
    X = csr_array(random.integers(0, 3, (draw(st.integers(1, 4)), FEATURES)).astype(float))
    bank = LinearBank.gather(models, FEATURES, 0.0)
    ends = np.unique(own.indices).astype(np.int32)
    return hierarchy, _structure(problems, "node", len(hierarchy)), bank, X, ends


def margins_of(bank, structure, X, document):
    """One document's local margins as the oracle takes them."""
    found = {}
    for problem, parent in enumerate(structure.parents.tolist()):
        margins = bank.margins(X, structure.of(problem))[document]
        slots = structure.slots[structure.of(problem)].tolist()
        names = [("reach", slot) if slot < structure.nodes else ("stay", slot - structure.nodes) for slot in slots]
        found[parent] = dict(zip(names, margins.tolist(), strict=True))
    return found


def local_of(bank, structure, X):
    return lambda problem, rows: bank.margins(csr_array(X[rows]), structure.of(problem))


@given(banks(), st.sampled_from(list(DESCENTS)))
def test_scores_are_those_of_the_definition(case, descent):
    hierarchy, structure, bank, X, _ = case
    scores = bank.scores(X, structure, descent)
    assert walk(structure, local_of(bank, structure, X), X.shape[0], descent) == pytest.approx(scores, rel=1e-12)
    for document in range(X.shape[0]):
        margins = margins_of(bank, structure, X, document)
        for node in range(len(hierarchy)):
            expected = oracle.score(node, margins, hierarchy, descent)
            if expected == math.inf:  # nothing stands in the way
                assert scores[document, node] >= max(1.0, *scores[document, structure.below(node)], 1.0)
            else:
                assert scores[document, node] == pytest.approx(expected, rel=1e-6, abs=1e-9)


@given(banks(), st.sampled_from(list(DESCENTS)), st.integers(-6, 6))
def test_a_floor_changes_no_answer(case, descent, quarters):
    _, structure, bank, X, _ = case
    floor = quarters / 4
    whole = bank.scores(X, structure, descent)
    lazy = bank.scores(X, structure, descent, floor=floor)
    # What is at the floor but for rounding may be on either side of it.
    clear = np.abs(whole - floor) > 1e-9
    assert np.array_equal((lazy > floor)[clear], (whole > floor)[clear])
    assert lazy[lazy > floor] == pytest.approx(whole[lazy > floor], rel=1e-12)
    walked = walk(structure, local_of(bank, structure, X), X.shape[0], descent, floor=floor)
    assert walked == pytest.approx(lazy, rel=1e-12)


@given(banks())
def test_above_zero_is_what_figure_1_lets_through(case):
    hierarchy, structure, bank, X, _ = case
    scores = bank.scores(X, structure, "filter", floor=0.0)
    staying = set((structure.slots[structure.slots >= structure.nodes] - structure.nodes).tolist())
    for document in range(X.shape[0]):
        accepted = oracle.figure_1(margins_of(bank, structure, X, document), hierarchy)
        for node in set(range(len(hierarchy))) - staying:
            assert (scores[document, node] > 0) == (node in accepted)


@given(banks(), st.sampled_from(list(DESCENTS)))
def test_the_best_end_is_that_of_all_scores(case, descent):
    _, structure, bank, X, ends = case
    best = bank.best_ends(X, structure, descent, ends)
    scores = bank.scores(X, structure, descent)
    for document, end in enumerate(best.tolist()):
        assert end in ends
        assert scores[document, end] == pytest.approx(scores[document, ends].max(), rel=1e-9)
    if descent == "filter":  # exact arithmetic: of equals the first
        assert best.tolist() == ends[np.argmax(scores[:, ends], axis=1)].tolist()


@given(banks(), st.sampled_from(list(DESCENTS)))
def test_threads_give_the_same_bits(case, descent):
    _, structure, bank, X, ends = case
    one, two = (bank.scores(X, structure, descent, n_threads=count) for count in (1, 2))
    assert one.tobytes() == two.tobytes()
    assert np.array_equal(*(bank.best_ends(X, structure, descent, ends, n_threads=count) for count in (1, 3)))


@given(banks())
def test_no_child_scores_above_all_its_parents(case):
    hierarchy, structure, bank, X, _ = case
    scores = bank.scores(X, structure, "filter")
    if (structure.slots >= structure.nodes).any():
        return
    for node in range(len(hierarchy)):
        above = hierarchy.parent_positions(node)
        if above.size:
            assert (scores[:, node] <= scores[:, above].max(axis=1)).all()


# a above x and y, b beside it.
TREE = Hierarchy.from_nested({"a": ["x", "y"], "b": None})
STRUCTURE = Structure(ints(-1, 0), ints(0, 2, 4), ints(0, 1, 2, 3), 4)
MARGINS = [np.array([[2.0, -1.0], [-0.5, 1.0]]), np.array([[0.5, 3.0], [4.0, 5.0]])]


def sigmoid(margin):
    return 1 / (1 + math.exp(-margin))


def test_three_descents_by_hand():
    def scores(descent, **settings):
        return walk(STRUCTURE, lambda problem, rows: MARGINS[problem][rows], 2, descent, **settings).tolist()

    # In the order a, b, x, y.
    assert scores("filter") == [[2, -1, 0.5, 2], [-0.5, 1, -0.5, -0.5]]
    assert scores("greedy") == [[3, -3, -2.5, 2.5], [-1.5, 1.5, -1.5, -1.5]]
    chance = sigmoid(2) * sigmoid(3)
    assert scores("soft")[0][3] == pytest.approx(math.log(chance / (1 - chance)))
    assert scores("soft")[0][0] == pytest.approx(2)
    # Logits of one distribution: e⁴ / (e⁴ + e⁵) of what is at a, and e^-.5 / (e^-.5 + e) of everything is.
    chance = sigmoid(4 - 5) * sigmoid(-0.5 - 1)
    assert scores("soft", normalised=True)[1][2] == pytest.approx(math.log(chance / (1 - chance)))
    assert scores("filter", normalised=True)[0] == pytest.approx([3, -3, -2.5, 2.5])


def test_a_blocked_document_is_not_asked_about():
    asked = []

    def local(problem, rows):
        asked.append((problem, rows.tolist()))
        return MARGINS[problem][rows]

    scores = walk(STRUCTURE, local, 2, "filter", floor=0.0)
    assert asked == [(0, [0, 1]), (1, [0])]
    assert scores[1].tolist() == [-0.5, 1, -0.5, -0.5]


@pytest.mark.parametrize("descent", list(DESCENTS))
def test_what_scores_above_the_floor_by_rounding_goes_down_too(descent):
    """A margin of exactly the floor, made a log-chance and log-odds again, may be above it: below is not what is."""
    for floor in np.random.default_rng(0).normal(scale=3, size=20).tolist():
        margins = [np.array([[floor, -9.0]]), np.array([[-1.0, -2.0]])]
        local = partial(lambda margins, problem, rows: margins[problem][rows], margins)
        scores, lazy = (walk(STRUCTURE, local, 1, descent, floor=one) for one in (-np.inf, floor))
        assert np.array_equal(scores > floor, lazy > floor)


def test_the_first_of_equals_is_the_greedy_choice():
    margins = np.array([1.0, 1.0, 0.0])
    localise(margins, 0, 3, DESCENTS["greedy"], False)
    assert margins[0] > 0
    assert margins[1:].tolist() == [0.0, -1.0]


def test_what_is_certain_scores_one_or_as_much_as_the_best_below():
    structure = Structure(ints(-1, 0), ints(0, 1, 3), ints(0, 1, 2), 3)
    margins = [np.full((2, 1), np.inf), np.array([[2.5, -1.0], [-3.0, -2.0]])]
    found = walk(structure, lambda problem, rows: margins[problem][rows], 2, "filter")
    assert found.tolist() == [[2.5, 2.5, -1], [1, -3, -2]]
    soft = walk(structure, lambda problem, rows: margins[problem][rows], 2, "soft")
    assert soft == pytest.approx(found)


def test_gathering_drops_small_weights_and_zeros():
    model = LinearModel(ints(1, 3), np.array([[0.5, -0.02], [0.0, -0.3]]), np.array([1.0, 2.0]))
    whole, pruned = (LinearBank.gather([model], 5, prune).weights for prune in (0.0, 0.1))
    assert whole.nnz == 3
    assert pruned.toarray()[1].tolist() == [0.5, 0]
    assert pruned.toarray()[3].tolist() == [0, pytest.approx(-0.3)]


@pytest.mark.parametrize(
    ("parents", "starts", "slots"),
    [
        (ints(-1), ints(0, 3), ints(0, 1)),
        (ints(-1), ints(1, 2), ints(0, 1)),
        (ints(-1, 0), ints(0, 2, 2), ints(0, 1)),
        (ints(-2), ints(0, 1), ints(0)),
        (ints(4), ints(0, 1), ints(0)),
        (ints(0, -1), ints(0, 1, 2), ints(2, 0)),
        (ints(1), ints(0, 1), ints(1)),
        (ints(-1), ints(0, 1), ints(8)),
        (ints(1), ints(0, 1), ints(4)),
    ],
)
def test_structures_that_cannot_be_are_refused(parents, starts, slots):
    with pytest.raises(ValueError, match="the model's local problems"):
        Structure(parents, starts, slots, 4).check()
    STRUCTURE.check()
