"""The table of methods: its entries, their settings, and what is refused."""

import re

import msgspec
import pytest

from classmark.base import HierarchicalClassifier
from classmark.checks import LARGEST
from classmark.parameters import check_parameters, parameters
from classmark.registry import METHODS, find_class, find_method
from classmark.text import TextSettings
from classmark.text.parts import TextsOfParts

OF_TEXT = parameters(TextSettings)


@pytest.mark.parametrize("name", METHODS)
def test_every_entry(name):
    method = find_method(name)
    assert method.name == name
    assert method.summary.endswith(".")
    assert "\n" not in method.summary
    learner, text = method.configure({})
    assert learner == method.learner
    if isinstance(text, TextsOfParts):
        assert text.parts == tuple(find_method(part).text for part in learner.settings["parts"].split("+"))
    else:
        assert text == method.text
    classifier = learner.build(random_state=3, n_jobs=None)
    classifier.check()
    assert isinstance(classifier, HierarchicalClassifier)
    assert find_class(type(classifier).__name__) is type(classifier)


@pytest.mark.parametrize("name", METHODS)
def test_every_default_may_be(name):
    method = METHODS[name]
    for setting, one in method.declared().items():
        assert one.name == setting
        assert one.constraint.accepts(one.default)
        assert one.description.endswith(".")
    assert set(method.defaults) <= set(method.declared()) | set(method.learner.build(0, None).get_params())
    for setting, values in method.tried.items():
        assert all((method.declared() | OF_TEXT)[setting].constraint.accepts(value) for value in values)


@pytest.mark.parametrize("name", METHODS)
def test_settings_are_plain(name):
    """Settings go into the model file: what comes back out of JSON builds the same, lists standing for tuples."""
    learner = METHODS[name].learner
    again, _ = METHODS[name].configure(msgspec.json.decode(msgspec.json.encode(learner.settings)))
    before, after = (one.build(0, None).get_params() for one in (learner, again))
    assert before.keys() == after.keys()
    for parameter, value in before.items():
        found = after[parameter]
        assert repr(tuple(found) if isinstance(value, tuple) else found) == repr(value)


@pytest.mark.parametrize("name", METHODS)
def test_no_setting_has_two_homes(name):
    assert not set(METHODS[name].declared()) & set(OF_TEXT)


def test_settings_as_values_and_as_strings():
    method = METHODS["linear-svm"]
    as_values = method.configure({"C": 10, "class_weight": "balanced", "lowercase": False, "min_df": 2, "max_df": 0.5})
    as_strings = method.configure(
        {"C": "10", "class_weight": "balanced", "lowercase": "false", "min_df": "2", "max_df": "0.5"}
    )
    assert as_values == as_strings
    learner, text = as_values
    assert learner.settings["C"] == 10.0
    assert (text.lowercase, text.min_df, text.max_df) == (False, 2, 0.5)
    assert (type(text.min_df), type(text.max_df)) == (int, float)


def test_none_is_none():
    learner, text = METHODS["linear-svm"].configure({"class_weight": "none", "stemmer": "none", "norm": None})
    assert (learner.settings["class_weight"], text.stemmer, text.norm) == (None, None, None)


def test_the_table_is_not_changed():
    METHODS["linear-svm"].configure({"C": 10})
    assert METHODS["linear-svm"].learner.settings["C"] == 1.0


