"""`TextClassifier` from texts to a file and back, for every method of the table."""

import pickle

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from classmark import (
    BlendClassifier,
    FlatClassifier,
    Hierarchy,
    MajorityClassifier,
    TermSelector,
    TextClassifier,
    persistence,
)
from classmark.base import HierarchicalClassifier
from classmark.decision import BestPath, Decision, Threshold, TunedThreshold
from classmark.explain import explain
from classmark.metrics import hf_score
from classmark.text import STOP_WORDS, TextSettings
from tests.animals import QUERIES, TEXTS
from tests.encoders import every_method, settings_for
from tests.explain.whole import check_nodes, check_text

pytestmark = pytest.mark.filterwarnings("ignore:guessed the labels of")
TREE = Hierarchy.from_nested({"animal": {"bird": ["owl", "gull"]}, "plant": ["oak"]})
LABELS = ["owl", "owl", "gull", "gull", "oak", "oak"]
LISTS = [["owl"], ["owl", "gull"], ["gull"], ["gull"], ["oak"], []]


def saved(model, folder):
    model.save(folder / "model.classmark")
    return folder / "model.classmark"


@pytest.mark.filterwarnings("ignore:left out .* belong nowhere")
@every_method
def test_train_save_load_predict_explain(tmp_path, method):
    train_save_load_predict_explain(tmp_path, method, LISTS)


@pytest.mark.filterwarnings("ignore:left out .* belong nowhere")
@pytest.mark.parametrize("method", ["linear-svm", "mp-boost", "nb", "knn-bm25", "topdown-svm", "hiercost"])
def test_train_save_load_predict_explain_one_label_each(tmp_path, method):
    train_save_load_predict_explain(tmp_path, method, LABELS)


def train_save_load_predict_explain(tmp_path, method, labels):
    model = TextClassifier(method, settings=settings_for(method), hierarchy=TREE).fit(TEXTS, labels)
    answers = model.predict(QUERIES)
    assert len(answers) == len(QUERIES)
    path = saved(model, tmp_path)
    again = TextClassifier.load(path)
    assert type(again.predict(QUERIES)) is type(answers)
    assert list(again.predict(QUERIES)) == list(answers)
    assert again.node_scores(QUERIES).tobytes() == model.node_scores(QUERIES).tobytes()
    assert again.decision_function(QUERIES).tobytes() == model.decision_function(QUERIES).tobytes()
    assert (again.predict_indicator(QUERIES) != model.predict_indicator(QUERIES)).nnz == 0
    assert again.score(TEXTS, labels) == model.score(TEXTS, labels) == hf_score(labels, model.predict(TEXTS), TREE)
    assert again.classes_.tolist() == model.classes_.tolist() == list(TREE)
    assert again.hierarchy_ == TREE
    for query in QUERIES:
        assert explain(again, query, list(TREE)) == explain(model, query, list(TREE))
        check_text(again, query)
    assert check_nodes(again) == check_nodes(model)
    # Nothing is lost on the way: what was loaded is saved as the same bytes.
    assert saved(again, tmp_path).read_bytes() == path.read_bytes()


UNKNOWN = ["Who hoots at night?", "qqqq zzzz", ""]


@pytest.mark.parametrize(
    ("labels", "empty"),
    [(LISTS, [[], []]), (np.array([[0, 1, 1], [1, 0, 0]] * 3), [[0] * 3] * 2)],
    ids=["lists", "indicator"],
)
@pytest.mark.filterwarnings("ignore:left out .* belong nowhere")
@pytest.mark.parametrize("method", ["nb", "linear-svm", "blend"])
def test_predict_document_without_known_terms_has_no_label(method, labels, empty):
    model = TextClassifier(method, settings=settings_for(method)).fit(TEXTS, labels)
    assert [list(own) for own in model.predict(UNKNOWN)][1:] == empty
    assert model.lacks_known_terms(model.transform(UNKNOWN)).tolist() == [False, True, True]


def test_predict_sparse_indicator_document_without_known_terms_has_no_label():
    labels = csr_array(np.array([[1, 0, 0], [0, 1, 1]] * 3))
    assert TextClassifier("nb").fit(TEXTS, labels).predict(UNKNOWN)[[1, 2]].nnz == 0


