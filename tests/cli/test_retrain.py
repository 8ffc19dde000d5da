import pytest

pytest.importorskip("sqlalchemy", reason="the extra serve is not installed")

from classmark.store import Store


@pytest.fixture
def said(run, animals, inside):
    """A model of the animals, and a store with what somebody has said."""
    run("train", animals, "-o", "model", "-m", "nb")
    with Store.open("said.sqlite") as store:
        store.learn("animals", [(None, f"hoots in barn {place}", ["owl"]) for place in range(6)], who="ann")
    return "said.sqlite"


def test_in_words(run, animals, said):
    told = run("retrain", "model", animals, "--feedback", said, "-o", "new").out
    assert "corrections            6\n" in told
    assert "before  after" in told
    assert run("predict", "new", animals).out


def test_json(run, animals, said):
    found = run("retrain", "model", animals, "--feedback", f"{said}#animals", "-o", "new", "--json").json
    assert (found["corrections"], found["replaced"]) == (6, 0)
    assert [figure["name"] for figure in found["figures"]] == ["micro_f1", "macro_f1_present", "hf", "subset_accuracy"]


def test_what_it_cannot_do_is_refused(refused, animals, said):
    assert "'fish'" in refused("retrain", "model", animals, "--feedback", f"{said}#fish", "-o", "new")
    assert "model" in refused("retrain", "model", animals, "--feedback", said, "-o", "model")
    assert said in refused("retrain", "model", animals, "--feedback", said, "-o", said)
