"""Heads on vectors that stay as they are: what they answer, through a model file, and what columns become."""

import numpy as np
import pytest
from scipy.sparse import csr_array, hstack, random_array

from classmark import Hierarchy, TextClassifier
from classmark.decision import DECISIONS
from classmark.neural import frozen
from classmark.neural.frozen import FrozenEncoderClassifier, coordinates_of, spreading
from classmark.neural.heads import unit
from classmark.persistence import load, save
from tests.text.encoders.small_bert import write_model

TREE = Hierarchy.from_nested({"a": {"x": ["u", "v"], "y": None}, "b": None})
DAG = Hierarchy.from_parents({"a": None, "b": None, "x": ["a", "b"], "y": "a", "u": ["x", "y"], "v": "x"})
ENDS = ["u", "v", "y", "b"]


def vectors(labels, seed=0, width=8):
    """Vectors about a direction for each label, of length 1."""
    random = np.random.default_rng(seed)
    directions = dict(zip(sorted(TREE.names), unit(np.random.default_rng(9).normal(size=(6, width))), strict=True))
    rows = [sum((directions[name] for name in names), np.zeros(width)) for names in labels]
    return unit(np.array(rows) + 0.15 * random.normal(size=(len(rows), width)))


SINGLE = [[ENDS[place % 4]] for place in range(40)]
SEVERAL = [names if place % 4 else [*names, ENDS[(place + 1) % 4]] for place, names in enumerate(SINGLE)]
X, XS = vectors(SINGLE), vectors(SEVERAL)
Y = np.array([names[0] for names in SINGLE])


@pytest.fixture(scope="module")
def model():
    return FrozenEncoderClassifier(hierarchy=TREE).fit(X, Y)


def test_it_tells_categories_apart(model):
    new = vectors(SINGLE, seed=1)
    assert (model.predict(new) == Y).mean() > 0.9
    assert model.predict_proba(new).shape == (40, 6)
    assert ((model.node_scores(new) > 0) == (model.predict_indicator(new).toarray() > 0)).mean() > 0.9


@pytest.mark.parametrize("decision", sorted(DECISIONS))
@pytest.mark.parametrize("hierarchy", [TREE, DAG], ids=["tree", "DAG"])
def test_every_decision(decision, hierarchy, monkeypatch):
    monkeypatch.setattr("classmark.neural.head_learning.LEAST_STEPS", 20)
    found = FrozenEncoderClassifier(hierarchy=hierarchy, decision=decision).fit(XS, SEVERAL).predict_indicator(XS)
    assert hierarchy.is_consistent(found).all()


def test_several_labels():
    model = FrozenEncoderClassifier(hierarchy=TREE).fit(XS, SEVERAL)
    assert model.score(vectors(SEVERAL, seed=1), SEVERAL) > 0.85


def test_documents_that_belong_nowhere_teach_the_head_of_nodes_alone():
    nowhere = [*SINGLE, *([] for _ in range(20))]
    blank = np.zeros((20, 8))
    model = FrozenEncoderClassifier(hierarchy=TREE).fit(np.vstack([X, blank]), nowhere)
    assert model.predict(np.zeros((1, 8))) == [[]]
    assert model.score(X, SINGLE) > 0.9


def test_inner_labels():
    inner = [["x"] if place % 4 == 0 else names for place, names in enumerate(SINGLE)]
    model = FrozenEncoderClassifier(hierarchy=TREE).fit(X, inner)
    assert [TREE.names[end] for end in model.ends_] == ["b", "x", "y", "v"]
    assert model.score(X, inner) > 0.9
    assert np.isneginf(model.node_scores(X)[:, TREE.position("u")]).all()


def test_a_weight_of_0_is_as_good_as_another_label():
    wrong = np.where(np.arange(40) < 20, "b", Y)
    weight = np.where(np.arange(40) < 20, 0.0, 1.0)
    model = FrozenEncoderClassifier(hierarchy=TREE).fit(X, wrong, sample_weight=weight)
    assert model.predict(X).tolist() == Y.tolist()


def test_categories_begin_at_their_names():
    """A category without any document is found by its name, where that is asked for."""
    names = csr_array(vectors([[name] for name in TREE.names], seed=3))
    kept = Y != "v"
    model = FrozenEncoderClassifier(hierarchy=TREE, unseen=True).fit(X[kept], Y[kept], names=lambda hierarchy: names)
    assert (model.predict(X[~kept]) == "v").mean() > 0.8
    assert (model.predict(X[kept]) == Y[kept]).mean() > 0.8
    with pytest.raises(ValueError, match="there are none; give names"):
        FrozenEncoderClassifier(hierarchy=TREE, unseen=True).fit(X, Y)


def test_through_a_model_file(model, tmp_path):
    save(tmp_path / "model", model.to_state())
    again = FrozenEncoderClassifier().from_state(load(tmp_path / "model"))
    assert again.node_scores(X).tobytes() == model.node_scores(X).tobytes()
    assert again.own_scores(X).tobytes() == model.own_scores(X).tobytes()
    assert again.get_params()["learning_rate"] == model.learning_rate