@pytest.mark.parametrize("labels", [LABELS, np.array([["a", label] for label in LABELS])], ids=["single", "paths"])
def test_predict_single_label_without_known_terms_guesses_and_warns_once(labels):
    model = TextClassifier("nb").fit(TEXTS, labels)
    with pytest.warns(UserWarning, match="guessed the labels of 2 of 3 documents, which have no known term") as caught:
        assert len(model.predict(UNKNOWN)) == 3
    assert len(caught) == 1
    assert len(model.predict(UNKNOWN[:1])) == 1


@pytest.mark.parametrize(("method", "reads_terms"), [("nb", True), ("blend", True), ("frozen-encoder", False)])
def test_lacks_known_terms_only_where_terms_are_read(method, reads_terms):
    if not reads_terms:
        pytest.importorskip("tokenizers", reason="the extra embed is not installed")
    model = TextClassifier(method, settings=settings_for(method), hierarchy=TREE).fit(TEXTS, LABELS)
    assert model.lacks_known_terms(model.transform(UNKNOWN)).tolist() == [False, reads_terms, reads_terms]


def test_it_learns():
    model = TextClassifier(hierarchy=TREE).fit(TEXTS, LABELS)
    assert model.predict(TEXTS).tolist() == LABELS
    assert model.predict(QUERIES[:3]).tolist() == ["owl", "gull", "oak"]


@every_method
def test_the_same_seed_and_input_give_the_same_bytes(tmp_path, method):
    contents = set()
    for documents in (TEXTS, iter(TEXTS)):
        model = TextClassifier(method, settings=settings_for(method), hierarchy=TREE, random_state=7)
        model.fit(documents, LABELS)
        contents.add(saved(model, tmp_path).read_bytes())
    assert len(contents) == 1


def test_a_loaded_model_knows_its_parameters(tmp_path):
    settings = {"C": 10, "stemmer": None, "ngrams": 2}
    model = TextClassifier(settings=settings, hierarchy=TREE, decision="tuned", random_state=3).fit(TEXTS, LISTS)
    again = TextClassifier.load(saved(model, tmp_path))
    assert (again.method, again.settings, again.random_state) == ("linear-svm", settings, 3)
    assert again.hierarchy == TREE
    assert isinstance(again.decision, TunedThreshold)
    assert again.decision == model.classifier_.decision_
    assert again.text_ == model.text_
    assert again.classifier_.estimator.C == 10
    assert again.vectoriser_.vocabulary_ == model.vectoriser_.vocabulary_
    assert clone(again).get_params()["settings"] == settings


def test_a_loaded_model_refits(tmp_path):
    model = TextClassifier(hierarchy=TREE).fit(TEXTS, LABELS)
    again = TextClassifier.load(saved(model, tmp_path))
    assert again.fit(TEXTS, LABELS).node_scores(QUERIES).tobytes() == model.node_scores(QUERIES).tobytes()
    # Without a hierarchy given, other labels may come.
    flat = TextClassifier.load(saved(TextClassifier().fit(TEXTS, LABELS), tmp_path))
    assert flat.hierarchy is None
    assert flat.fit(["red", "blue"], ["r", "b"]).predict(["blue"]).tolist() == ["b"]


def test_settings_changed_after_fit_are_not_what_is_saved(tmp_path):
    model = TextClassifier(hierarchy=TREE).fit(TEXTS, LABELS)
    model.set_params(settings={"stemmer": None, "lowercase": False})
    again = TextClassifier.load(saved(model, tmp_path))
    assert again.node_scores(QUERIES).tobytes() == model.node_scores(QUERIES).tobytes()
    assert again.text_.lowercase


@pytest.mark.parametrize(
    "labels",
    [
        [3, 3, 5, 5, 8, 8],
        np.array([3, 3, 5, 5, 8, 8], dtype=np.int8),
        [True, True, False, False, True, True],
        [["x", 1], ["x"], [1], [], [1], ["x"]],
        np.array([["a", "x"], ["a", "x"], ["a", "y"], ["a", "y"], ["b", ""], ["b", ""]]),
        np.eye(3, dtype=int)[[0, 0, 1, 1, 2, 2]],
    ],
    ids=["int", "int8", "bool", "mixed lists", "paths", "indicator"],
)
def test_labels_keep_their_form_and_type_in_the_file(tmp_path, labels):
    model = TextClassifier().fit(TEXTS, labels)
    again = TextClassifier.load(saved(model, tmp_path))
    one, two = model.predict(QUERIES), again.predict(QUERIES)
    assert type(one) is type(two)
    if isinstance(one, list):
        assert one == two
        assert [[type(name) for name in names] for names in one] == [[type(name) for name in names] for names in two]
    else:
        assert one.dtype == two.dtype
        assert one.tolist() == two.tolist()


