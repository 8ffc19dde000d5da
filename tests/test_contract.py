"""The contract: what every public estimator does, scikit-learn's checks first.

Whatever class `classmark.__all__` offers that fits is collected by itself, so a new estimator is held to the contract
the moment it is public.
"""

import warnings
from collections.abc import Container, Iterator
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array, issparse
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import NotFittedError, SkipTestWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.utils import estimator_checks

import classmark
from classmark import FlatClassifier, Hierarchy, MajorityClassifier, TermWeighting, TextVectoriser
from classmark import base as classmark_base
from classmark.base import HierarchicalClassifier
from classmark.decision import DECISIONS, BestPath, Decision, DSCut, LearnedDecision, Threshold, TunedThreshold
from classmark.generative.base import GenerativeClassifier
from classmark.metrics import hf_score
from classmark.persistence import load, save
from tests.neural import of_counts

LOUDER = "k neighbours are k documents: a weight makes a vote louder, and is not another document"
HELD_OUT = "probabilities are learned from documents held out: a weight is not another document"
LIBLINEAR = "liblinear stops at a tolerance, and its answer moves in the fifth digit"
BATCHES = "documents are drawn into batches: one of weight 2 is not drawn twice"
NO_COUNTS = "the data of this check have negative numbers, which are no counts of terms"
EXPECTED_FAILURES = {
    name: {"check_decision_proba_consistency": NO_COUNTS}
    for name in ("EMMC", "FlatEM", "FlatNB", "NBMC", "PathEM", "PathNB")
} | {
    **{
        name: {
            "check_sample_weight_equivalence_on_dense_data": LOUDER,
            "check_sample_weight_equivalence_on_sparse_data": LOUDER,
        }
        for name in ("BM25KNN", "HierarchicalKNN", "OverlapKNN")
    },
    **{
        name: {
            "check_sample_weight_equivalence_on_dense_data": HELD_OUT,
            "check_sample_weight_equivalence_on_sparse_data": HELD_OUT,
        }
        for name in ("BlendClassifier", "RerankClassifier")
    },
    "ConsistentClassifier": {
        "check_sample_weight_equivalence_on_dense_data": LIBLINEAR,
        "check_sample_weight_equivalence_on_sparse_data": LIBLINEAR,
    },
    "FlatClassifier": {
        "check_sample_weight_equivalence_on_dense_data": LIBLINEAR,
        "check_sample_weight_equivalence_on_sparse_data": LIBLINEAR,
    },
    "LinearSVMClassifier": {
        "check_sample_weight_equivalence_on_dense_data": LIBLINEAR,
        "check_sample_weight_equivalence_on_sparse_data": LIBLINEAR,
    },
    "FrozenEncoderClassifier": {
        "check_sample_weight_equivalence_on_dense_data": BATCHES,
        "check_sample_weight_equivalence_on_sparse_data": BATCHES,
    },
    "SelfTrainingClassifier": {
        "check_sample_weight_equivalence_on_dense_data": HELD_OUT,
        "check_sample_weight_equivalence_on_sparse_data": HELD_OUT,
    },
    "TeachingClassifier": {
        "check_sample_weight_equivalence_on_dense_data": LIBLINEAR,
        "check_sample_weight_equivalence_on_sparse_data": LIBLINEAR,
    },
    "TopDownClassifier": {
        "check_sample_weight_equivalence_on_dense_data": LIBLINEAR,
        "check_sample_weight_equivalence_on_sparse_data": LIBLINEAR,
    },
}

# What makes label sets consistent where a threshold is the default decision.
RELABELLING = {"ConsistentClassifier": "average"}
# Votes are shares of the most votes, and what makes label sets of them is DS-cut.
NEIGHBOURS = {
    "BM25KNN": DSCut((1.0, 0.7, 0.7)),
    "HierarchicalKNN": DSCut((1.0, 0.9, 0.9)),
    "OverlapKNN": DSCut((1.0, 0.2, 0.2)),
}


