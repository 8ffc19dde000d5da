import re

import pytest


@pytest.fixture
def models(run, animals):
    """Two models of the animals."""
    run("train", animals, "-o", "a", "-m", "majority")
    run("train", animals, "-o", "b", "-m", "linear-svm")
    return "a", "b"


def test_in_words(run, animals, models):
    said = run("diff", *models, animals, "--top", "3").out
    assert said.startswith("6 documents: ")
    assert "  method " in said
    assert "majority → linear-svm" in said
    for part in ("95 % interval", "documents by hF: B better", "kinds of error", "McNemar's exact test", "Hochberg"):
        assert part in said
    assert said.count("        true  ") == 3
    assert max(map(len, said.splitlines())) <= 80


def test_json(run, animals, models):
    found = run("diff", *models, animals, "--json", "--top", "2").json
    assert found["documents"] == 6
    assert [figure["name"] for figure in found["figures"]] == ["micro_f1", "macro_f1_present", "hf", "subset_accuracy"]
    assert sum(sum(row.values()) for row in found["by_kind"]["table"].values()) == 6
    assert len(found["by_document"]["most"]) == 2


def test_figures_are_those_of_evaluate(run, animals, models):
    found = {one["name"]: one for one in run("diff", *models, animals, "--json").json["figures"]}
    for model, which in zip(models, ("first", "second"), strict=True):
        alone = run("evaluate", model, animals, "--json").json
        assert found["micro_f1"][which] == pytest.approx(alone["leaves"]["micro_f1"])
        assert found["macro_f1_present"][which] == pytest.approx(alone["leaves"]["macro_f1_present"])
        assert found["hf"][which] == pytest.approx(alone["hierarchical"]["hf"])
        assert found["subset_accuracy"][which] == pytest.approx(alone["subset_accuracy"])


def test_the_same_model(run, animals, models):
    said = run("diff", "b", "b", animals).out
    assert said == "6 documents: both models give the same answers\n\nfrom A to B\n  made alike\n"


def test_other_hierarchies_are_refused(run, refused, animals, models, inside):
    (inside / "flat.csv").write_text("text,labels\nhoots,owl\ncries,gull\n")
    run("train", "flat.csv", "-o", "c")
    said = refused("diff", "b", "c", animals)
    assert "b and c have different hierarchies: " in said
    assert "one hierarchy" in said


def test_documents_seen_in_training(run, animals, models):
    result = run("diff", *models, animals, "--split", "train")
    assert re.search(r"warning: the first model was trained.*9 of these 9 documents", result.err)
    assert re.search(r"warning: the second model was trained.*9 of these 9 documents", result.err)
    assert "B was trained on 9 of these documents" in result.out


def test_a_file_that_is_no_model(refused, animals, models):
    assert "nowhere: no such" in refused("diff", "a", "nowhere", animals)