def test_categories_of_numpy_types_are_saved(tmp_path):
    labels = [np.array([name]) for name in LABELS]
    again = TextClassifier.load(saved(TextClassifier().fit(TEXTS, labels), tmp_path))
    assert again.predict(TEXTS) == [[name] for name in LABELS]
    tree = Hierarchy.from_edges([(None, np.int64(1)), (None, np.int64(2))])
    again = TextClassifier.load(saved(TextClassifier(hierarchy=tree).fit(TEXTS, [1, 1, 1, 2, 2, 2]), tmp_path))
    assert again.hierarchy_.names == (1, 2)


def test_german_text(tmp_path):
    texts = ["Die Häuser der Stadt", "Ein altes Haus", "Die Vögel im Wald", "Der Vogel singt"]
    model = TextClassifier(settings={"language": "german", "stop_words": "language"}).fit(
        texts, ["bau", "bau", "tier", "tier"]
    )
    assert model.predict(["häusern", "Vögeln"]).tolist() == ["bau", "tier"]
    again = TextClassifier.load(saved(model, tmp_path))
    assert again.predict(["HÄUSER"]).tolist() == ["bau"]
    assert again.vectoriser_.vocabulary_ == ["alt", "haus", "singt", "stadt", "vogel", "wald"]


def test_every_language_with_stop_words_has_a_stemmer():
    for language in STOP_WORDS:
        assert TextSettings(language=language).analyser().terms("xyzzy")


def test_a_language_with_a_stemmer_alone():
    texts = ["husene i byen", "fuglene i skoven"]
    model = TextClassifier(settings={"language": "danish", "stop_words": None}).fit(texts, ["bau", "tier"])
    assert model.predict(["huset"]).tolist() == ["bau"]
    # Neither is needed for a language without both.
    TextClassifier(settings={"language": "klingon", "stop_words": "none", "stemmer": "none"}).fit(texts, ["a", "b"])


def test_the_french_summer_is_no_stop_word():
    texts = ["un été à la mer", "il a été en hiver"]
    model = TextClassifier(settings={"language": "french", "stemmer": None, "stop_words": "language"}).fit(
        texts, ["s", "w"]
    )
    assert model.vectoriser_.vocabulary_ == ["hiver", "mer", "été"]


def test_documents_of_features(tmp_path):
    documents = [{"The Owl": 2.5, "night": 1}, {"sea": 1}]
    model = TextClassifier().fit(documents, ["owl", "gull"])
    assert model.vectoriser_.vocabulary_ == ["The Owl", "night", "sea"]
    again = TextClassifier.load(saved(model, tmp_path))
    assert again.predict([{"The Owl": 1}, {"sea": 3, "unknown": 1}]).tolist() == ["owl", "gull"]