def default_threshold(kind: type) -> Decision:
    if kind.__name__ in NEIGHBOURS:
        return NEIGHBOURS[kind.__name__]
    return Threshold(consistency=RELABELLING.get(kind.__name__, "close"))


def public_estimators() -> list[type[BaseEstimator]]:
    """Every public class that fits; a holder of parameters, such as `Analyser`, does not."""
    offered = [getattr(classmark, name) for name in classmark.__all__]
    return [one for one in offered if isinstance(one, type) and issubclass(one, BaseEstimator) and hasattr(one, "fit")]


ESTIMATORS = public_estimators()
# A classifier that reads texts is tested on the words that are counted here.
CLASSIFIERS = [
    of_counts.FineTunedClassifier if one.__name__ == "FineTunedClassifier" else one
    for one in ESTIMATORS
    if issubclass(one, HierarchicalClassifier)
]
FAMILIES = (
    "AdaBoostMH",
    "BlendClassifier",
    "BM25KNN",
    "FlatClassifier",
    "FlatNB",
    "FrozenEncoderClassifier",
    "HierCost",
)
"""A class of each folder. What the base class does with labels, decisions and files is tested with these alone."""
no_torch = pytest.mark.skipif(not of_counts.TORCH, reason="fine-tuning needs torch, transformers and tokenizers")

MEMBERS = [("flat", FlatClassifier()), ("majority", MajorityClassifier())]
SMALL = {
    "AdaBoostMH": {"n_estimators": 20},
    "AdaBoostMHKR": {"n_estimators": 20},
    "BlendClassifier": {"folds": 2, "estimators": MEMBERS},
    "FineTunedClassifier": {"epochs": 4},
    "FrozenEncoderClassifier": {"epochs": 1},
    "MPBoost": {"n_estimators": 20},
    "RerankClassifier": {"folds": 2, "estimators": MEMBERS},
    "SelfTrainingClassifier": {"max_iter": 1},
    "TreeBoostMH": {"n_estimators": 10},
}
"""Settings with which slow classifiers fit fast."""
TUNED = "tuned,folds=2"


def classifiers(names: Container[str] | None = None) -> list[Any]:
    """Return a pytest parameter for each classifier, or for some.

    Each class has a group, so that what the tests of a class share is made in one process.
    """
    chosen = [kind for kind in CLASSIFIERS if names is None or kind.__name__ in names]
    return [
        pytest.param(
            kind,
            id=kind.__name__,
            marks=(pytest.mark.xdist_group(f"contract {kind.__name__}"), *((no_torch,) if kind.reads_texts else ())),
        )
        for kind in chosen
    ]


every_classifier = pytest.mark.parametrize("kind", classifiers())
one_of_each_family = pytest.mark.parametrize("kind", classifiers(FAMILIES))


def make(kind: type[HierarchicalClassifier], **settings: Any) -> HierarchicalClassifier:
    """Return a classifier that fits fast."""
    return kind(**SMALL.get(kind.__name__, {}) | settings)


def test_the_estimators_are_collected():
    assert len(ESTIMATORS) >= 4
    assert len(CLASSIFIERS) >= 2
    assert {one.__name__ for one in ESTIMATORS} >= {"FlatClassifier", "TermWeighting", "TextVectoriser"}
    assert set(EXPECTED_FAILURES) <= {one.__name__ for one in ESTIMATORS}


IN_EVERY_CLASS = {
    *("check_classifiers_one_label", "check_classifiers_one_label_sample_weights", "check_classifiers_train"),
    *("check_dict_unchanged", "check_dont_overwrite_attributes", "check_estimators_dtypes", "check_estimators_nan_inf"),
    *("check_estimators_overwrite_params", "check_estimators_pickle", "check_fit2d_1feature", "check_fit2d_1sample"),
    *("check_fit_idempotent", "check_methods_sample_order_invariance", "check_methods_subset_invariance"),
    *("check_no_attributes_set_in_init", "check_non_transformer_estimators_n_iter", "check_readonly_memmap_input"),
    *("check_sample_weight_equivalence_on_dense_data", "check_set_params", "check_sample_weights_not_overwritten"),
}
"""scikit-learn's checks of what a subclass of `HierarchicalClassifier` computes itself."""


