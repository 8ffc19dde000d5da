from pathlib import Path

import pytest


def test_the_terms_behind_the_answer(run, model):
    lines = run("explain", model, "an owl hoots in the barn").out.splitlines()
    assert lines[0].startswith("animal › bird › owl: ")
    assert {"owl", "barn"} < {line.split()[-1] for line in lines[1:-2]}
    assert lines[-2].endswith("(without any term)")
    assert lines[-1] == "decided by threshold,value=0.0,consistency=close,otherwise=nearest"


def test_the_decision_says_why_a_score_below_0_was_accepted(run, animals):
    run("train", animals, "-o", "model", "--decision", "threshold,value=-2")
    *_, first, last = run("explain", "model", "xyzzy", "--category", "cod").out.splitlines()
    assert first.endswith("(without any term)")
    assert "-" in first
    assert last == "decided by threshold,value=-2.0,consistency=close"
    assert run("explain", "model", "xyzzy", "--category", "cod", "--json").json[0]["accepted"] is True


def test_the_decision_is_for_people_alone(run, model):
    assert isinstance(run("explain", model, "hoots", "--json").json, list)
    assert "decided by" not in run("explain", model, "hoots", "--html").out


def test_titles(run, folder, documents):
    name = folder("titled", documents)
    Path(name, "nodes.tsv").write_text("owl\ttawny owl\nbird\tfeathered\n")
    run("train", name, "-o", "model")
    assert run("explain", "model", "hoots").out.startswith("animal › bird feathered › owl tawny owl: ")
    (one,) = run("explain", "model", "hoots", "--json").json
    assert (one["category"], one["path"]) == ("owl", ["animal", "bird feathered", "owl tawny owl"])
    assert "animal › bird feathered › owl tawny owl: " in run("explain", "model", "hoots", "--html").out


def test_shares_sum_to_the_score(run, model):
    for one in run("explain", model, "an owl in the tall tree", "--json", "--top", "1").json:
        assert len(one["terms"]) == 1
        total = one["bias"] + one["others"] + sum(term["share"] for term in one["terms"])
        assert total == pytest.approx(one["score"])
        assert one["accepted"] is True


def test_the_score_is_the_one_that_predict_gives(run, model):
    (one,) = run("explain", model, "hoots at night", "--json").json
    (answer,) = run("predict", model, "-", "--leaves", "--scores", stdin=b"hoots at night").answers
    assert answer["labels"] == [one["category"]]
    assert answer["scores"][one["category"]] == pytest.approx(one["score"])


@pytest.mark.parametrize("names", [[], ["--names"]])
def test_neighbours_are_named_by_their_ids(start, run, animals, names):
    run("train", animals, "-m", "knn-bm25", "-o", "near.classmark", *names)
    out, _ = start("explain", "near.classmark", "an owl hoots at night").communicate()
    told = out.decode()
    assert " by document train1 (owl), similarity " in told
    assert (" by document the name of owl (owl), similarity " in told) == bool(names)


def test_every_label_of_the_answer(run, model):
    text = "an owl in the tall tree at night"
    (answer,) = run("predict", model, "-", "--leaves", stdin=text.encode()).answers
    explained = [one["category"] for one in run("explain", model, text, "--json").json]
    assert explained == answer["labels"] == ["oak", "owl"]


def test_categories_asked_for(run, model):
    found = run("explain", model, "hoots", "--json", "--category", "cod", "--category", "animal").json
    assert [(one["category"], one["accepted"]) for one in found] == [("cod", False), ("animal", True)]
    assert found[0]["path"] == ["animal", "fish", "cod"]


def test_a_text_that_says_nothing_shows_the_best_category_as_not_accepted(run, model, animals):
    run("train", animals, "-o", "strict", "--decision", "threshold,value=0.9")
    assert "(not accepted)" in run("explain", "strict", "xyzzy").out.splitlines()[0]
    assert run("explain", model, "").out == run("explain", model, "xyzzy").out


def test_standard_input(run, model):
    assert run("explain", model, "-", stdin=b"hoots\nat night\n").out == run("explain", model, "hoots at night").out


def test_html_is_escaped(run, folder, documents):
    documents = [
        document | {"labels": ["<b>" if label == "owl" else label for label in document["labels"]]}
        for document in documents
    ]
    run("train", folder("marked", documents, None), "-o", "model")
    said = run("explain", "model", "hoots", "--html").out
    assert said.startswith("<table><caption>&lt;b&gt;: ")
    assert "<b>" not in said
    assert "<td>hoot</td>" in said


def test_a_category_that_nothing_was_learned_about(run, folder, documents, hierarchy):
    run("train", folder("wide", documents, hierarchy + "bird\temu\n"), "-o", "model")
    (one,) = run("explain", "model", "hoots", "--json", "--category", "emu").json
    assert (one["accepted"], one["score"], one["terms"]) == (False, None, [])


def test_a_category_that_does_not_exist(refused, model):
    assert "'emu' is not a category" in refused("explain", model, "hoots", "--category", "emu")


@pytest.mark.parametrize("top", ["0", "many"])
def test_a_wrong_top(refused, model, top):
    assert "'--top'" in refused("explain", model, "hoots", "--top", top)


def test_no_text(refused, model):
    assert "'TEXT'" in refused("explain", model)


def test_input_that_is_not_utf_8(refused, model):
    assert "standard input: not UTF-8; convert it first" in refused("explain", model, "-", stdin=b"caf\xe9")


def test_a_missing_model(refused):
    assert "missing: no such model file" in refused("explain", "missing", "hoots")