class TestSelection:
    def test_only_the_selected_terms_are_left(self, tmp_path):
        whole = TextClassifier(hierarchy=TREE).fit(TEXTS, LABELS)
        model = TextClassifier(hierarchy=TREE, selection="chi-square,n_terms=4").fit(TEXTS, LABELS)
        assert len(model.vectoriser_.vocabulary_) == 4
        assert set(model.vectoriser_.vocabulary_) < set(whole.vectoriser_.vocabulary_)
        assert model.transform(QUERIES).shape == (5, 4)
        again = TextClassifier.load(saved(model, tmp_path))
        assert again.selection == "chi-square,n_terms=4"
        assert again.node_scores(QUERIES).tobytes() == model.node_scores(QUERIES).tobytes()
        assert again.fit(TEXTS, LABELS).vectoriser_.vocabulary_ == model.vectoriser_.vocabulary_

    def test_the_terms_are_those_of_the_selector(self):
        whole = TextClassifier(hierarchy=TREE).fit(TEXTS, LABELS)
        counts = whole.vectoriser_.transform(TEXTS)
        selector = TermSelector("chi-square", n_terms=4, hierarchy=TREE).fit(counts, LABELS)
        expected = [whole.vectoriser_.vocabulary_[column] for column in selector.support_]
        model = TextClassifier(hierarchy=TREE, selection="chi-square,n_terms=4").fit(TEXTS, LABELS)
        assert model.vectoriser_.vocabulary_ == expected

    def test_a_selector_as_an_object(self, tmp_path):
        selector = TermSelector("chi-square", "max", share=0.5)
        model = TextClassifier(hierarchy=TREE, selection=selector).fit(TEXTS, LISTS)
        named = TextClassifier(hierarchy=TREE, selection="chi-square,globalise=max,share=0.5").fit(TEXTS, LISTS)
        assert model.vectoriser_.vocabulary_ == named.vectoriser_.vocabulary_
        assert TextClassifier.load(saved(model, tmp_path)).selection == "chi-square,globalise=max,share=0.5"
        assert not hasattr(selector, "support_")

    def test_everything_selected_is_no_selection(self):
        model = TextClassifier(selection="chi-square,share=1.0").fit(TEXTS, LABELS)
        assert (
            model.node_scores(QUERIES).tobytes() == TextClassifier().fit(TEXTS, LABELS).node_scores(QUERIES).tobytes()
        )


class TestTitles:
    @pytest.mark.parametrize("titles", [None, {}, {"owl": "Strix aluco", "bird": "Aves"}])
    def test_they_are_saved(self, tmp_path, titles):
        model = TextClassifier(hierarchy=TREE, titles=titles).fit(TEXTS, LABELS)
        assert TextClassifier.load(saved(model, tmp_path)).titles == (titles or None)

    def test_they_change_no_answer(self):
        titled = TextClassifier(hierarchy=TREE, titles={"owl": "Strix"}).fit(TEXTS, LABELS)
        plain = TextClassifier(hierarchy=TREE).fit(TEXTS, LABELS)
        assert titled.predict(QUERIES).tolist() == plain.predict(QUERIES).tolist()

    def test_a_title_of_what_is_no_category_is_not_saved(self, tmp_path):
        model = TextClassifier(hierarchy=TREE, titles={"owl": "Strix", "emu": "Dromaius"}).fit(TEXTS, LABELS)
        assert TextClassifier.load(saved(model, tmp_path)).titles == {"owl": "Strix"}


class TestAddressesAndNotations:
    URIS = {"owl": "http://a/owl", "bird": "http://a/bird"}
    NOTATIONS = {"owl": "598.97"}

    @pytest.mark.parametrize(
        "given", [{"uris": URIS}, {"notations": NOTATIONS}, {"uris": URIS, "notations": NOTATIONS}]
    )
    def test_they_are_saved_whatever_is_missing(self, tmp_path, given):
        file = saved(TextClassifier(hierarchy=TREE, **given).fit(TEXTS, LABELS), tmp_path)
        loaded = TextClassifier.load(file)
        assert (loaded.uris, loaded.notations) == (given.get("uris"), given.get("notations"))
        before = file.read_bytes()
        loaded.save(file)
        assert file.read_bytes() == before

    @pytest.mark.parametrize("given", [{}, {"uris": {}, "notations": {}}])
    def test_load_model_without_them_returns_none(self, tmp_path, given):
        file = saved(TextClassifier(hierarchy=TREE, **given).fit(TEXTS, LABELS), tmp_path)
        model = TextClassifier.load(file)
        assert (model.uris, model.notations) == (None, None)
        loaded = TextClassifier.load(file)
        assert (loaded.uris, loaded.notations) == (None, None)

    @pytest.mark.parametrize("method", ["linear-svm", "knn-bm25"])
    def test_nothing_is_learned_from_them(self, method):
        told = TextClassifier(method, hierarchy=TREE, uris=self.URIS, notations=self.NOTATIONS).fit(TEXTS, LABELS)
        plain = TextClassifier(method, hierarchy=TREE).fit(TEXTS, LABELS)
        assert told.node_scores(QUERIES).tobytes() == plain.node_scores(QUERIES).tobytes()

    def test_a_copy_has_them(self):
        model = clone(TextClassifier(uris=self.URIS, notations=self.NOTATIONS))
        assert (model.uris, model.notations) == (self.URIS, self.NOTATIONS)

    @pytest.mark.parametrize("name", ["uris", "notations"])
    def test_a_list_is_refused(self, name):
        with pytest.raises(ValueError, match=rf"{name}=\['owl'\].*mapping"):
            TextClassifier(**{name: ["owl"]}).fit(TEXTS, LABELS)


