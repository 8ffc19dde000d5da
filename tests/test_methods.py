"""The table of methods: its entries, their settings, and what is refused."""

import msgspec
import pytest
from msgspec import inspect

from classmark.base import HierarchicalClassifier
from classmark.checks import LARGEST, check_settings
from classmark.classifiers import classifier_class
from classmark.methods import METHODS, LearnerSettings, changed, find_method
from classmark.text import TextSettings


@pytest.mark.parametrize("name", METHODS)
def test_every_entry(name):
    method = find_method(name)
    assert method.name == name
    assert method.summary.endswith(".")
    assert "\n" not in method.summary
    learner, text = method.configure({})
    assert (learner, text) == (method.learner, method.text)
    classifier = learner.build(random_state=3, n_jobs=None)
    assert isinstance(classifier, HierarchicalClassifier)
    assert classifier_class(type(classifier).__name__) is type(classifier)


@pytest.mark.parametrize("name", METHODS)
def test_every_setting_is_described_and_plain(name):
    method = METHODS[name]
    for part in (method.learner, method.text):
        declared = msgspec.json.schema(type(part))["$defs"][type(part).__name__].get("properties", {})
        assert set(declared) == set(part.__struct_fields__)
        assert all(declared[field].get("description") for field in declared)
        # Settings go into the model file: as JSON they must come back the same.
        plain = msgspec.json.decode(msgspec.json.encode(msgspec.structs.asdict(part)))
        assert msgspec.convert(plain, type(part)) == part


@pytest.mark.parametrize("name", METHODS)
def test_no_setting_has_two_homes(name):
    method = METHODS[name]
    assert not set(method.learner.__struct_fields__) & set(method.text.__struct_fields__)


def test_settings_as_values_and_as_strings():
    method = METHODS["linear-svm"]
    as_values = method.configure({"C": 10, "class_weight": "balanced", "lowercase": False, "min_df": 2, "max_df": 0.5})
    as_strings = method.configure(
        {"C": "10", "class_weight": "balanced", "lowercase": "false", "min_df": "2", "max_df": "0.5"}
    )
    assert as_values == as_strings
    learner, text = as_values
    assert learner.C == 10.0
    assert (text.lowercase, text.min_df, text.max_df) == (False, 2, 0.5)
    assert (type(text.min_df), type(text.max_df)) == (int, float)


def test_none_is_none():
    learner, text = METHODS["linear-svm"].configure({"class_weight": "none", "stemmer": "none", "norm": None})
    assert (learner.class_weight, text.stemmer, text.norm) == (None, None, None)


def test_the_table_is_not_changed():
    before = METHODS["linear-svm"].learner
    METHODS["linear-svm"].configure({"C": 10})
    assert METHODS["linear-svm"].learner is before
    assert before.C == 1.0


def test_settings_reach_the_learner():
    learner, _ = METHODS["linear-svm"].configure({"C": 10, "max_iter": 7})
    svm = learner.build(random_state=5, n_jobs=2)
    assert (svm.estimator.C, svm.estimator.max_iter, svm.estimator.random_state, svm.n_jobs) == (10, 7, 5, 2)
    learner, _ = METHODS["logistic"].configure({"class_weight": "balanced"})
    logistic = learner.build(random_state=5, n_jobs=None)
    assert (logistic.estimator.class_weight, logistic.estimator.random_state) == ("balanced", 5)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"Cost": 1}, "method 'linear-svm' has no setting 'Cost'; its settings: C, class_weight, max_iter, inner, "),
        ({"C": "much"}, "setting C=much: must be a number above 0"),
        ({"C": "-3"}, "setting C=-3: must be a number above 0"),
        ({"C": 0}, "setting C=0: must be a number above 0"),
        ({"C": None}, "setting C=None: must be a number above 0"),
        ({"C": "none"}, "setting C=none: must be a number above 0"),
        ({"max_iter": 0.5}, "setting max_iter=0.5: must be a whole number from 1"),
        ({"class_weight": "heavy"}, "setting class_weight=heavy: must be balanced or none"),
        (
            {"weighting": "bm52"},
            "setting weighting=bm52: must be binary, bm25, bm25-printed, counts, log-entropy or tfidf",
        ),
        ({"norm": "l3"}, "setting norm=l3: must be l1, l2 or none"),
        ({"b": "2"}, "setting b=2: must be a number from 0 to 1"),
        ({"k1": "-1"}, "setting k1=-1: must be a number from 0"),
        ({"ngrams": "0"}, "setting ngrams=0: must be a whole number from 1 to 20"),
        ({"ngrams": 10**6}, "setting ngrams=1000000: must be a whole number from 1 to 20"),
        ({"max_iter": 10**20}, f"setting max_iter={10**20}: must be a whole number from 1 to 1,000,000,000"),
        ({"max_iter": 10**9 + 1}, f"setting max_iter={10**9 + 1}: must be a whole number from 1 to 1,000,000,000"),
        ({"C": "inf"}, "setting C=inf: must be a number above 0"),
        ({"C": float("nan")}, "setting C=nan: must be a number above 0"),
        ({"min_df": "inf"}, "setting min_df=inf: must be a number"),
        ({"min_df": "few"}, "setting min_df=few: must be a number"),
        ({"max_features": "few"}, "setting max_features=few: must be a whole number to 1,000,000,000 or none"),
        ({"lowercase": "perhaps"}, "setting lowercase=perhaps: must be yes or no"),
        ({"language": 3}, "setting language=3: must be text"),
        ({"stemmer": 3}, "setting stemmer=3: must be text or none"),
    ],
)
def test_refusals(settings, message):
    with pytest.raises(ValueError) as error:
        METHODS["linear-svm"].configure(settings)
    assert str(error.value).startswith(message)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("name", METHODS)
def test_what_the_declarations_allow_the_estimators_do_not_refuse(name):
    for part in METHODS[name].configure({}):
        for field in inspect.type_info(type(part)).fields:
            declared = field.type.type if isinstance(field.type, inspect.Metadata) else field.type
            if isinstance(declared, inspect.IntType):
                most = LARGEST if declared.le is None else declared.le
                for value in (declared.ge, most):
                    learner, text = METHODS[name].configure({field.name: value})
                    classifier = learner.build(random_state=0, n_jobs=None)
                    check_settings(classifier, classifier.allowed)
                    text.for_documents(()).vectoriser().check()
                with pytest.raises(ValueError, match=f"^setting {field.name}={most + 1}: must be a whole number from"):
                    METHODS[name].configure({field.name: most + 1})


@pytest.mark.parametrize("name", METHODS)
def test_what_every_setting_may_be_can_be_said(name):
    for part in (METHODS[name].learner, METHODS[name].text):
        for field in part.__struct_fields__:
            with pytest.raises(ValueError, match=rf"^setting {field}=\[\]: must be [^`$]+$"):
                changed(part, field, [])


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        *((word, True) for word in ("yes", "Yes", "true", "True", "1", True)),
        *((word, False) for word in ("no", "No", "false", "False", "0", False)),
    ],
)
def test_truth_values_as_people_write_them(written, meant):
    assert changed(TextSettings(), "lowercase", written).lowercase is meant


def test_unknown_methods_are_refused_with_the_known_ones():
    with pytest.raises(ValueError, match="method 'svm' does not exist; choose one of linear-svm, logistic, majority"):
        find_method("svm")


def test_changed_leaves_the_rest():
    assert changed(TextSettings(ngrams=2), "min_length", "3") == TextSettings(ngrams=2, min_length=3)


def test_the_base_of_settings_builds_nothing():
    with pytest.raises(NotImplementedError):
        LearnerSettings().build(None, None)