def scikit_learn_checks() -> list[Any]:
    """Return estimators with scikit-learn's checks: all of them for one class of each family, some for the others."""
    parameters = []
    for kind in ESTIMATORS:
        estimator = kind(**SMALL.get(kind.__name__, {}))
        expected = EXPECTED_FAILURES.get(kind.__name__, {})
        with warnings.catch_warnings():
            # Of estimators that read texts, scikit-learn checks little more than the parameters, and warns.
            warnings.simplefilter("ignore", SkipTestWarning)
            pairs = list(estimator_checks.estimator_checks_generator(estimator))
        for number, (own, check) in enumerate(pairs):
            name = check.func.__name__
            marks = [pytest.mark.xdist_group(f"contract {kind.__name__}")]
            if name in expected:
                marks.append(pytest.mark.xfail(reason=expected[name]))
            if kind.__name__ in FAMILIES or not issubclass(kind, HierarchicalClassifier) or name in IN_EVERY_CLASS:
                parameters.append(pytest.param(own, check, marks=marks, id=f"{kind.__name__}-{name}-{number}"))
    return parameters


@pytest.mark.parametrize(("estimator", "check"), scikit_learn_checks())
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("name", EXPECTED_FAILURES["FlatClassifier"])
def test_what_liblinear_fails_another_solver_passes(name):
    getattr(estimator_checks, name)("FlatClassifier", FlatClassifier(LogisticRegression()))


# Node order: a, b, x, y, u, v.
TREE = Hierarchy.from_nested({"a": {"x": ["u", "v"], "y": None}, "b": None})
DAG = Hierarchy.from_parents({"a": None, "b": None, "x": ["a", "b"], "y": "a", "u": ["x", "y"], "v": "x"})
NAMES = ["u", "v", "y", "b"]
WORDS = ["under", "vine", "yes", "both", "else", "night", "sea"]
# A number that nothing else here has, so that an array of so many rows can only be the documents.
N = 37


def counts(seed: int = 0) -> np.ndarray:
    """Counts of words, the first ones telling the category of their document: u, v, y, b, u, v, …."""
    random = np.random.default_rng(seed)
    X = random.poisson(0.3, (N, len(WORDS)))
    X[np.arange(N), np.arange(N) % 4] += 2
    return X


X = counts()
Y = np.array(NAMES * 10)[:N]
LISTS = [[name] if i % 5 else [name, NAMES[(i + 1) % 4]] for i, name in enumerate(Y.tolist())]
TEXTS = [" ".join(word for word, times in zip(WORDS, row, strict=True) for _ in range(times)) for row in X]


@every_classifier
def test_in_a_pipeline(kind):
    pipeline = make_pipeline(TextVectoriser(), TermWeighting(), make(kind, hierarchy=TREE)).fit(TEXTS, Y)
    answers = pipeline.predict(TEXTS)
    assert answers.shape == Y.shape
    assert set(answers) <= set(NAMES)
    assert pipeline.score(TEXTS, Y) == pytest.approx(hf_score(Y, answers, TREE))
    alone = make(kind, hierarchy=TREE).fit(pipeline[:-1].transform(TEXTS), Y)
    assert answers.tolist() == alone.predict(pipeline[:-1].transform(TEXTS)).tolist()


@every_classifier
def test_in_a_grid_search(kind):
    grid = {"decision": ["best-path", "threshold,value=9"]}
    search = GridSearchCV(make(kind, hierarchy=TREE), grid, cv=3).fit(X, Y)
    # Nothing scores above 9 that much, and an answer beats none.
    assert search.best_params_ == {"decision": "best-path"}
    assert search.best_estimator_.decision_ == BestPath()
    assert search.score(X, Y) == hf_score(Y, search.predict(X), TREE)
    assert search.cv_results_["mean_test_score"][1] < search.best_score_ <= 1