def test_settings_reach_the_learner():
    learner, _ = METHODS["linear-svm"].configure({"C": 10, "max_iter": 7})
    svm = learner.build(random_state=5, n_jobs=2)
    assert (svm.C, svm.max_iter, svm.random_state, svm.n_jobs) == (10, 7, 5, 2)
    learner, _ = METHODS["logistic"].configure({"class_weight": "balanced"})
    logistic = learner.build(random_state=5, n_jobs=None)
    assert (logistic.estimator.class_weight, logistic.estimator.random_state) == ("balanced", 5)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"Cost": 1}, "method 'linear-svm' has no setting 'Cost'; its settings: C, class_weight, max_iter, inner, "),
        ({"C": "much"}, "setting C=much: must be a number > 0"),
        ({"C": "-3"}, "setting C=-3: must be a number > 0"),
        ({"C": 0}, "setting C=0: must be a number > 0"),
        ({"C": None}, "setting C=None: must be a number > 0"),
        ({"C": "none"}, "setting C=none: must be a number > 0"),
        ({"max_iter": 0.5}, r"setting max_iter=0\.5: must be.*integer >= 1"),
        ({"class_weight": "heavy"}, "setting class_weight=heavy: must be balanced, or none"),
        (
            {"weighting": "bm52"},
            "setting weighting=bm52: must be one of tfidf, counts, binary, bm25, bm25-printed, log-entropy",
        ),
        ({"norm": "l3"}, "setting norm=l3: must be one of l2, l1, or none"),
        ({"b": "2"}, "setting b=2: must be a number >= 0 and <= 1"),
        ({"k1": "-1"}, "setting k1=-1: must be a number >= 0"),
        ({"ngrams": "0"}, r"setting ngrams=0: must be.*integer >= 1 and <= 20"),
        ({"ngrams": 10**6}, r"setting ngrams=1000000: must be.*integer >= 1 and <= 20"),
        ({"max_iter": 10**20}, rf"setting max_iter={10**20}: must be.*integer >= 1"),
        ({"max_iter": 10**9 + 1}, rf"setting max_iter={10**9 + 1}: must be.*integer >= 1"),
        ({"C": "inf"}, "setting C=inf: must be a number > 0"),
        ({"C": float("nan")}, "setting C=nan: must be a number > 0"),
        (
            {"min_df": "inf"},
            r"setting min_df=inf: must be.*number of documents.*1,.*part of them.*0\.0 to 1\.0",
        ),
        (
            {"min_df": "few"},
            r"setting min_df=few: must be.*number of documents.*1,.*part of them.*0\.0 to 1\.0",
        ),
        ({"max_features": "few"}, r"setting max_features=few: must be.*integer >= 1, or none"),
        ({"lowercase": "perhaps"}, "setting lowercase=perhaps: must be yes or no"),
        ({"language": 3}, "setting language=3: must be text"),
        ({"stemmer": 3}, "setting stemmer=3: must be text, or none"),
    ],
)
def test_refusals(settings, message):
    with pytest.raises(ValueError) as error:
        METHODS["linear-svm"].configure(settings)
    assert re.search(message, str(error.value))
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("name", METHODS)
def test_the_edges_of_whole_numbers(name):
    method = METHODS[name]
    for setting, one in (method.declared() | method.declared_of_text()).items():
        limits = re.match(r"an integer >= ([\d,]+)(?: and <= ([\d,]+))?(?:, or None)?$", one.constraint.description)
        if limits is None:
            continue
        least, most = (int((limit or str(LARGEST)).replace(",", "")) for limit in limits.groups())
        for value in (least, most):
            learner, text = method.configure({setting: value})
            check_parameters(learner.build(random_state=0, n_jobs=None))
            text.for_documents(()).vectoriser().check()
        with pytest.raises(ValueError, match=rf"setting {setting}={LARGEST + 1}: must be.*integer"):
            method.configure({setting: LARGEST + 1})


@pytest.mark.parametrize("name", METHODS)
def test_what_every_setting_may_be_can_be_said(name):
    for setting, one in (METHODS[name].declared() | METHODS[name].declared_of_text()).items():
        with pytest.raises(ValueError, match=rf"setting {setting}=\{{\}}: must be [^`$]+$"):
            one.read({})


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        *((word, True) for word in ("yes", "Yes", "true", "True", "1", True)),
        *((word, False) for word in ("no", "No", "false", "False", "0", False)),
    ],
)
def test_truth_values_as_people_write_them(written, meant):
    assert OF_TEXT["lowercase"].read(written) is meant


@pytest.mark.parametrize(
    ("method", "settings", "parameters_of_it"),
    [
        ("knn-bm25", {"bm25_k1": "2", "thresholds": "1/0.5"}, {"k1": 2.0, "thresholds": (1.0, 0.5)}),
        ("pcem", {"level_weight": "1,2"}, {"level_weight": [1.0, 2.0]}),
        ("hiercost", {"cost": "none"}, {"cost": "none"}),
        (
            "global-adaboost",
            {"threshold": "0.5", "n_estimators": "7"},
            {"threshold": 0.5, "estimator__n_estimators": 7},
        ),
        ("global-adaboost", {"threshold": "none"}, {"threshold": None}),
        ("treeboost-mp", {}, {"pivots": "own", "n_estimators": 200}),
        ("topdown-logistic", {"prune": "0"}, {"prune": 0.0, "estimator__C": 10.0, "estimator__solver": "liblinear"}),
        ("self-training", {"learner": "linear-svm"}, {"estimator__calibration": "platt", "estimator__inner": "best"}),
        ("self-training", {"learner": "nb-plus"}, {"estimator__scaling": "log-idf"}),
        ("self-training", {}, {"estimator": None}),
    ],
)
def test_settings_become_parameters(method, settings, parameters_of_it):
    found = METHODS[method].configure(settings)[0].build(0, None).get_params()
    assert {name: found[name] for name in parameters_of_it} == parameters_of_it


def test_the_local_approach_decides_by_its_threshold():
    method = METHODS["local-adaboost"]
    assert method.learner.build(0, 2).estimator.n_jobs is None
    assert method.learner.build(0, None).decision == "tuned,on=training,consistency=filter"


def test_find_method_unknown_name_lists_all_methods():
    with pytest.raises(ValueError, match="unknown method 'xyz'"):
        find_method("xyz")


@pytest.mark.parametrize(
    ("name", "similar"),
    [
        ("svm", "linear-svm, global-svm or topdown-svm"),
        ("linear-smv", "linear-svm"),
        ("Linear-SVM", "linear-svm"),
        ("logit", "logistic or topdown-logistic"),
    ],
)
def test_find_method_similar_name_proposes_at_most_three(name, similar):
    with pytest.raises(ValueError, match=rf"unknown method '{name}'. Did you mean {similar}\?"):
        find_method(name)


@pytest.mark.parametrize("name", ["Booster", "__import__", "", "system"])
def test_no_other_class_is_found(name):
    with pytest.raises(ValueError, match="is no classifier of classmark's"):
        find_class(name)
