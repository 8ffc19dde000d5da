"""An experiment measures what `TextClassifier` would do, whatever the order and the sharing of work."""

import pytest

from classmark import TextClassifier
from classmark.data import read_corpus
from classmark.labels import encode
from classmark.metrics import summarise
from classmark.reproductions import Surroundings
from classmark.reproductions.experiments import EXPERIMENTS
from classmark.reproductions.experiments.learning import Learning
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