@every_classifier
def test_in_cross_validation(kind):
    expected = []
    for train, test in KFold(3).split(X):
        model = make(kind, hierarchy=TREE).fit(X[train], Y[train])
        expected.append(hf_score(Y[test], model.predict(X[test]), TREE))
    assert cross_val_score(make(kind, hierarchy=TREE), X, Y, cv=KFold(3)).tolist() == expected
    assert len(cross_val_score(make(kind, hierarchy=TREE), X, LISTS, cv=KFold(3))) == 3
    assert len(cross_val_score(make(kind, hierarchy=TREE), X, Y)) == 5


@every_classifier
def test_clones(kind):
    model = make(kind, hierarchy=TREE, decision=TUNED).fit(X, Y)
    copy = clone(model)
    assert copy.hierarchy == TREE
    assert copy.decision == TUNED
    with pytest.raises(NotFittedError):
        copy.predict(X)
    assert np.array_equal(copy.fit(X, Y).node_scores(X), model.node_scores(X))


@every_classifier
def test_not_fitted(kind):
    for method in ("predict", "predict_indicator", "predict_first", "node_scores", "decision_function"):
        with pytest.raises(NotFittedError):
            getattr(make(kind), method)(X)
    with pytest.raises(NotFittedError):
        kind().contributions(X, "u")
    with pytest.raises(NotFittedError):
        kind().to_state()


@every_classifier
def test_the_same_seed_and_input_give_the_same_bits(kind):
    seed = {"random_state": 3} if "random_state" in kind().get_params() else {}
    one, two = (make(kind, hierarchy=TREE, **seed).fit(counts(), LISTS) for _ in range(2))
    assert one.node_scores(X).tobytes() == two.node_scores(X).tobytes()
    assert one.fit(X, LISTS).node_scores(X).tobytes() == two.node_scores(X).tobytes()


@every_classifier
@pytest.mark.parametrize("missing", [[3], [0, 8, 20]])
def test_documents_that_are_not_labelled_are_left_out(kind, missing):
    y = [None if i in missing else labels for i, labels in enumerate(LISTS)]
    if kind().uses_unlabelled:
        assert make(kind, hierarchy=TREE).fit(X, y).node_scores(X).shape == (N, len(TREE))
        return
    message = f"left out {len(missing)} of {N} documents that are not labelled"
    with pytest.warns(UserWarning, match=message):
        model = make(kind, hierarchy=TREE).fit(X, y)
    kept = [i for i in range(N) if i not in missing]
    expected = make(kind, hierarchy=TREE).fit(X[kept], [LISTS[i] for i in kept])
    assert np.array_equal(model.node_scores(X), expected.node_scores(X))


@every_classifier
def test_weights_go_with_their_documents(kind):
    y = [None, *LISTS[1:]]
    weight = np.arange(N) % 3 + 1.0
    if kind().uses_unlabelled:
        # Without a weight an unlabelled document is as good as not there.
        weight[0] = 0
        model = make(kind, hierarchy=TREE).fit(X, y, sample_weight=weight)
        expected = make(kind, hierarchy=TREE).fit(X[1:], LISTS[1:], sample_weight=weight[1:])
        assert model.node_scores(X) == pytest.approx(expected.node_scores(X))
        return
    with pytest.warns(UserWarning, match="left out 1 of 37"):
        model = make(kind, hierarchy=TREE).fit(X, y, sample_weight=weight)
    expected = make(kind, hierarchy=TREE).fit(X[1:], LISTS[1:], sample_weight=weight[1:])
    assert np.array_equal(model.node_scores(X), expected.node_scores(X))


