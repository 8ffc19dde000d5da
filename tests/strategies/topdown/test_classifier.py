"""The top-down strategy: equal to a plain loop over the definitions, for every learner, policy and hierarchy."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.linear_model import LogisticRegression, Perceptron, SGDClassifier
from sklearn.naive_bayes import MultinomialNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from classmark import FlatClassifier, Hierarchy, TermSelector, TextClassifier, TopDownClassifier, read_corpus
from classmark.decision import BackOff, BestPath, SCut
from classmark.labels import encode
from classmark.persistence import load, save
from classmark.service.judging import evaluate_model
from classmark.strategies.topdown.local_fit import MultiLabelModel
from tests.oracles import topdown as oracle

# Node order: a, b, x, y, z, u, v. x is both a parent and some document's own label; nobody has z.
TREE = Hierarchy.from_nested({"a": {"x": ["u", "v"], "y": None}, "b": ["z"]})
DAG = Hierarchy.from_parents({"a": None, "b": None, "x": ["a", "b"], "y": "a", "z": "b", "u": ["x", "y"], "v": "x"})
N, D = 60, 12
SVM, LOGISTIC = LinearSVC(random_state=0), LogisticRegression(C=10, solver="liblinear", random_state=0)


def example(seed=0, several=True):
    """Documents with a term or two of their categories and noise; some belong nowhere."""
    random = np.random.default_rng(seed)
    names = ["x", "y", "b", "u", "v"]
    labels = [[names[i % 5]] for i in range(N)]
    for i in range(0, N, 4) if several else ():
        labels[i] = sorted({*labels[i], names[random.integers(5)]} - ({"x"} if i % 8 else set()))
    X = random.random((N, D)) * (random.random((N, D)) < 0.3)
    for row, given in enumerate(labels):
        X[row, [names.index(name) for name in given]] += 1
    return X, labels


X, Y = example()
_, SINGLE = example(several=False)
UNSEEN = example(100)[0]


def plain_loop(learner, hierarchy, descent, negatives="siblings", stay=True):
    """The scores by definition: a learner for each slot on the documents that take part, a document at a time."""
    own = [row.indices.tolist() for row in hierarchy.own(hierarchy.close(encode(Y, hierarchy).indicator))]
    fitted = {}
    for parent, slots, documents in oracle.problems(own, hierarchy, negatives, stay):
        rows = sorted(documents)
        fitted[parent] = {
            slot: None if positive == documents else learner().fit(X[rows], [row in positive for row in rows])
            for slot, positive in slots.items()
        }
    scores = np.empty((len(UNSEEN), len(hierarchy)))
    for i, document in enumerate(UNSEEN):
        margins = {
            parent: {slot: one.decision_function([document])[0] if one else 99.0 for slot, one in models.items()}
            for parent, models in fitted.items()
        }
        scores[i] = [oracle.score(node, margins, hierarchy, descent) for node in range(len(hierarchy))]
    return scores


@pytest.mark.parametrize("hierarchy", [TREE, DAG], ids=["tree", "DAG"])
@pytest.mark.parametrize("inner", ["stay", "reach"])
@pytest.mark.parametrize("negatives", ["siblings", "subtree", "level", "all"])
def test_equal_to_a_plain_loop(hierarchy, inner, negatives):
    model = TopDownClassifier(SVM, hierarchy=hierarchy, negatives=negatives, inner=inner).fit(X, Y)
    expected = plain_loop(lambda: LinearSVC(random_state=0), hierarchy, "filter", negatives, inner == "stay")
    assert model.node_scores(UNSEEN) == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize("descent", ["filter", "greedy", "soft"])
def test_every_descent_is_equal_to_a_plain_loop(descent):
    model = TopDownClassifier(LOGISTIC, hierarchy=TREE, descent=descent).fit(X, Y)
    expected = plain_loop(lambda: LOGISTIC.__class__(**LOGISTIC.get_params()), TREE, descent)
    assert model.node_scores(UNSEEN) == pytest.approx(expected, abs=1e-4)


def test_one_level_is_the_flat_strategy():
    flat, model = (kind(SVM).fit(X, SINGLE).node_scores(UNSEEN) for kind in (FlatClassifier, TopDownClassifier))
    assert model == pytest.approx(flat, abs=1e-5)


@pytest.mark.parametrize("hierarchy", [TREE, DAG], ids=["tree", "DAG"])
def test_exclusive_is_the_flat_strategy(hierarchy):
    flat = FlatClassifier(SVM, hierarchy=hierarchy).fit(X, Y)
    model = TopDownClassifier(SVM, hierarchy=hierarchy, negatives="exclusive").fit(X, Y)
    assert model.node_scores(UNSEEN) == pytest.approx(flat.node_scores(UNSEEN), abs=1e-5)
    assert model.predict(UNSEEN) == flat.predict(UNSEEN)


def test_the_default_is_a_linear_svm():
    default, given = (TopDownClassifier(learner, hierarchy=TREE).fit(X, Y) for learner in (None, SVM))
    assert (default.bank_.weights != given.bank_.weights).nnz == 0
    assert default.estimator is None


@pytest.mark.parametrize("descent", ["filter", "greedy", "soft"])
@pytest.mark.parametrize("decision", ["threshold", "threshold,value=-0.5", "threshold,value=0.5,consistency=filter"])
@pytest.mark.parametrize("learner", [SVM, FlatClassifier(SVM)], ids=["linear", "ours"])
def test_blocked_documents_get_the_same_answers(descent, decision, learner):
    model = TopDownClassifier(learner, hierarchy=DAG, descent=descent, decision=decision, inner="reach").fit(X, Y)
    expected = model.decision_.decide(model.node_scores(UNSEEN), DAG, model.ends_)
    found = model.predict_indicator(UNSEEN)
    assert (found != DAG.close(expected)).nnz == 0
    assert found.nnz


def test_the_greedy_way_takes_the_best_child_every_time():
    model = TopDownClassifier(hierarchy=TREE, descent="greedy").fit(X, SINGLE)
    margins = TopDownClassifier(hierarchy=TREE, inner="stay").fit(X, SINGLE)
    for document, answer in zip(UNSEEN, model.predict(UNSEEN), strict=True):
        problem, node = 0, -1
        while problem >= 0:
            slots = margins.structure_.slots[margins.structure_.of(problem)]
            chosen = slots[np.argmax(margins.local_margins(csr_array([document]), problem, np.array([0]))[0])]
            stays = chosen >= len(TREE)
            node = chosen - len(TREE) if stays else chosen
            problem = -1 if stays else margins.structure_.problem_of()[node]
        assert answer == [TREE.names[node]]


@pytest.mark.parametrize("descent", ["filter", "greedy", "soft"])
def test_the_best_path_without_all_scores_is_the_best_path(descent):
    model = TopDownClassifier(hierarchy=DAG, descent=descent, sharpness=3.0).fit(X, SINGLE)
    assert model.decision_ == BestPath()
    expected = BestPath().decide(model.node_scores(UNSEEN), DAG, model.ends_)
    assert (model.predict_indicator(UNSEEN) != expected).nnz == 0


def test_sharpness_multiplies_the_margins():
    soft = TopDownClassifier(hierarchy=Hierarchy.flat("bxyuv"), descent="soft", sharpness=3.0).fit(X, Y)
    plain = TopDownClassifier(hierarchy=Hierarchy.flat("bxyuv")).fit(X, Y)
    assert soft.node_scores(UNSEEN) == pytest.approx(3 * plain.node_scores(UNSEEN))


class TestPerParent:
    def test_chances_multiply_on_the_way_down(self):
        tree = Hierarchy.from_nested({"a": ["x", "y", "u"], "b": ["v"]})
        labels = [given[0] if given != ["b"] else "v" for given in SINGLE]
        model = TopDownClassifier(LogisticRegression(), hierarchy=tree, per="parent", descent="soft").fit(X, labels)
        top = LogisticRegression().fit(X, [name != "v" for name in labels])
        inside = [i for i, name in enumerate(labels) if name != "v"]
        below = LogisticRegression().fit(X[inside], ["xyu".index(labels[i]) for i in inside])
        chances = top.predict_proba(UNSEEN)[:, [1]] * below.predict_proba(UNSEEN)
        found = model.node_scores(UNSEEN)[:, [tree.position(name) for name in "xyu"]]
        assert 1 / (1 + np.exp(-found)) == pytest.approx(chances, abs=1e-4)

    @pytest.mark.parametrize("learner", [SVM, Perceptron(random_state=0), LogisticRegression()], ids=type)
    def test_the_greedy_way_is_the_prediction_of_the_learner(self, learner):
        labels = [given[0] for given in SINGLE]
        model = TopDownClassifier(learner, per="parent", descent="greedy").fit(X, labels)
        place = model.hierarchy_.position
        alone = type(learner)(**learner.get_params()).fit(csr_array(X), [place(name) for name in labels])
        assert [place(name) for name in model.predict(UNSEEN)] == alone.predict(UNSEEN).tolist()

    def test_two_children_are_two_sides_of_one_margin(self):
        for learner in (SVM, LOGISTIC, MultinomialNB()):
            model = TopDownClassifier(learner, per="parent", descent="filter").fit(X, ["l", "r"] * (N // 2))
            left, right = model.node_scores(UNSEEN).T
            assert left == pytest.approx(-right, abs=1e-5)

    def test_documents_of_no_child_are_a_class_that_leads_nowhere(self):
        model = TopDownClassifier(hierarchy=TREE, per="parent", negatives="subtree", inner="reach").fit(X, Y)
        assert model.structure_.slots[model.structure_.of(2)].tolist() == [5, 6, -1]
        assert model.node_scores(UNSEEN).shape == (N, 7)

    def test_every_other_learner_too(self):
        model = TopDownClassifier(DecisionTreeClassifier(random_state=0), hierarchy=TREE, per="parent").fit(X, SINGLE)
        assert np.mean([one == two for one, two in zip(model.predict(X), SINGLE, strict=True)]) > 0.9


@pytest.mark.parametrize(
    "learner", [DecisionTreeClassifier(random_state=0), MultinomialNB(), KNeighborsClassifier(3)], ids=type
)
def test_learners_that_are_not_linear(learner):
    model = TopDownClassifier(learner, hierarchy=TREE).fit(X, Y)
    flat = FlatClassifier(learner, hierarchy=TREE).fit(X, Y)
    assert model.score(X, Y) > flat.score(X, Y) - 0.1
    name = type(learner).__name__
    with pytest.raises(ValueError, match=f"{name} is not linear"):
        model.contributions(X, "u")
    with pytest.raises(ValueError, match=rf"a model around {name} cannot be saved.*LinearSVC"):
        model.to_state()
    if name == "KNeighborsClassifier":
        with pytest.raises(ValueError, match="takes no sample_weight"):
            model.fit(X, Y, sample_weight=np.ones(N))


class TestClassifiersOfOurs:
    def test_they_learn_what_a_learner_for_each_child_learns(self):
        ours = TopDownClassifier(FlatClassifier(SVM), hierarchy=DAG).fit(X, Y)
        theirs = TopDownClassifier(SVM, hierarchy=DAG).fit(X, Y)
        assert ours.node_scores(UNSEEN) == pytest.approx(theirs.node_scores(UNSEEN), abs=1e-5)
        assert any(isinstance(model, MultiLabelModel) for model in ours.models_)
        again = TopDownClassifier(FlatClassifier(SVM), hierarchy=DAG, n_jobs=2).fit(X, Y)
        assert again.node_scores(UNSEEN).tobytes() == ours.node_scores(UNSEEN).tobytes()

    @pytest.mark.parametrize("negatives", ["siblings", "exclusive"])
    def test_there_and_back(self, tmp_path, negatives):
        model = TopDownClassifier(FlatClassifier(n_jobs=1), hierarchy=TREE, negatives=negatives, selection="glocal")
        save(tmp_path / "state", model.fit(X, Y).to_state())
        again = TopDownClassifier().from_state(load(tmp_path / "state"))
        assert again.node_scores(UNSEEN).tobytes() == model.node_scores(UNSEEN).tobytes()
        assert type(again.estimator) is FlatClassifier
        assert again.fit(X, Y).node_scores(UNSEEN).tobytes() == model.node_scores(UNSEEN).tobytes()

    @pytest.mark.parametrize("descent", ["filter", "greedy", "soft"])
    def test_contributions_sum_to_the_scores(self, descent):
        ours, theirs = (
            TopDownClassifier(learner, hierarchy=DAG, descent=descent).fit(X, Y)
            for learner in (FlatClassifier(SVM), SVM)
        )
        for node, name in enumerate(DAG):
            terms, bias = ours.contributions(UNSEEN, name)
            assert terms.sum(axis=1) + bias == pytest.approx(ours.node_scores(UNSEEN)[:, node])
            assert terms.toarray() == pytest.approx(theirs.contributions(UNSEEN, name).terms.toarray(), abs=1e-5)


class TestContributions:
    def test_of_the_filter_are_those_of_the_least_margin(self):
        model = TopDownClassifier(hierarchy=TREE).fit(X, Y)
        u, x, a = (TREE.position(name) for name in "uxa")
        place = {slot: number for number, slot in enumerate(model.structure_.slots.tolist())}
        weights, intercepts = model.bank_.weights.toarray(), model.bank_.intercepts
        terms, bias = model.contributions(UNSEEN, "u")
        for row, document in enumerate(UNSEEN):
            margins = {slot: document @ weights[:, place[slot]] + intercepts[place[slot]] for slot in (a, x, u)}
            least = place[min(margins, key=margins.get)]
            assert terms.toarray()[row] == pytest.approx(document * weights[:, least])
            assert bias[row] == pytest.approx(intercepts[least], abs=1e-6)

    @pytest.mark.parametrize("descent", ["greedy", "soft"])
    @pytest.mark.parametrize("per", ["node", "parent"])
    def test_sum_to_the_scores(self, descent, per):
        model = TopDownClassifier(LogisticRegression(), hierarchy=DAG, descent=descent, per=per, sharpness=2.0)
        model.fit(X, Y)
        for node, name in enumerate(DAG):
            terms, bias = model.contributions(UNSEEN, name)
            assert terms.sum(axis=1) + bias == pytest.approx(model.node_scores(UNSEEN)[:, node])
            assert not terms.toarray()[UNSEEN == 0].any()


class TestCorners:
    def test_single_children_are_passed(self):
        chain = Hierarchy.from_paths(["a/b/c", "a/b/d"])
        model = TopDownClassifier(hierarchy=chain).fit([[1, 0], [0, 1]], ["a/b/c", "a/b/d"])
        assert model.bank_.intercepts[:2].tolist() == [np.inf, np.inf]
        assert model.predict([[3, 0], [0, 3]]).tolist() == ["a/b/c", "a/b/d"]
        a, b, c, d = model.node_scores([[3, 0]])[0]
        assert (a, b) == (max(1, c, d), max(1, c, d))

    def test_one_category_alone(self):
        model = TopDownClassifier().fit(X, ["only"] * N)
        assert (model.node_scores(X) == 1.0).all()

    def test_a_node_without_documents_is_never_answered(self):
        model = TopDownClassifier(hierarchy=TREE).fit(X, Y)
        assert (model.node_scores(X)[:, TREE.position("z")] == -np.inf).all()

    def test_documents_stay_at_an_inner_node(self):
        model = TopDownClassifier(hierarchy=TREE).fit(X, SINGLE)
        assert model.predict(X).count(["x"]) == SINGLE.count(["x"])
        # By being reached x never scores less than u and v below it.
        reached = TopDownClassifier(hierarchy=TREE, inner="reach").fit(X, SINGLE)
        assert not {"u", "v"} & {name for labels in reached.predict(X) for name in labels}

    def test_back_off_stops_at_an_inner_node(self):
        model = TopDownClassifier(hierarchy=TREE, decision=BackOff(confidence=0.9, folds=3), descent="soft").fit(X, Y)
        answers = model.predict(np.zeros((1, D)))
        assert set(answers[0]) <= {"a", "b", "x"}
        assert isinstance(model.decision_, BackOff)

    @pytest.mark.parametrize("descent", ["filter", "soft"])
    def test_a_threshold_for_each_node(self, descent):
        model = TopDownClassifier(LOGISTIC, hierarchy=TREE, decision=SCut(folds=3), descent=descent).fit(X, Y)
        assert len(set(model.decision_.thresholds)) > 2
        assert model.score(X, Y) > 0.95

    def test_who_belongs_nowhere_is_negative_in_the_whole_subtree_of_the_root(self):
        labels = [given if i % 3 else [] for i, given in enumerate(Y)]
        kept = [i for i in range(N) if labels[i]]
        siblings = TopDownClassifier(hierarchy=TREE).fit(X, labels)
        alone = TopDownClassifier(hierarchy=TREE).fit(X[kept], [labels[i] for i in kept])
        assert np.array_equal(siblings.node_scores(UNSEEN), alone.node_scores(UNSEEN))
        subtree = TopDownClassifier(hierarchy=TREE, negatives="subtree").fit(X, labels)
        assert subtree.node_scores(X)[::3, :2].mean() < siblings.node_scores(X)[::3, :2].mean()

    def test_any_number_of_processes_gives_the_same_bits(self):
        one, two = (TopDownClassifier(hierarchy=DAG, n_jobs=jobs).fit(X, Y) for jobs in (None, 2))
        assert one.bank_.weights.data.tobytes() == two.bank_.weights.data.tobytes()
        assert one.node_scores(UNSEEN).tobytes() == two.node_scores(UNSEEN).tobytes()


class TestSelection:
    def test_global_terms_are_those_of_one_selector(self):
        selector = TermSelector("chi-square", n_terms=5)
        model = TopDownClassifier(hierarchy=TREE, selection="global", selector=selector).fit(X, Y)
        kept = TermSelector("chi-square", n_terms=5, hierarchy=TREE).fit(X, Y).support_
        assert set(np.flatnonzero(np.diff(model.bank_.weights.indptr))) == set(kept)
        cut = np.where(np.isin(np.arange(D), kept), X, 0)
        assert (model.bank_.weights != TopDownClassifier(hierarchy=TREE).fit(cut, Y).bank_.weights).nnz == 0
        assert not hasattr(selector, "support_")

    def test_glocal_terms_are_as_many_at_each_node(self):
        model = TopDownClassifier(hierarchy=TREE, selection="glocal", selector="chi-square,n_terms=3").fit(X, Y)
        used = []
        for problem in range(model.structure_.parents.size):
            weights = model.bank_.weights[:, model.structure_.of(problem)]
            used.append(frozenset(np.flatnonzero(np.diff(weights.indptr)).tolist()))
        # At b there is nothing to tell apart.
        assert [len(terms) for terms in used] == [3, 3, 0, 3]
        assert len(set(used)) == 4

    def test_everything_selected_is_no_selection(self):
        whole = TopDownClassifier(hierarchy=TREE).fit(X, Y).node_scores(UNSEEN)
        for policy in ("global", "glocal"):
            model = TopDownClassifier(hierarchy=TREE, selection=policy, selector="chi-square,share=1.0")
            assert model.fit(X, Y).node_scores(UNSEEN) == pytest.approx(whole, abs=1e-6)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"negatives": "cousins"}, "negatives='cousins': must be one of siblings, subtree, level, all, exclusive"),
        ({"per": "document"}, "per='document': must be one of node, parent"),
        ({"inner": "leave"}, "inner='leave': must be one of stay, reach"),
        ({"descent": "steep"}, "descent='steep': must be one of filter, greedy, soft"),
        ({"selection": "some"}, "selection='some': must be one of full, global, glocal"),
        ({"selection": "global", "selector": "luck"}, "unknown selector 'luck'"),
        ({"prune": -1.0}, r"prune=-1.0.*number >= 0"),
        ({"sharpness": 0.0}, r"sharpness=0.0.*number > 0"),
        ({"per": "parent", "negatives": "exclusive"}, "negatives are 'exclusive', which goes with per='node' only"),
    ],
)
def test_refusals(arguments, message):
    with pytest.raises(ValueError, match=message):
        TopDownClassifier(hierarchy=TREE, **arguments).fit(X, Y)


def test_a_file_keeps_every_parameter(tmp_path):
    settings = {"descent": "soft", "sharpness": 2.0, "negatives": "all", "prune": 0.01, "selection": "global"}
    selector = TermSelector("chi-square", "max", n_terms=9)
    model = TopDownClassifier(SGDClassifier(random_state=1), hierarchy=TREE, selector=selector, **settings).fit(X, Y)
    save(tmp_path / "state", model.to_state())
    again = TopDownClassifier().from_state(load(tmp_path / "state"))
    found = again.get_params(deep=False)
    assert {name: found[name] for name in settings} == settings
    assert found["selector"] == "chi-square,globalise=max,n_terms=9"
    assert again.fit(X, Y).node_scores(UNSEEN).tobytes() == model.node_scores(UNSEEN).tobytes()


@pytest.mark.parametrize(
    ("part", "key", "value", "message"),
    [
        ("weights", "indices", lambda old: old + 99, "lie outside its categories"),
        ("weights", "indptr", lambda old: old[::-1].copy(), r"not fit.*terms"),
        ("weights", "indices", lambda old: np.zeros_like(old), "not in the order of its categories"),
        ("parameters", "descent", lambda old: "steep", "descent='steep'"),
        ("parameters", "estimator", lambda old: None, "the model has no parameter 'estimator'"),
        ("parameters", "colour", lambda old: "red", "the model has no parameter 'colour'"),
    ],
)
def test_a_state_that_cannot_be_one_is_refused(part, key, value, message):
    state = TopDownClassifier(hierarchy=TREE).fit(X, Y).to_state()
    state["learned"][part] = state["learned"][part] | {key: value(state["learned"][part].get(key))}
    with pytest.raises(ValueError, match=message):
        TopDownClassifier().from_state(state)


def test_local_models_that_do_not_fit_are_refused():
    state = TopDownClassifier(FlatClassifier(), hierarchy=TREE).fit(X, Y).to_state()
    models = state["learned"]["models"]
    for wrong, message in ((models[:-1], "not as many as its local problems"), (models[::-1], "'passed' has shape")):
        with pytest.raises(ValueError, match=message):
            TopDownClassifier().from_state(state | {"learned": state["learned"] | {"models": wrong}})
    outside = models[0] | {"columns": models[0]["columns"] + D}
    with pytest.raises(ValueError, match="local columns lie outside"):
        TopDownClassifier().from_state(state | {"learned": state["learned"] | {"models": [outside, *models[1:]]}})


@pytest.mark.parametrize(
    ("corpus", "method", "micro", "hf"),
    [
        ("reuters90", "topdown-svm", 0.877, 0.901),
        ("reuters90", "topdown-logistic", 0.869, 0.897),
        ("newsgroups20", "topdown-svm", 0.860, 0.899),
    ],
)
def test_real_corpora(corpora, corpus, method, micro, hf):
    data = read_corpus(corpora / corpus)
    train = data.select(["train"])
    model = TextClassifier(method, hierarchy=data.hierarchy).fit(train.documents, train.labels)
    scores = evaluate_model(model, data.select(["test"])).figures
    assert scores["leaves"]["micro_f1"] == pytest.approx(micro, abs=0.005)
    assert scores["hierarchical"]["hf"] == pytest.approx(hf, abs=0.005)
