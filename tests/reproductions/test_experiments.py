"""An experiment measures what `TextClassifier` would do, whatever the order and the sharing of work."""

import pytest

from classmark import TextClassifier
from classmark.data import read_corpus
from classmark.labels import encode
from classmark.metrics import summarise
from reproductions import Surroundings
from reproductions.experiments import EXPERIMENTS
from reproductions.experiments.learning import Learning
from tests.reproductions.toys import TEST, TRAIN, write_corpus


def expected(corpus, parameters):
    """Measure with the whole classifier of texts."""
    model = TextClassifier(
        parameters.method,
        settings=parameters.settings,
        selection=parameters.selection,
        decision=parameters.decision,
        hierarchy=corpus.hierarchy,
    )
    train, test = corpus.select(parameters.train), corpus.select(parameters.test)
    model.fit(train.documents, train.labels)
    truth = encode(test.labels, model.hierarchy_).indicator
    first = model.classifier_.predict_first(model.transform(test.documents))
    return summarise(truth, model.predict_indicator(test.documents), first, model.hierarchy_)


@pytest.mark.parametrize(
    "changes",
    [
        {"method": "majority"},
        {"method": "linear-svm", "settings": {"C": 10, "ngrams": 2, "stemmer": "none"}},
        {"method": "logistic", "selection": "chi-square,n_terms=5", "decision": "rcut,r=2"},
        {"method": "linear-svm", "train": ("test",), "test": ("train", "test")},
    ],
)
def test_method_measures_what_a_text_classifier_does(data, surroundings, changes):
    parameters = Learning(corpus="animals", **changes)
    (measured,) = EXPERIMENTS["method"].run([parameters], surroundings)
    summary = expected(read_corpus(data / "animals"), parameters)
    assert measured["leaves.micro_f1"] == summary["leaves"]["micro_f1"]
    assert measured["leaves.macro_f1"] == summary["leaves"]["macro_f1"]
    assert measured["first.hf"] == summary["first"]["hf"]
    assert measured["hamming_loss"] == summary["hamming_loss"]
    assert measured["documents"] == summary["documents"]
    assert {"train_seconds", "test_seconds"} < set(measured)
    assert min(measured.values()) >= 0


def test_text_is_counted_once_for_conditions_that_read_it_alike(surroundings, monkeypatch):
    counted = []
    count = surroundings.corpus
    monkeypatch.setattr(surroundings, "corpus", lambda name: counted.append(name) or count(name))
    conditions = [
        Learning(corpus="animals", method="linear-svm", settings={"C": 1}),
        Learning(corpus="animals", method="linear-svm", settings={"C": 10}, selection="chi-square,n_terms=3"),
        Learning(corpus="animals", method="linear-svm", settings={"ngrams": 1}),
    ]
    EXPERIMENTS["method"].run(conditions, surroundings)
    assert counted == ["animals", "animals"]


def test_documents_that_are_not_labelled_are_not_tested_on(tmp_path):
    unlabelled = [("nobody has said", None)]
    folder = write_corpus(tmp_path / "data" / "some", {"train": TRAIN, "test": [*TEST, *unlabelled]}).parent
    (measured,) = EXPERIMENTS["method"].run([Learning(corpus="some", method="majority")], Surroundings(folder))
    assert measured["documents"] == len(TEST)


def test_without_a_hierarchy_there_is_a_flat_one_over_all_labels(tmp_path):
    folder = write_corpus(tmp_path / "data" / "flat", {"train": TRAIN[:4], "test": TEST})
    (folder / "hierarchy.tsv").unlink()
    (measured,) = EXPERIMENTS["method"].run([Learning(corpus="flat", method="majority")], Surroundings(folder.parent))
    # Owls and cods are as frequent, and the cod comes first: 1 of 4 documents, of 4 given and 5 true labels.
    assert measured["leaves.micro_f1"] == pytest.approx(2 * 1 / (4 + 5))
    assert measured["leaves.macro_f1"] == pytest.approx((2 * 1 / (4 + 1)) / 3)


