"""`train` with few labels, from texts to a file, and the settings of the methods."""

import re

import pytest

from classmark import TextClassifier
from classmark.registry import METHODS, find_method
from classmark.service import describing, training
from classmark.service.recipes import Recipe
from classmark.trust import WAYS

GENERATIVE = [name for name, method in METHODS.items() if method.home.startswith("generative.")]
ROWS = ["roses and tulips,flowers", "rows of beans,vegetables", "bread and dough,baking"] * 4


@pytest.fixture
def data(tmp_path):
    path = tmp_path / "books.csv"
    path.write_text("\n".join(["text,labels", *ROWS]))
    return str(path)


def test_hidden_labels_are_counted(data, tmp_path):
    result = training.train(data, str(tmp_path / "model"), Recipe("em", label_rate=0.5, seed=3))
    assert (result.documents, result.labelled) == (12, 6)
    assert training.train(data, str(tmp_path / "model"), Recipe("em")).labelled is None
    model = TextClassifier.load(tmp_path / "model")
    assert model.predict(["tulips"]) == [["flowers"]]


def test_the_seed_hides(data, tmp_path):
    files = []
    for seed in (3, 3, 4):
        training.train(data, str(tmp_path / "model"), Recipe("em", label_rate=0.5, seed=seed))
        files.append(TextClassifier.load(tmp_path / "model").classifier_.objective_)
    assert files[0] == files[1] != files[2]


@pytest.mark.parametrize("rate", [0, -0.1, 1.5])
def test_a_rate_that_cannot_be(data, tmp_path, rate):
    with pytest.raises(ValueError, match=r"label_rate=.*> 0 and <= 1"):
        training.train(data, str(tmp_path / "model"), Recipe("em", label_rate=rate))


def test_a_method_that_cannot_use_them_says_so(data, tmp_path):
    with pytest.warns(UserWarning, match=r"left out 6 of 12.*are not labelled"):
        training.train(data, str(tmp_path / "model"), Recipe("nb", label_rate=0.5))


@pytest.mark.parametrize("method", GENERATIVE)
def test_settings_reach_the_classifier(method):
    learner, _ = find_method(method).configure({"smoothing": "0.5", "prior": "no"})
    built = learner.build(7, 2)
    assert (built.smoothing, built.prior, built.n_jobs) == (0.5, False, 2)
    assert built.get_params().get("random_state", 7) == 7


def test_weights_of_levels_are_read():
    assert find_method("pcem").configure({"level_weight": "1,2"})[0].build(0, None).level_weight == [1.0, 2.0]
    with pytest.raises(ValueError, match=r"setting level_weight=a,b.*>= 0 a level"):
        find_method("pcem").configure({"level_weight": "a,b"})


def test_how_far_the_others_were_trusted_is_said(data, tmp_path):
    result = training.train(data, str(tmp_path / "model"), Recipe("em-plus", label_rate=0.5, seed=3))
    assert result.unlabelled.split(";")[0] in WAYS
    assert re.search(r"6.*too few", result.unlabelled)
    assert describing.info(str(tmp_path / "model")).unlabelled == result.unlabelled
    assert training.train(data, str(tmp_path / "model"), Recipe("em", label_rate=0.5)).unlabelled is None
    told = Recipe("em-plus", label_rate=0.5, settings={"trust": "nothing"})
    assert training.train(data, str(tmp_path / "model"), told).unlabelled is None