@pytest.mark.parametrize("weighting", ["tfidf", "counts", "binary", "bm25", "bm25-printed", "log-entropy"])
def test_every_weighting_is_saved(tmp_path, weighting):
    model = TextClassifier(hierarchy=TREE, settings={"weighting": weighting, "k1": 1.5}).fit(TEXTS, LABELS)
    again = TextClassifier.load(saved(model, tmp_path))
    assert again.weighting_.mean_length_ == model.weighting_.mean_length_
    assert again.node_scores(QUERIES).tobytes() == model.node_scores(QUERIES).tobytes()


def test_texts_and_labels_in_any_container():
    expected = TextClassifier().fit(TEXTS, LABELS).node_scores(QUERIES)
    for documents in (tuple(TEXTS), np.array(TEXTS), iter(TEXTS)):
        assert np.array_equal(TextClassifier().fit(documents, np.array(LABELS)).node_scores(QUERIES), expected)


def test_no_documents_no_answers():
    assert TextClassifier().fit(TEXTS, LABELS).predict([]).tolist() == []
    assert TextClassifier().fit(TEXTS, LISTS).predict([]) == []


def test_weights_are_passed_on():
    heavy = TextClassifier("majority").fit(TEXTS, LABELS, sample_weight=[1, 1, 1, 1, 1, 9])
    assert heavy.predict(["anything"]).tolist() == ["oak"]


def test_in_scikit_learn_searches():
    search = GridSearchCV(TextClassifier(hierarchy=TREE), {"settings": [{"C": 1}, {"C": 10}]}, cv=2).fit(TEXTS, LABELS)
    assert search.best_params_["settings"]["C"] in (1, 10)
    assert search.predict(["hoots"]).tolist() == ["owl"]
    scores = cross_val_score(TextClassifier(hierarchy=TREE), TEXTS, LABELS, cv=2)
    assert scores.shape == (2,)
    assert ((scores >= 0) & (scores <= 1)).all()


def test_pickles_too():
    model = TextClassifier(hierarchy=TREE).fit(TEXTS, LABELS)
    copy = pickle.loads(pickle.dumps(model))
    assert copy.node_scores(QUERIES).tobytes() == model.node_scores(QUERIES).tobytes()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"method": "svm"}, "unknown method 'svm'. Did you mean linear-svm"),
        ({"settings": {"Cost": 1}}, "method 'linear-svm' has no setting 'Cost'"),
        ({"settings": {"C": -1}}, "setting C=-1: must be a number > 0"),
        ({"settings": {"weighting": "okapi"}}, "setting weighting=okapi: must be one of tfidf, counts"),
        (
            {"settings": {"language": "klingon"}},
            r"language=klingon: must be auto.*one of arabic, .*any other set stop_w",
        ),
        (
            {"settings": {"language": "danish", "stop_words": "language"}},
            r"language=danish: it has .* no stop words",
        ),
        ({"settings": {"language": "porter"}}, r"language=porter: must be auto.*one of arabic"),
        ({"settings": {"stemmer": "klingon"}}, "stemmer=klingon: must be language, none or one of arabic"),
        ({"settings": {"stop_words": "danish"}}, r"stop_words=danish: must be language.*one of dutch"),
        ({"selection": "luck"}, "unknown selection 'luck'"),
        ({"selection": "chi-square,n_terms=0"}, r"n_terms=0.*integer >= 1"),
        ({"decision": "guess"}, "unknown decision 'guess'"),
        ({"method": LinearSVC()}, r"method=LinearSVC\(\)"),
        (
            {"method": FlatClassifier(), "settings": {"C": 1}},
            "method 'FlatClassifier' has no setting 'C'",
        ),
        ({"hierarchy": Hierarchy.flat(["owl", "gull"])}, r"document 4: the label 'oak'.*not in.*hierarchy"),
    ],
)
def test_refusals(arguments, message):
    with pytest.raises(ValueError, match=message) as error:
        TextClassifier(**arguments).fit(TEXTS, LABELS)
    assert "\n" not in str(error.value)