# Methods that know one place a document leave out those that belong nowhere, and say so.
@pytest.mark.filterwarnings("ignore:left out .* belong nowhere")
@every_classifier
def test_documents_that_belong_nowhere(kind):
    y = [[] if i % 6 == 0 else labels for i, labels in enumerate(LISTS)]
    model = make(kind, hierarchy=TREE).fit(X, y)
    assert model.decision_ == default_threshold(kind)
    answers = model.predict(X)
    assert len(answers) == N
    assert all(set(labels) <= set(TREE) for labels in answers)


@every_classifier
@pytest.mark.parametrize("hierarchy", [TREE, DAG], ids=["tree", "DAG"])
def test_a_hierarchy_given(kind, hierarchy):
    model = make(kind, hierarchy=hierarchy).fit(X, LISTS)
    assert model.hierarchy_ is hierarchy
    assert model.classes_.tolist() == list(hierarchy.names)
    # A path goes on below all that is said of a document: b and y, above u, are no ends of paths in the DAG.
    expected = ["u", "v"] if issubclass(kind, GenerativeClassifier) and hierarchy is DAG else NAMES
    assert [hierarchy.names[end] for end in model.ends_] == [name for name in hierarchy if name in expected]
    closed = model.predict_indicator(X)
    assert closed.shape == (N, len(hierarchy))
    assert hierarchy.is_consistent(closed).all()
    assert model.predict(X) == [[hierarchy.names[i] for i in row.indices] for row in hierarchy.own(closed)]
    first = model.predict_first(X)
    assert set(first) <= set(model.ends_)
    scores = model.own_scores(X)
    assert np.array_equal(scores[np.arange(N), first], scores[:, model.ends_].max(axis=1))


@every_classifier
def test_without_a_hierarchy_the_labels_seen_are_one(kind):
    assert make(kind).fit(X, Y).hierarchy_ == Hierarchy.flat(NAMES)
    assert make(kind).fit(X, LISTS).hierarchy_ == Hierarchy.flat(NAMES)
    paths = np.array([["a", "x"], ["b", ""]] * N)[:N]
    assert make(kind).fit(X, paths).hierarchy_ == Hierarchy.from_paths([["a", "x"], ["b"]])


# Labels are read and written by the base class alone, whatever the classifier.
FORMS = {
    "str": Y,
    "object": Y.astype(object),
    "int": np.arange(N) % 4,
    "int8": (np.arange(N) % 4).astype(np.int8),
    "float": np.arange(N) % 4.0,
    "bool": np.arange(N) % 2 == 0,
    "strings": Y.astype(np.dtypes.StringDType()),
    "series": pd.Series(Y),
    "lists": LISTS,
    "one each": [[name] for name in Y.tolist()],
    "paths": np.array([["a", "x"], ["b", ""], ["a", "y"]] * N)[:N],
    "object paths": np.array([["a", "x"], ["b", ""], ["a", "y"]] * N, dtype=object)[:N],
    "int paths": np.array([[1, 10], [2, 20]] * N)[:N],
    "dense": np.eye(4, dtype=int)[np.arange(N) % 4],
    "dense bool": np.eye(4, dtype=bool)[np.arange(N) % 4],
    "sparse": csr_array(np.eye(4)[np.arange(N) % 4]),
}


every_form = pytest.mark.parametrize(
    ("kind", "form"),
    [
        pytest.param(*kind.values, form, id=f"{kind.id}-{form}", marks=kind.marks)
        for kind in classifiers()
        for form in (FORMS if kind.id == "FlatClassifier" else ("str", "lists", "paths", "sparse"))
    ],
)


@cache
def learned(kind: type, form: str) -> HierarchicalClassifier:
    """Fit a classifier on a form of labels, once for all tests that only ask it."""
    return make(kind).fit(X, FORMS[form])


@cache
def state_of(kind: type) -> dict[str, Any]:
    return make(kind, hierarchy=TREE).fit(X, Y).to_state()