class TestClosedCategories:
    """Inner nodes with documents of their own are categories (treeboost_mh_2006, Table 1, RCV1-v2)."""

    @pytest.fixture
    def inner(self, tmp_path):
        # One animal is neither an owl nor a cod, and no training document is about plants.
        train = [*((text, labels) for text, labels in TRAIN if "oak" not in labels), ("a beast with claws", ["animal"])]
        test = [("who hoots at night?", ["owl"]), ("claws", ["animal"]), ("acorns", ["oak"]), ("cold claws", ["cod"])]
        write_corpus(tmp_path / "data" / "animals", {"train": train, "test": test})
        return Surroundings(tmp_path / "data")

    def measured(self, surroundings, **changes):
        settings = {"stemmer": "none", "n_estimators": 3} | changes.pop("settings", {})
        return EXPERIMENTS["method"].run([Learning(corpus="animals", settings=settings, **changes)], surroundings)[0]

    def answers(self, surroundings, monkeypatch, **changes):
        """The answers of a fit, as they came, and what was measured of them."""
        from reproductions.experiments import learning

        seen = []
        evaluate = learning.evaluate
        monkeypatch.setattr(
            learning, "evaluate", lambda learned, *more: seen.append((learned, more[0])) or evaluate(learned, *more)
        )
        found = self.measured(surroundings, **changes)
        return *seen[0], found

    def by_hand(self, names, predicted):
        """Micro- and macro-F1 over the three categories that have training documents."""
        truth = [{"animal", "owl"}, {"animal"}, {"plant", "oak"}, {"animal", "cod"}]
        given = [{names[node] for node in row.nonzero()[0]} for row in predicted.toarray()]
        hits, both = [], []
        for name in ("animal", "owl", "cod"):
            hits.append(sum(name in one and name in other for one, other in zip(truth, given, strict=True)))
            both.append(sum(name in one for one in truth) + sum(name in one for one in given))
        return 2 * sum(hits) / sum(both), sum(2 * hit / of for hit, of in zip(hits, both, strict=True)) / 3

    def test_a_flat_booster_learns_every_node_with_the_documents_below_it(self, inner, monkeypatch):
        learned, predicted, found = self.answers(
            inner, monkeypatch, method="adaboost-mh", categories="closed", flat=True
        )
        names = learned.classifier.hierarchy_.names
        assert [names[end] for end in learned.classifier.ends_] == ["animal", "owl", "cod"]
        assert [names[place] for place in learned.categories] == ["animal", "owl", "cod"]
        micro, macro = self.by_hand(names, predicted)
        assert (found["categories.micro_f1"], found["categories.macro_f1"]) == pytest.approx((micro, macro))

    def test_treeboost_takes_documents_that_reach_an_inner_node_for_its_own(self, inner, monkeypatch):
        changes = {"method": "treeboost-mh", "categories": "closed", "settings": {"inner": "reach"}}
        learned, predicted, found = self.answers(inner, monkeypatch, **changes)
        names = learned.classifier.hierarchy_.names
        assert [names[place] for place in learned.categories] == ["animal", "owl", "cod"]
        micro, macro = self.by_hand(names, predicted)
        assert (found["categories.micro_f1"], found["categories.macro_f1"]) == pytest.approx((micro, macro))

    def test_leaves_are_the_default(self, surroundings):
        found = self.measured(surroundings, method="adaboost-mh")
        assert found["categories.micro_f1"] == found["leaves.micro_f1"]
        assert found["categories.macro_f1"] == found["leaves.macro_f1"]

    def test_means_by_hand(self, surroundings):
        # Everything is an owl, which 2 of 4 documents are: precisions ½, 1, 1 with 0/0 = 1, recalls 1, 0, 0.
        (found,) = EXPERIMENTS["method"].run([Learning(corpus="animals", method="majority")], surroundings)
        precision, recall = (1 / 2 + 1 + 1) / 3, 1 / 3
        assert found["means.half"] == pytest.approx((precision + recall) / 2)
        assert found["means.f1"] == pytest.approx(2 * precision * recall / (precision + recall))
