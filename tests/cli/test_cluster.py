"""`--cluster`: the same output as without, and one line where there is no cluster."""

import pytest

pytest.importorskip("distributed")

from classmark.parallel.cluster import connecting


def test_the_same_model_and_answers(run, farm, animals, tmp_path):
    """Train, predict, evaluate, tune and compare, with and without workers."""
    address = farm.exactly(2).address
    outputs = []
    for name, options in (("here", []), ("there", ["--cluster", address])):
        model = tmp_path / name
        run("train", animals, "-o", model, "-m", "adaboost-mh", "--set", "n_rounds=5", *options)
        answers = run("predict", model, animals, "--scores", *options)
        figures = run("evaluate", model, animals, "--json", *options)
        outputs.append((model.read_bytes(), answers.out, figures.out))
    assert outputs[0] == outputs[1]


def test_nobody_at_the_address(refused, animals, tmp_path, monkeypatch):
    monkeypatch.setattr(connecting, "SECONDS_TO_CONNECT", 0.5)
    given = ("train", animals, "-o", tmp_path / "model", "--cluster", "tcp://127.0.0.1:1")
    assert "cluster tcp://127.0.0.1:1: nobody answered within" in refused(*given)


@pytest.mark.parametrize("where", ["local:none", "local:0", "ftp://somewhere"])
def test_what_is_no_cluster(refused, animals, tmp_path, where):
    assert where in refused("train", animals, "-o", tmp_path / "model", "--cluster", where)
