"""The promise on a real corpus: model files of reuters90 from a cluster are those of one machine."""

import pytest

pytest.importorskip("distributed")

from classmark import TextClassifier
from classmark.data import read_corpus

METHODS = {
    "adaboost-mh": {"settings": {"n_estimators": 30}, "decision": "threshold"},
    "linear-svm": {"decision": "scut"},
    "nb": {},
}


@pytest.fixture(scope="module")
def reuters(corpora):
    return read_corpus(corpora / "reuters90").select(["train"])


@pytest.mark.parametrize("method", METHODS)
def test_the_same_model_file(farm, reuters, tmp_path, method):
    # Five folds of ninety categories, twice: a part of the documents is enough.
    reuters = reuters.take(range(1500)) if method == "linear-svm" else reuters
    files = []
    for workers in (0, 2):
        path = tmp_path / str(workers)
        model = TextClassifier(method, hierarchy=reuters.hierarchy, **METHODS[method])
        if workers:
            with farm.cluster(workers):
                model.fit(reuters.documents, reuters.labels)
        else:
            model.fit(reuters.documents, reuters.labels)
        model.save(path)
        files.append(path.read_bytes())
    assert files[0] == files[1]
