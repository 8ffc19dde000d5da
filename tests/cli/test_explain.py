import re
from pathlib import Path

import pytest

from tests.explain.whole import Page


def test_the_terms_behind_the_answer(run, model):
    lines = run("explain", model, "an owl hoots in the barn").out.splitlines()
    assert lines[0].startswith("animal › bird › owl: ")
    assert {"owl", "barn"} < {line.split()[-1] for line in lines[1:-2]}
    assert lines[-2].endswith("(without any term)")
    assert lines[-1] == "decided by threshold,value=0.0,consistency=close,otherwise=nearest"


def test_the_decision_says_why_a_score_below_0_was_accepted(run, animals):
    run("train", animals, "-o", "model", "--decision", "threshold,value=-2")
    *_, first, last = run("explain", "model", "hoots", "--category", "cod").out.splitlines()
    assert first.endswith("(without any term)")
    assert "-" in first
    assert last == "decided by threshold,value=-2.0,consistency=close"
    assert run("explain", "model", "hoots", "--category", "cod", "--json").json[0]["accepted"] is True


def test_the_decision_is_for_people_alone(run, model):
    assert isinstance(run("explain", model, "hoots", "--json").json, list)
    assert "decided by" in run("explain", model, "hoots", "--html").out


def test_titles(run, folder, documents):
    name = folder("titled", documents)
    Path(name, "nodes.tsv").write_text("owl\ttawny owl\nbird\tfeathered\n")
    run("train", name, "-o", "model")
    assert run("explain", "model", "hoots").out.startswith("animal › bird feathered › owl tawny owl: ")
    (one,) = run("explain", "model", "hoots", "--json").json
    assert (one["category"], one["path"]) == ("owl", ["animal", "bird feathered", "owl tawny owl"])
    page = Page(run("explain", "model", "hoots", "--html").out)
    assert "animal › bird feathered › owl tawny owl: " in page.text


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
    for trained in ("strict", model):
        assert "(not accepted)" in run("explain", trained, "xyzzy").out.splitlines()[0]
    assert run("explain", model, "").out == run("explain", model, "xyzzy").out


def test_standard_input(run, model):
    assert run("explain", model, "-", stdin=b"hoots\nat night\n").out == run("explain", model, "hoots at night").out


def test_html_is_escaped(run, folder, documents):
    documents = [
        document | {"labels": ["<b>" if label == "owl" else label for label in document["labels"]]}
        for document in documents
    ]
    run("train", folder("marked", documents, None), "-o", "model")
    said = run("explain", "model", "<b> hoots", "--html").out
    assert said.startswith("<!doctype html>")
    assert "<b>" not in said
    assert "&lt;b&gt;" in said
    assert "<bdi>hoots</bdi>" in said
    Page(said)


def test_a_category_that_nothing_was_learned_about(run, folder, documents, hierarchy):
    run("train", folder("wide", documents, hierarchy + "bird\temu\n"), "-o", "model")
    (one,) = run("explain", "model", "hoots", "--json", "--category", "emu").json
    assert (one["accepted"], one["score"], one["terms"]) == (False, None, [])


def test_a_category_that_does_not_exist(refused, model):
    assert re.search(r"'emu'.*not a category", refused("explain", model, "hoots", "--category", "emu"))


@pytest.mark.parametrize("top", ["0", "many"])
def test_a_wrong_top(refused, model, top):
    assert "'--top'" in refused("explain", model, "hoots", "--top", top)


def test_why_not(run, model):
    plain = run("explain", model, "hoots at night").out
    told = run("explain", model, "hoots at night", "--why-not").out
    assert "\nwhy not " in told
    assert [line for line in plain.splitlines() if line not in told.splitlines()] == []
    assert "\nwhy not animal › fish › cod: " in run("explain", model, "hoots at night", "--against", "cod").out
    (one,) = run("explain", model, "hoots at night", "--json", "--against", "cod").json
    assert one["why_not"]["category"] == "cod"
    assert [step["category"] for step in one["steps"]] == ["animal", "bird", "owl"]
    assert "".join(piece["text"] for piece in one["pieces"]) == "hoots at night"


def test_a_page_is_written(run, refused, model):
    told = run("explain", model, "hoots", "--html", "-o", "why.html").out
    assert told == "wrote why.html: open it in a browser\n"
    assert Page(Path("why.html").read_text("utf-8")).text.startswith("\n")
    assert "-o writes a page; ask for it with --html" in refused("explain", model, "hoots", "-o", "why.txt")
    assert "and not for --json" in refused("explain", model, "hoots", "--html", "--json", "-o", "why.html")
    assert "then replaced" in refused("explain", model, "hoots", "--html", "-o", model)
    assert "no: no such folder" in refused("explain", model, "hoots", "--html", "-o", "no/where.html")


def test_texts_of_neighbours_are_looked_up(run, refused, animals, model):
    run("train", animals, "-m", "knn-bm25", "-o", "near.classmark")
    told = run("explain", "near.classmark", "an owl hoots at night", "--documents", animals).out
    assert "\n         hoots at night in the barn\n" in told
    (one, *_) = run("explain", "near.classmark", "an owl hoots at night", "--documents", animals, "--json").json
    assert one["neighbours"][0]["text"]
    page = run("explain", "near.classmark", "an owl hoots at night", "--documents", animals, "--html").out
    assert "hoots at night in the barn" in Page(page).text
    words = refused("explain", model, "hoots", "--documents", animals)
    assert "the model has no neighbours to look up there; leave --documents out" in words


def test_a_category(run, model, animals):
    told = run("explain", model, "--node", "owl", "--top", "2").out.splitlines()
    assert told[0] == "animal › bird › owl"
    assert "words for it" in told
    found = run("explain", model, "--node", "owl", "--data", animals, "--json").json
    assert found["path"] == ["animal", "bird", "owl"]
    assert found["words"]["for"][0]["weight"] > 0
    assert found["documents"]["labelled"] == 2
    page = run("explain", model, "--node", "owl", "--data", animals, "--split", "train", "--html").out
    assert "3 documents belong" in Page(page).text
    assert "who hoots" not in page


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (["hoots", "--node", "owl"], "TEXT and --node are both given; explain a text, or a category"),
        (["--node", "owll"], r"'owll'.*not a category.*\(did you mean 'owl'\?\)"),
        (["--node", "owl", "--why-not"], "are about a text; leave them out, or --node"),
        (["hoots", "--data", "animals"], "--data and --split go with --node; to look up neighbours use --documents"),
        (["hoots", "--against", "emu"], r"'emu'.*not a category"),
        (["hoots", "--against", "owl"], r"'owl'.*is explained"),
        (["--node", "owl", "--data", "nowhere"], "nowhere"),
    ],
)
def test_what_does_not_go_together(refused, model, given, words):
    assert re.search(words, refused("explain", model, *given))


def test_no_text(refused, model):
    assert "give a 'TEXT', or a category with --node" in refused("explain", model)


def test_input_that_is_not_utf_8(refused, model):
    assert "standard input: not UTF-8; convert it first" in refused("explain", model, "-", stdin=b"caf\xe9")


def test_a_missing_model(refused):
    assert "missing: no such model" in refused("explain", "missing", "hoots")
