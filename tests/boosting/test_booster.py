"""What all boosters share: stages, going on, stopping, interruption, files and explanations."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from classmark import Hierarchy
from classmark.boosting import AdaBoostMH, AdaBoostMHKR, MPBoost
from classmark.persistence import load, save
from classmark.progress import listening

KINDS = {
    "adaboost": lambda rounds, **settings: AdaBoostMH(rounds, **settings),
    "abstaining": lambda rounds, **settings: AdaBoostMH(rounds, prediction="abstaining", **settings),
    "discrete": lambda rounds, **settings: AdaBoostMH(rounds, prediction="discrete", **settings),
    "f1": lambda rounds, **settings: AdaBoostMH(rounds, criterion="f1", **settings),
    "committee": lambda rounds, **settings: AdaBoostMHKR(rounds, committee="growing,every=4", **settings),
    "mp": lambda rounds, **settings: MPBoost(rounds, **settings),
    "mp-committee": lambda rounds, **settings: MPBoost(rounds, committee="near,distance=0.1,limit=3", **settings),
}
every_kind = pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)

TREE = Hierarchy.from_nested({"a": {"x": ["u", "v"], "y": None}, "b": None})
NAMES = ["u", "v", "y", "b"]


def documents(seed=0, count=80):
    """Noisy documents of ten terms, of which the first four tell a label; some have two labels, some none."""
    random = np.random.default_rng(seed)
    Y = random.random((count, 4)) < 0.3
    X = np.concatenate([np.where(random.random(Y.shape) < 0.15, ~Y, Y), random.random((count, 6)) < 0.4], axis=1)
    return X.astype(float), [[name for name, has in zip(NAMES, row, strict=True) if has] for row in Y]


X, LABELS = documents()


@every_kind
def test_the_last_stage_is_the_score(kind):
    model = kind(12, hierarchy=TREE).fit(X, LABELS)
    stages = list(model.staged_node_scores(X))
    assert len(stages) == model.n_estimators_ == len(model.z_) == 12
    assert stages[-1] == pytest.approx(model.node_scores(X), abs=1e-12)
    for rounds in (1, 5):
        assert stages[rounds - 1] == pytest.approx(
            kind(rounds, hierarchy=TREE).fit(X, LABELS).node_scores(X), abs=1e-12
        )
    some = list(model.node_scores_at(X, [1, 5]))
    assert [stage.tolist() for stage in some] == [stages[0].tolist(), stages[4].tolist()]
    with pytest.raises(ValueError, match="rounds 3 to 13 are asked for; there are 1 to 12"):
        list(model.node_scores_at(X, [3, 13]))


@every_kind
def test_the_training_loss_is_below_the_product_of_z(kind):
    for count in (5, 20, 80):
        model = kind(30, hierarchy=TREE).fit(X[:count], LABELS[:count])
        products = np.cumprod(model.z_)
        expected = np.array([[TREE.names[end] in own for end in model.ends_] for own in LABELS[:count]])
        for product, scores in zip(products, model.staged_node_scores(X[:count]), strict=True):
            assert np.mean((scores[:, model.ends_] > 0) != expected) <= product + 1e-12


@every_kind
def test_two_threads_give_the_same_bits(kind):
    one = kind(20, hierarchy=TREE).fit(X, LABELS)
    two = kind(20, hierarchy=TREE, n_jobs=2).fit(X, LABELS)
    assert one.z_.tobytes() == two.z_.tobytes()
    assert one.pivots_.tobytes() == two.pivots_.tobytes()
    assert one.node_scores(X).tobytes() == two.node_scores(X).tobytes()


@every_kind
def test_a_warm_start_goes_on(kind):
    model = kind(10, hierarchy=TREE, warm_start=True).fit(X, LABELS)
    model.set_params(n_estimators=30).fit(X, LABELS)
    whole = kind(30, hierarchy=TREE).fit(X, LABELS)
    assert model.pivots_.tolist() == whole.pivots_.tolist()
    assert model.z_ == pytest.approx(whole.z_, abs=1e-12)
    assert model.node_scores(X) == pytest.approx(whole.node_scores(X), abs=1e-9)
    assert len(list(model.staged_node_scores(X))) == 30
    before = model.node_scores(X)
    assert model.fit(X, LABELS).node_scores(X).tolist() == before.tolist()


def test_without_a_warm_start_it_begins_anew():
    model = AdaBoostMH(10).fit(X, LABELS)
    assert model.set_params(n_estimators=12).fit(X, LABELS).n_estimators_ == 12
    assert model.set_params(n_estimators=5).fit(X, LABELS).n_estimators_ == 5


@pytest.mark.parametrize(
    ("rounds", "X", "labels", "message"),
    [
        (9, X, LABELS, "n_estimators is 9, and 10 are done; with warm_start ask for more"),
        (20, X, [own or ["c"] for own in LABELS], r"warm_start.*categories and terms"),
        (20, X, [[name.upper() for name in own] for own in LABELS], r"warm_start.*same categories"),
        (20, X[:, :5], LABELS, "warm_start goes on with the same categories and terms; leave it out to fit anew"),
    ],
)
def test_a_warm_start_on_something_else_is_refused(rounds, X, labels, message):
    model = AdaBoostMH(10, warm_start=True).fit(*documents())
    with pytest.raises(ValueError, match=message):
        model.set_params(n_estimators=rounds).fit(X, labels)


def test_a_warm_start_after_a_fit_that_broke_off():
    model = AdaBoostMH(10, warm_start=True, callback=break_off(4))
    with pytest.raises(RuntimeError, match="broken off"):
        model.fit(X, LABELS)
    whole = AdaBoostMH(30).fit(X, LABELS)
    assert model.set_params(callback=None).fit(X, LABELS).pivots_.tolist() == whole.pivots_[:10].tolist()
    with pytest.raises(RuntimeError, match="broken off"):
        model.set_params(n_estimators=30, callback=break_off(15)).fit(X, LABELS)
    assert model.set_params(callback=None).fit(X, LABELS).pivots_.tolist() == whole.pivots_.tolist()


def break_off(number, error=RuntimeError):
    def callback(each):
        if each.number == number:
            raise error("broken off")

    return callback


@every_kind
def test_the_callback_hears_every_round_and_may_stop(kind):
    heard = []
    model = kind(8, hierarchy=TREE, callback=heard.append).fit(X, LABELS)
    assert [each.number for each in heard] == list(range(1, 9))
    assert [each.z for each in heard] == model.z_.tolist()
    assert np.concatenate([each.pivots for each in heard]).tolist() == model.pivots_.tolist()
    stopped = kind(8, hierarchy=TREE, callback=lambda each: each.number == 3).fit(X, LABELS)
    assert stopped.n_estimators_ == 3
    assert stopped.z_.tolist() == model.z_[:3].tolist()


@every_kind
def test_an_interruption_keeps_the_rounds_done(kind):
    with pytest.warns(UserWarning, match="interrupted: kept the 4 of 10 rounds done"):
        model = kind(10, hierarchy=TREE, callback=break_off(4, KeyboardInterrupt)).fit(X, LABELS)
    whole = kind(4, hierarchy=TREE).fit(X, LABELS)
    assert model.n_estimators_ == 4
    assert model.node_scores(X).tolist() == whole.node_scores(X).tolist()


@pytest.mark.parametrize("share", [None, 0.25])
def test_an_interruption_in_the_first_round_keeps_it(share):
    interrupted = AdaBoostMH(10, validation_fraction=share, callback=break_off(1, KeyboardInterrupt))
    with pytest.warns(UserWarning, match="interrupted: kept the 1 of 10 rounds done"):
        interrupted.fit(X, LABELS)
    assert interrupted.n_estimators_ == len(interrupted.pivots_) == 1


@every_kind
def test_an_interruption_before_the_first_round_is_raised(kind):
    def interrupt(what, done, total):
        raise KeyboardInterrupt

    model = kind(10, hierarchy=TREE, warm_start=True)
    with listening(interrupt), pytest.raises(KeyboardInterrupt):
        model.fit(X, LABELS)
    assert model.fit(X, LABELS).n_estimators_ == 10


def test_progress_is_told_round_by_round():
    heard = []
    with listening(lambda *told: heard.append(told)):
        AdaBoostMH(3).fit(X, LABELS)
    assert heard == [("rounds", 0, 3), ("rounds", 1, 3), ("rounds", 2, 3), ("rounds", 3, 3)]


def held_out_f1(model, seed=0):
    """The micro-averaged F1 on the held-out documents after each round, counted by loops."""
    count = round(model.validation_fraction * len(X))
    held = np.random.default_rng(seed).permutation(len(X))[:count]
    found = []
    for scores in model.staged_node_scores(X[held]):
        pairs = [
            (TREE.names[end] in LABELS[i], row[end] > 0)
            for i, row in zip(held, scores, strict=True)
            for end in model.ends_
        ]
        hits = sum(true and said for true, said in pairs)
        found.append(2 * hits / (sum(true for true, _ in pairs) + sum(said for _, said in pairs)))
    return found


@every_kind
def test_early_stopping_keeps_the_best_round(kind):
    heard = []
    model = kind(60, hierarchy=TREE, validation_fraction=0.3, n_iter_no_change=7, callback=heard.append).fit(X, LABELS)
    values = held_out_f1(model)
    assert len(values) == model.n_estimators_ == len(model.z_)
    assert values[-1] == max(values)
    assert values.index(max(values)) == len(values) - 1
    assert len(heard) == min(model.n_estimators_ + 7, 60)
    assert [each.z for each in heard][: model.n_estimators_] == model.z_.tolist()


def test_what_is_held_out_does_not_teach():
    model = AdaBoostMH(5, hierarchy=TREE, validation_fraction=0.3).fit(X, LABELS)
    kept = np.sort(np.random.default_rng(0).permutation(len(X))[24:])
    alone = AdaBoostMH(model.n_estimators_, hierarchy=TREE).fit(X[kept], [LABELS[i] for i in kept])
    assert model.pivots_.tolist() == alone.pivots_.tolist()
    assert model.z_.tolist() == alone.z_.tolist()


def test_a_warm_start_with_early_stopping_keeps_the_best_of_all_rounds():
    settings = {"hierarchy": TREE, "validation_fraction": 0.3, "n_iter_no_change": 7}
    whole = AdaBoostMH(60, **settings).fit(X, LABELS)
    best = whole.n_estimators_
    assert 1 < best < 53
    model = AdaBoostMH(60, warm_start=True, **settings).fit(X, LABELS)
    assert model.fit(X, LABELS).n_estimators_ == best
    assert model.pivots_.tolist() == whole.pivots_.tolist()
    assert model.set_params(n_estimators=best).fit(X, LABELS).n_estimators_ == best


@every_kind
def test_files_give_the_same_scores_but_no_stages(kind, tmp_path):
    model = kind(12, hierarchy=TREE).fit(X, LABELS)
    save(tmp_path / "model", model.to_state())
    again = kind(12).from_state(load(tmp_path / "model"))
    assert again.node_scores(X).tobytes() == model.node_scores(X).tobytes()
    assert again.pivots_.tolist() == model.pivots_.tolist()
    assert again.z_.tolist() == model.z_.tolist()
    assert again.n_estimators_ == 12
    with pytest.raises(ValueError, match="a loaded model holds the merged hypothesis, not its rounds; fit it to see"):
        next(again.staged_node_scores(X))


@every_kind
def test_contributions_sum_to_the_score_and_name_absent_pivots(kind):
    model = kind(12, hierarchy=TREE).fit(X, LABELS)
    pivots = set(model.pivots_.ravel().tolist())
    absent = 0.0
    for node, name in enumerate(TREE.names):
        terms, bias = model.contributions(X, name)
        assert terms.sum(axis=1) + bias == pytest.approx(model.node_scores(X)[:, node], abs=1e-9)
        assert set(terms.indices.tolist()) <= pivots
        absent += abs(terms.toarray()[X == 0]).sum()
    # Abstaining stumps say nothing where their pivot is absent; all others do.
    assert (absent > 0) == (model.prediction != "abstaining")


@every_kind
def test_any_form_of_x_is_read_as_presence(kind):
    model = kind(15, hierarchy=TREE).fit(X, LABELS)
    matrix = csr_array(X)
    every = np.tile(np.arange(10), len(X))
    zeros = csr_array((X.ravel(), every, np.arange(0, X.size + 1, 10)), shape=X.shape)
    unsorted = csr_array((X[:, ::-1].ravel(), every[::-1].copy(), np.arange(0, X.size + 1, 10)), shape=X.shape)
    assert zeros.nnz == X.size
    assert not unsorted.has_sorted_indices
    for form in (matrix, zeros, unsorted, X * 0.5, X.astype(int), np.asfortranarray(X)):
        other = kind(15, hierarchy=TREE).fit(form, LABELS)
        assert other.pivots_.tolist() == model.pivots_.tolist()
        assert other.z_.tobytes() == model.z_.tobytes()
        assert model.node_scores(form).tobytes() == model.node_scores(X).tobytes()


@every_kind
def test_sample_weights_are_copies_and_nothing_is_no_document(kind):
    copies = np.arange(len(X)) % 3
    rows = np.repeat(np.arange(len(X)), copies)
    weighted = kind(15, hierarchy=TREE).fit(X, LABELS, sample_weight=copies)
    repeated = kind(15, hierarchy=TREE).fit(X[rows], [LABELS[i] for i in rows])
    assert weighted.pivots_.tolist() == repeated.pivots_.tolist()
    assert weighted.z_ == pytest.approx(repeated.z_, abs=1e-12)


@every_kind
@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"n_estimators": 0}, r"n_estimators=0.*integer >= 1"),
        ({"n_estimators": -3}, r"n_estimators=-3.*integer >= 1"),
        ({"prediction": "bold"}, "prediction='bold': must be one of real, abstaining, discrete"),
        ({"smoothing": 0}, r"smoothing=0.*number > 0"),
        ({"smoothing": float("nan")}, r"smoothing=nan.*number > 0"),
        ({"validation_fraction": 0}, r"validation_fraction=0.*number > 0 and < 1, or None"),
        ({"validation_fraction": 1.0}, r"validation_fraction=1.0.*number > 0 and < 1, or None"),
        ({"validation_fraction": 0.001}, "validation_fraction is 0.001 of 80 documents; that leaves none"),
        ({"validation_fraction": 0.999}, "validation_fraction is 0.999 of 80 documents; that leaves none"),
        ({"n_jobs": 0}, "n_jobs=0"),
    ],
)
def test_bad_settings_are_refused(kind, settings, message):
    with pytest.raises(ValueError, match=message):
        kind(10).set_params(**settings).fit(X, LABELS)


@every_kind
@pytest.mark.parametrize(
    ("value", "message"), [(-1.0, "Negative values in data passed to"), (np.nan, "contains NaN"), (np.inf, "infinity")]
)
@pytest.mark.parametrize("form", [np.array, csr_array], ids=["dense", "sparse"])
def test_bad_values_are_refused(kind, value, message, form):
    bad = X.copy()
    bad[5, 2] = value
    with pytest.raises(ValueError, match=message):
        kind(10).fit(form(bad), LABELS)


def test_weights_on_held_out_documents_alone_are_refused():
    weight = np.zeros(len(X))
    weight[np.random.default_rng(0).permutation(len(X))[:24]] = 1
    with pytest.raises(ValueError, match="all documents with a weight are held out; lower validation_fraction"):
        AdaBoostMH(5, validation_fraction=0.3).fit(X, LABELS, sample_weight=weight)


@every_kind
def test_the_smallest_problems_are_learned(kind):
    # One document, one term, one label; a term in all documents; no term in any document.
    for matrix in ([[1.0]], [[0.0]], [[1.0], [1.0]]):
        y = ["a"] * len(matrix)
        assert kind(3).fit(matrix, y).predict(matrix).tolist() == y
