"""The promise: model files from any number of workers are those of one machine, byte for byte."""

import warnings

import pytest

pytest.importorskip("distributed")

from tests.parallel.cluster.problems import model_file

METHODS = {
    "linear-svm with S-cut": ("linear-svm", {"decision": "scut"}),
    "topdown-svm": ("topdown-svm", {}),
    "blend": ("blend", {}),
    "AdaBoost.MH": ("adaboost-mh", {"settings": {"n_rounds": 25}, "decision": "threshold"}),
    "AdaBoost.MH, discrete": ("adaboost-mh", {"settings": {"n_rounds": 9, "prediction": "discrete"}}),
    "AdaBoost.MH^KR": ("adaboost-mh-kr", {"settings": {"n_rounds": 12, "committee": "growing,step=2,every=3"}}),
    "MP-Boost": ("mp-boost", {"settings": {"n_rounds": 8}, "decision": "threshold"}),
    "TreeBoost.MH": ("treeboost-mh", {"settings": {"n_rounds": 12}}),
}


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    return {name: model_file(folder, method, **given) for name, (method, given) in METHODS.items()}


@pytest.mark.parametrize("workers", [1, 2, 3, 5])
def test_the_same_model_files(farm, tmp_path, expected, workers):
    with farm.cluster(workers) as place, warnings.catch_warnings():
        warnings.simplefilter("error")
        for name, (method, given) in METHODS.items():
            before = place.loops + place.questions
            assert model_file(tmp_path, method, **given) == expected[name], name
            assert place.loops + place.questions > before, name