def test_not_fitted(tmp_path):
    for method in ("predict", "predict_indicator", "node_scores", "decision_function", "transform"):
        with pytest.raises(NotFittedError):
            getattr(TextClassifier(), method)(TEXTS)
    with pytest.raises(NotFittedError):
        TextClassifier().score(TEXTS, LABELS)
    with pytest.raises(NotFittedError):
        TextClassifier().save(tmp_path / "model")
    for attribute in ("classes_", "hierarchy_"):
        with pytest.raises(NotFittedError, match="This TextClassifier instance is not fitted yet"):
            getattr(TextClassifier(), attribute)
        assert not hasattr(TextClassifier(), attribute)


@pytest.mark.parametrize(
    "method",
    [
        FlatClassifier(LogisticRegression(C=10, class_weight="balanced")),
        FlatClassifier(LinearSVC(C=np.float64(0.5), random_state=1)),
        FlatClassifier(),
        MajorityClassifier(),
    ],
    ids=["logistic", "svm", "default", "majority"],
)
def test_an_instance_as_method(tmp_path, method):
    model = TextClassifier(method, settings={"ngrams": 2}, hierarchy=TREE).fit(TEXTS, LABELS)
    again = TextClassifier.load(saved(model, tmp_path))
    assert type(again.method) is type(method)
    assert again.node_scores(QUERIES).tobytes() == model.node_scores(QUERIES).tobytes()
    if isinstance(method, FlatClassifier) and method.estimator is not None:
        assert type(again.method.estimator) is type(method.estimator)
        assert again.method.estimator.get_params() == method.estimator.get_params()
    assert again.fit(TEXTS, LABELS).node_scores(QUERIES).tobytes() == model.node_scores(QUERIES).tobytes()
    assert not hasattr(method, "hierarchy_")


def test_an_instance_keeps_its_own_hierarchy_and_decision(tmp_path):
    method = FlatClassifier(hierarchy=TREE, decision=Threshold(0.25))
    model = TextClassifier(method).fit(TEXTS, LABELS)
    assert (model.hierarchy_, model.classifier_.decision_) == (TREE, Threshold(0.25))
    assert TextClassifier(method, decision=BestPath()).fit(TEXTS, LABELS).classifier_.decision_ == BestPath()
    again = TextClassifier.load(saved(model, tmp_path))
    assert (again.hierarchy, again.decision) == (TREE, Threshold(0.25))


class WithoutState(HierarchicalClassifier):
    """A classifier from outside the package, without the methods for model files."""

    def learn(self, X, own, weight):
        self.rates_ = np.asarray(own.sum(axis=0), dtype=float)

    def score_rows(self, X):
        return np.tile(self.rates_, (X.shape[0], 1))


class WithState(WithoutState):
    def _learned_state(self):
        return {"rates": self.rates_}

    def _restore(self, learned):
        self.rates_ = learned["rates"]


Impostor = type("FlatClassifier", (WithState,), {})

RANDOM = np.random.RandomState(0)


class Nothing(Decision):
    def decide(self, scores, hierarchy, ends):
        return Threshold(1e300).decide(scores, hierarchy, ends)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"method": FlatClassifier(DecisionTreeClassifier())}, "a model around DecisionTreeClassifier cannot be saved"),
        ({"decision": Nothing()}, r"the decision Nothing\(\) has no name"),
        ({"method": WithoutState()}, r"WithoutState .* lacks the methods _learned_state and _restore"),
        ({"method": WithState()}, r"WithState cannot be saved: it is not in the table classmark.registry.METHODS"),
        ({"method": Impostor()}, r"FlatClassifier cannot be saved: it is not in the table"),
        ({"method": BlendClassifier([("a", WithState()), ("b", MajorityClassifier())])}, "WithState cannot be saved"),
        ({"titles": {"owl": 3}}, "category 'owl' has 3 where a model file needs a string"),
        ({"random_state": RANDOM}, "a model around LinearSVC cannot be saved with random_state=RandomState"),
        ({"random_state": RANDOM, "method": "majority"}, r"random_state is RandomState.* a model file cannot hold"),
    ],
)
def test_what_cannot_be_saved_is_refused_by_name(tmp_path, arguments, message):
    model = TextClassifier(**arguments).fit(TEXTS, LABELS)
    assert len(model.predict(QUERIES)) == len(QUERIES)
    with pytest.raises(ValueError, match=message):
        model.save(tmp_path / "model")
    assert list(tmp_path.iterdir()) == []