def test_the_same_seed_gives_the_same_model(monkeypatch):
    monkeypatch.setattr("classmark.neural.head_learning.BATCH", 16)
    one, again, other = (FrozenEncoderClassifier(hierarchy=TREE, random_state=seed).fit(X, Y) for seed in (0, 0, 1))
    assert again.node_scores(X).tobytes() == one.node_scores(X).tobytes()
    assert other.node_scores(X).tobytes() != one.node_scores(X).tobytes()


@pytest.mark.parametrize("node", ["a", "u"])
def test_contributions_sum_to_the_score(model, node):
    terms, bias = model.contributions(X, node)
    assert terms.sum(axis=1) + bias == pytest.approx(model.node_scores(X)[:, TREE.position(node)])
    assert bias == pytest.approx(np.full(40, model.heads_.closed_bias[TREE.position(node)]), abs=1e-4)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"turn": np.eye(7, dtype=np.float16)}, "has shape"),
        ({"turn": np.full((8, 8), np.nan, dtype=np.float16)}, "is not a number"),
        ({"coordinates": np.zeros(8, dtype=bool)}, "does not belong to its heads"),
        ({"coordinates": np.ones(9, dtype=bool)}, "has shape"),
    ],
)
def test_damaged_states_are_refused(model, change, words):
    state = model.to_state()
    state["learned"] = state["learned"] | change
    with pytest.raises(ValueError, match=words):
        FrozenEncoderClassifier().from_state(state)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_rate_that_is_too_high_is_said():
    with pytest.raises(ValueError, match="lower learning_rate=1e\\+30"):
        FrozenEncoderClassifier(hierarchy=TREE, learning_rate=1e30).fit(X, Y)


def test_what_few_documents_have_is_hashed(monkeypatch):
    monkeypatch.setattr(frozen, "MOST_COORDINATES", 10)
    terms = csr_array(random_array((40, 300), density=0.05, rng=np.random.default_rng(0)))
    rows = csr_array(hstack([csr_array(X), 0.5 * terms]))
    coordinates = coordinates_of(rows)
    assert coordinates.tolist() == [True] * 8 + [False] * 300
    spread = spreading(coordinates)
    assert spread.shape == (308, 8 + frozen.HASHED)
    found = (rows @ spread).toarray()
    assert found[:, :8] == pytest.approx(X)
    # Eight places of 512 each: products of rows stay about what they were.
    assert found @ found.T == pytest.approx((rows @ rows.T).toarray(), abs=0.3)
    model = FrozenEncoderClassifier(hierarchy=TREE).fit(rows, Y)
    assert (model.predict(rows) == Y).mean() > 0.9
    terms, bias = model.contributions(rows, "u")
    assert terms.sum(axis=1) + bias == pytest.approx(model.node_scores(rows)[:, TREE.position("u")])
    again = FrozenEncoderClassifier().from_state(model.to_state())
    assert again.node_scores(rows).tobytes() == model.node_scores(rows).tobytes()


def test_hashing_is_always_the_same():
    assert splitmix64(0) == 0xE220A8397B1DCDAF  # as everybody's
    hashed = spreading(np.zeros(3, dtype=bool)).toarray()
    expected = np.zeros((3, frozen.HASHED))
    for column in range(3):
        for place in range(frozen.EACH):
            mixed = splitmix64(column * frozen.EACH + place)
            expected[column, (mixed >> 1) % frozen.HASHED] += (1 if mixed & 1 else -1) / np.sqrt(frozen.EACH)
    assert hashed == pytest.approx(expected)


def splitmix64(seed):
    """The first number for a seed, by whole numbers."""
    mask = (1 << 64) - 1
    found = (seed + 0x9E3779B97F4A7C15) & mask
    found = (found ^ (found >> 30)) * 0xBF58476D1CE4E5B9 & mask
    found = (found ^ (found >> 27)) * 0x94D049BB133111EB & mask
    return found ^ (found >> 31)


def test_from_texts(tmp_path, monkeypatch):
    pytest.importorskip("tokenizers", reason="the extra embed is not installed")
    monkeypatch.setenv("CLASSMARK_CACHE", str(tmp_path / "cache"))
    encoder = f"sentence:{write_model(tmp_path / 'bert')}"
    tree = Hierarchy.from_nested({"bird": ["owl", "gull"], "night": None})
    texts, labels = ["the owl", "owl owl the", "hoots at", "at hoots at", "night", "night night"], ["owl"] * 2
    labels += ["gull"] * 2 + ["night"] * 2
    model = TextClassifier("frozen-encoder", settings={"encoder": encoder}, hierarchy=tree).fit(texts, labels)
    assert model.predict(texts).tolist() == labels
    model.save(tmp_path / "model")
    again = TextClassifier.load(tmp_path / "model")
    assert again.node_scores(texts).tobytes() == model.node_scores(texts).tobytes()