@every_form
def test_answers_come_in_the_form_and_type_of_the_labels(kind, form):
    y = FORMS[form]
    answers = learned(kind, form).predict(X)
    if isinstance(y, list):
        assert isinstance(answers, list)
        assert all(type(name) is str for labels in answers for name in labels)
        return
    given = y.to_numpy(dtype=object) if isinstance(y, pd.Series) else y
    assert type(answers) is type(given)
    assert answers.shape == given.shape
    assert answers.dtype.kind == given.dtype.kind
    assert answers.dtype == given.dtype or answers.dtype.kind == "U"
    if not issparse(y) and not form.startswith("dense"):
        assert set(map(str, answers.ravel().tolist())) <= set(map(str, given.ravel().tolist()))


@every_form
def test_a_state_gives_the_same_classifier_again(kind, form):
    model = learned(kind, form)
    again = kind().from_state(model.to_state())
    assert again.node_scores(X).tobytes() == model.node_scores(X).tobytes()
    assert np.array_equal(again.decision_function(X), model.decision_function(X))
    one, two = again.predict(X), model.predict(X)
    assert type(one) is type(two)
    if isinstance(one, list):
        assert one == two
    else:
        assert one.dtype == two.dtype
        assert (one != two).sum() == 0
    assert again.classes_.tolist() == model.classes_.tolist()
    assert again.classes_.dtype == model.classes_.dtype
    assert again.hierarchy_ == model.hierarchy_
    assert again.hierarchy_.names == model.hierarchy_.names
    assert again.decision_ == model.decision_
    assert again.n_features_in_ == model.n_features_in_


@every_classifier
def test_from_state_without_a_hierarchy_has_none(kind):
    assert kind().from_state(make(kind).fit(X, Y).to_state()).hierarchy is None


@pytest.mark.parametrize(
    ("kind", "decision"),
    [
        pytest.param(*kind.values, decision, id=f"{kind.id}-{decision}", marks=kind.marks)
        for kind in classifiers()
        for decision in (DECISIONS if kind.id in FAMILIES else ("auto", "best-path", "threshold", "tuned"))
    ],
)
def test_every_decision_goes_with_every_classifier_into_a_file_and_back(kind, decision, tmp_path):
    learns = decision == "auto" or issubclass(DECISIONS[decision], LearnedDecision)
    model = make(kind, hierarchy=DAG, decision=f"{decision},folds=2" if learns else decision).fit(X, LISTS)
    assert decision == "auto" or type(model.decision_) is DECISIONS[decision]
    assert DAG.is_consistent(model.predict_indicator(X)).all()
    save(tmp_path / "state", model.to_state())
    again = kind().from_state(load(tmp_path / "state"))
    assert again.hierarchy == DAG
    assert again.decision_ == model.decision_
    assert again.predict(X) == model.predict(X)


@one_of_each_family
@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("ends", np.array([6], dtype=np.int32), "ends are none, or lie outside"),
        ("ends", np.array([-1], dtype=np.int32), "ends are none, or lie outside"),
        ("ends", np.array([], dtype=np.int32), "ends are none, or lie outside"),
        ("ends", np.array([0.0]), "the model's 'ends' is not an array of int32"),
        ("edges", np.array([[0], [9]], dtype=np.int32), "exceeds"),
        ("edges", np.array([[0], [-1]], dtype=np.int32), "negative"),
        ("edges", np.array([[0, 1], [1, 0]], dtype=np.int32), "the hierarchy has a cycle"),
        ("edges", np.zeros((3, 1), dtype=np.int32), "the model's 'edges' has shape"),
        ("names", ["a"] * 6, "two categories have the same name"),
        ("names", [], "the hierarchy is empty"),
        ("decision", {"name": "guess", "settings": {}}, "unknown decision 'guess'"),
        ("decision", {"name": "threshold", "settings": {"value": "x"}}, "decision 'threshold'"),
        ("form", {"kind": "sets"}, "labels have no form 'sets'"),
        ("form", {"kind": "single", "dtype": "U99999999"}, "labels cannot have the type"),
        ("class_dtype", "V99999999", "labels cannot have the type"),
    ],
)
def test_a_state_that_cannot_be_one_is_refused(kind, key, value, message):
    with pytest.raises(ValueError, match=message):
        kind().from_state(state_of(kind) | {key: value})