def test_save_nested_tuple_names_loads_the_same_names(tmp_path):
    tree = Hierarchy.flat([("a", 1), ("b", (1, 2))])
    model = TextClassifier("nb", hierarchy=tree).fit(TEXTS[:2], [[name] for name in tree])
    assert TextClassifier.load(saved(model, tmp_path)).hierarchy_ == tree


def set_in(state, path, value):
    *way, last = path.split(".")
    for key in way:
        state = state[key]
    state[last] = value


def int32(*values):
    return np.array(values, dtype=np.int32)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("classifier_class", "Booster"),
        ("classifier_class", "__import__"),
        ("classifier_class", None),
        ("classifier", {}),
        ("classifier", None),
        ("classifier.ends", int32(2, 3, 99)),
        ("classifier.ends", int32(0, 2)),
        ("classifier.edges", int32([0], [99])),
        ("classifier.names", ["a"]),
        ("classifier.names", [["a"], {"b": 1}]),
        ("classifier.n_features", 1),
        ("classifier.n_features", "many"),
        ("classifier.decision", {"name": "guess", "settings": {}}),
        ("classifier.decision", {"name": "threshold", "settings": {"value": "x"}}),
        ("classifier.decision", {"guess": 1}),
        ("classifier.form", {"kind": "single", "dtype": "nonsense"}),
        ("classifier.form", {"kind": "rows"}),
        ("classifier.class_dtype", "U999999999"),
        ("classifier.learned", {}),
        ("classifier.learned.weights", np.zeros((3, 3))),
        ("classifier.learned.weights", np.zeros(3)),
        ("classifier.learned.weights", [1.0]),
        ("classifier.learned.intercepts", np.zeros(3, dtype=np.float32)),
        ("classifier.learned.learner", {"class": "system", "parameters": {}}),
        ("classifier.learned.learner", {"class": "LinearSVC", "parameters": {"cost": 1}}),
        ("vocabulary", ["one"]),
        ("vocabulary", []),
        ("vocabulary", [1, 2]),
        ("vocabulary", "abc"),
        ("idf", np.zeros(2)),
        ("idf", None),
        ("settings", 3),
        ("mean_length", None),
        ("mean_length", "long"),
        ("selection", 3),
        ("selection", "luck"),
        ("selection", {"criterion": "chi-square"}),
        ("titles", ["one"]),
        ("titles", [1, 2, 3, 4, 5, 6]),
        ("titles", {"owl": "Strix"}),
        ("uris", ["one"]),
        ("uris", {"owl": "http://a/owl"}),
        ("notations", [1, 2, 3, 4, 5, 6]),
        ("text", {"language": "klingon"}),
        ("text", {"tongue": "german"}),
        ("text", []),
    ],
)
def test_a_state_that_cannot_be_one_is_refused_in_a_line(tmp_path, path, value):
    file = saved(TextClassifier(hierarchy=TREE).fit(TEXTS, LABELS), tmp_path)
    state = persistence.load(file)
    set_in(state, path, value)
    persistence.save(file, state)
    with pytest.raises(ValueError, match="not a model that this version of classmark can read") as error:
        TextClassifier.load(file)
    assert str(error.value).startswith(f"{file}: ")
    assert "\n" not in str(error.value)


STATE = [
    *("method", "settings", "random_state", "selection", "titles", "text", "vocabulary", "mean_length"),
    *("classifier_class", "classifier"),
]


@pytest.mark.parametrize("missing", STATE)
def test_a_state_without_something_is_refused(tmp_path, missing):
    file = saved(TextClassifier(hierarchy=TREE).fit(TEXTS, LABELS), tmp_path)
    state = persistence.load(file)
    del state[missing]
    persistence.save(file, state)
    with pytest.raises(ValueError, match=rf"can read \('{missing}'\)"):
        TextClassifier.load(file)


def test_a_damaged_file_is_refused_in_a_line(tmp_path):
    file = saved(TextClassifier(hierarchy=TREE).fit(TEXTS, LABELS), tmp_path)
    content = bytearray(file.read_bytes())
    content[-3] ^= 1
    file.write_bytes(content)
    with pytest.raises(ValueError, match=r"checksum.*not fit"):
        TextClassifier.load(file)
