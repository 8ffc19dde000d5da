"""The promise: model files from any number of workers are those of one machine, byte for byte."""

import warnings

import pytest

pytest.importorskip("distributed")

from classmark.generative import em
from tests.parallel.cluster.problems import model_file

METHODS = {
    "linear-svm with S-cut": ("linear-svm", {"decision": "scut"}),
    "topdown-svm": ("topdown-svm", {}),
    "blend": ("blend", {}),
    "AdaBoost.MH": ("adaboost-mh", {"settings": {"n_estimators": 25}, "decision": "threshold"}),
    "AdaBoost.MH, discrete": ("adaboost-mh", {"settings": {"n_estimators": 9, "prediction": "discrete"}}),
    "AdaBoost.MH^KR": ("adaboost-mh-kr", {"settings": {"n_estimators": 12, "committee": "growing,step=2,every=3"}}),
    "MP-Boost": ("mp-boost", {"settings": {"n_estimators": 8}, "decision": "threshold"}),
    "naive Bayes": ("nb", {}),
    "PCEM": ("pcem", {"unlabelled": True}),
    "TreeBoost.MH": ("treeboost-mh", {"settings": {"n_estimators": 12}}),
}


def trained(folder, name):
    """Give a model file; documents of naive Bayes and EM have several leaves, as those of large problems do."""
    method, given = METHODS[name]
    with pytest.MonkeyPatch.context() as patch:
        if name in ("naive Bayes", "PCEM"):
            patch.setattr(em, "WORTH_A_LEAF", 1e-3)
        return model_file(folder, method, **given)


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    return {name: trained(folder, name) for name in METHODS}


SLOW_2, SLOW_5 = (pytest.param(workers, marks=pytest.mark.slow) for workers in (2, 5))


@pytest.mark.parametrize("workers", [1, SLOW_2, 3, SLOW_5])
def test_the_same_model_files(farm, tmp_path, expected, workers):
    with farm.cluster(workers) as place, warnings.catch_warnings():
        warnings.simplefilter("error")
        for name in METHODS:
            before = place.loops + place.questions
            assert trained(tmp_path, name) == expected[name], name
            assert place.loops + place.questions > before, name