@every_classifier
def test_learned_arrays_of_another_shape_are_refused(kind):
    state = state_of(kind)
    arrays = {key: value for key, value in state["learned"].items() if isinstance(value, np.ndarray)}
    assert arrays
    for key, value in arrays.items():
        for other in (value[:-1], value.astype(np.float32), value[None]):
            with pytest.raises(ValueError, match=f"the model's '{key}'"):
                kind().from_state(state | {"learned": state["learned"] | {key: other}})


def arrays_in(value: object, path: str) -> Iterator[tuple[str, object]]:
    """Everything with a length inside an object, with the way to it."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from arrays_in(inner, f"{path}.{key}")
    elif isinstance(value, list | tuple):
        yield path, np.empty(len(value))
        for inner in value:
            yield from arrays_in(inner, f"{path}[]")
    elif hasattr(value, "shape"):
        yield path, value
        for part in ("data", "indices", "indptr"):
            if issparse(value) and hasattr(value, part):
                yield f"{path}.{part}", getattr(value, part)
    elif hasattr(value, "__dict__") and not isinstance(value, type):
        yield from arrays_in(vars(value), path)


@every_classifier
@pytest.mark.parametrize("y", [Y, LISTS], ids=["single", "lists"])
def test_no_training_data_stays(kind, y):
    model = make(kind, hierarchy=TREE).fit(csr_array(X), y)
    model.predict(X)
    assert csr_array(X).nnz not in (N, N + 1)
    if kind.__name__ in NEIGHBOURS:
        # An index of the training documents is what they are.
        assert len(model.index_) == N
        return
    for path, array in arrays_in(vars(model), kind.__name__):
        assert not {N, N + 1, csr_array(X).nnz} & set(array.shape), path


def test_training_data_would_be_found():
    model = FlatClassifier(hierarchy=TREE).fit(X, Y)
    model.kept_ = {"deep": [csr_array(X)]}
    assert any(N in array.shape for _, array in arrays_in(vars(model), "model"))


@every_classifier
def test_shapes_of_scores(kind):
    two, four = np.array(["u", "v"] * N)[:N], Y
    assert make(kind).fit(X, two).decision_function(X).shape == (N,)
    assert make(kind).fit(X, four).decision_function(X).shape == (N, 4)
    assert make(kind, hierarchy=TREE).fit(X, two).decision_function(X).shape == (N, 6)
    pair = make(kind, hierarchy=Hierarchy.flat(["u", "v"])).fit(X, two)
    assert pair.decision_function(X).shape == (N, 2)
    assert kind().from_state(pair.to_state()).decision_function(X).shape == (N, 2)
    assert make(kind).fit(X, [[name] for name in two]).decision_function(X).shape == (N, 2)
    for y in (two, four, LISTS):
        model = make(kind, hierarchy=TREE).fit(X, y)
        assert model.node_scores(X).shape == (N, 6)
        assert model.node_scores(X).dtype == np.float64
    # In node order: nothing is known of b and y, and a and x take the scores of u and v.
    scores = make(kind, hierarchy=TREE).fit(X, two).node_scores(X)
    assert (scores[:, [1, 3]] == -np.inf).all()
    assert np.isfinite(scores[:, [0, 2, 4, 5]]).all()


@every_classifier
def test_two_classes_are_one_margin(kind):
    model = make(kind).fit(X, np.array(["u", "v"] * N)[:N])
    margins = model.decision_function(X)
    assert margins == pytest.approx((model.own_scores(X) if model.gives_chances else model.node_scores(X)) @ [-1, 1])
    assert model.predict(X).tolist() == np.where(margins > 0, "v", "u").tolist()


@pytest.mark.filterwarnings("ignore:left out .* belong nowhere")
@every_classifier
def test_the_default_decision(kind):
    assert make(kind, hierarchy=TREE).fit(X, Y).decision_ == BestPath()
    assert make(kind, hierarchy=TREE).fit(X, [[name] for name in Y]).decision_ == BestPath()
    # Together with its ancestors, a label is still one own label.
    assert (
        make(kind, hierarchy=TREE).fit(X, [[name, "a"] if name != "b" else [name] for name in Y]).decision_
        == BestPath()
    )
    assert make(kind, hierarchy=TREE).fit(X, LISTS).decision_ == default_threshold(kind)
    assert make(kind, hierarchy=TREE).fit(X, [*LISTS[:-1], []]).decision_ == default_threshold(kind)


@every_classifier
def test_the_decision_asked_for(kind):
    assert make(kind, decision="threshold,value=0.5").fit(X, Y).decision_ == Threshold(0.5)
    assert make(kind, decision=BestPath()).fit(X, LISTS).decision_ == BestPath()
    assert isinstance(make(kind, decision="threshold").fit(X, Y).predict(X), list)
    tuned = make(kind, hierarchy=TREE, decision=TUNED).fit(X, LISTS)
    assert isinstance(tuned.decision_, TunedThreshold)
    assert tuned.decision == TUNED
    with pytest.raises(ValueError, match="unknown decision 'guess'"):
        make(kind, decision="guess").fit(X, Y)


@every_classifier
@pytest.mark.parametrize("form", ["str", "lists", "paths"])
def test_answers_do_not_depend_on_the_batch(kind, form, monkeypatch):
    model = learned(kind, form)
    together = model.predict_indicator(X)
    first = model.predict_first(X)
    answers = model.predict(X)
    for row in range(N):
        one = model.predict(X[[row]])
        if form == "lists":
            assert one == [answers[row]]
        else:
            assert one.dtype == answers.dtype
            assert (one != answers[[row]]).sum() == 0
        assert model.predict_first(X[[row]])[0] == first[row]
    for scores in (1, 3 * len(model.hierarchy_), N * len(model.hierarchy_)):
        monkeypatch.setattr(classmark_base, "SCORES_IN_A_BATCH", scores)
        assert (model.predict_indicator(X) != together).nnz == 0
        assert np.array_equal(model.predict_first(X), first)


@every_classifier
@pytest.mark.parametrize("form", ["str", "lists", "paths"])
def test_no_documents_no_answers(kind, form):
    model = learned(kind, form)
    nobody = X[:0]
    assert len(model.predict(nobody)) == 0
    assert model.predict_indicator(nobody).shape == (0, len(model.hierarchy_))
    assert model.predict_first(nobody).shape == (0,)


@every_classifier
@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([None] * N, "no document is labelled"),
        ([[]] * N, "no document belongs to any category"),
        (["u", "z"] * N, "document 1: the label 'z' is not in the hierarchy"),
        (Y[1:], "inconsistent numbers of samples"),
        (None, "requires y to be passed"),
    ],
)
def test_labels_that_teach_nothing_are_refused(kind, y, message):
    with pytest.raises(ValueError, match=message):
        make(kind, hierarchy=TREE).fit(X, y)


@every_classifier
def test_score_is_hf_and_takes_no_weights(kind):
    model = make(kind, hierarchy=TREE).fit(X, LISTS)
    assert model.score(X, LISTS) == hf_score(LISTS, model.predict(X), TREE)
    with pytest.raises(ValueError, match="score takes no sample_weight"):
        model.score(X, LISTS, sample_weight=np.ones(N))


@every_classifier
def test_contributions_sum_to_the_scores(kind):
    model = make(kind, hierarchy=TREE).fit(X, LISTS)
    for node, name in enumerate(TREE):
        terms, bias = model.contributions(X, name)
        assert terms.shape == (N, model.n_features_in_)
        assert terms.sum(axis=1) + bias == pytest.approx(model.node_scores(X)[:, node], abs=1e-9)
