"""`train --weak`: from texts and descriptions to a model, without a label."""

import json
from dataclasses import replace

import pytest

from classmark import EmbeddingEM, TextClassifier
from classmark.service import judging, training
from classmark.service.recipes import Recipe
from classmark.weak import TextEncoder
from tests.text.encoders.small_bert import write_model

TEXTS = [
    "An owl hoots at night",
    "The owl hunts mice at night",
    "A gull cries over the sea",
    "Gulls follow ships at sea",
    "hoots at night again",
    "ships cry at sea",
    "",
]


@pytest.fixture
def data(tmp_path):
    folder = tmp_path / "data"
    folder.mkdir()
    rows = [{"id": str(i), "text": text, "labels": None} for i, text in enumerate(TEXTS)]
    (folder / "docs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (folder / "hierarchy.tsv").write_text("ROOT\tB\nB\tB1\nB\tB2\n")
    (tmp_path / "weak.tsv").write_text("B1\towl night\nB2\tgull sea\n")
    return tmp_path


def trained(data, **changes):
    recipe = Recipe("pcem-plus", settings={"growth_min_df": 1}, weak=str(data / "weak.tsv"))
    return training.train(str(data / "data"), str(data / "model"), replace(recipe, **changes))


def test_learns_without_a_label(data):
    result = trained(data)
    assert (result.encoder, result.without_similarity) == ("terms", 1)
    assert result.labelled == 4
    assert result.weakly_labelled == pytest.approx(4 / 7)
    model = TextClassifier.load(result.model)
    assert model.predict(["mice", "ships"]) == [["B1"], ["B2"]]


def test_names_are_the_labelled_documents_of_embedding_em(data):
    recipe = Recipe("embedding-em", settings={"concentration": 5}, weak=str(data / "weak.tsv"))
    result = training.train(str(data / "data"), str(data / "model"), recipe)
    assert (result.encoder, result.documents, result.labelled) == ("terms", len(TEXTS) + 2, 2)
    model = TextClassifier.load(result.model)
    # No name says these words: EM has found them among the documents.
    assert model.predict(["mice", "ships"]) == [["B1"], ["B2"]]
    assert model.text_.encoder == "terms"
    with pytest.raises(ValueError, match="embedding-em labels no document by similarity"):
        training.train(str(data / "data"), str(data / "model"), replace(recipe, min_similarity=0.1))


def test_embedding_em_reads_by_the_encoder_asked_for(data):
    pytest.importorskip("tokenizers", reason="the extra embed is not installed")
    encoder = f"sentence:{write_model(data / 'bert')}"
    recipe = Recipe("embedding-em", weak=str(data / "weak.tsv"), encoder=encoder)
    model = TextClassifier.load(training.train(str(data / "data"), str(data / "model"), recipe).model)
    assert model.text_.encoder == encoder
    rows = TextEncoder(encoder).fit_transform([*TEXTS, "owl night", "gull sea"])
    alone = EmbeddingEM(hierarchy=model.hierarchy_).fit(rows, [None] * len(TEXTS) + [["B1"], ["B2"]])
    assert model.classifier_.centres_ == pytest.approx(alone.centres_)


def test_headers_are_not_read(data):
    path = data / "data" / "docs.jsonl"
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    for row in rows:
        row["text"] = f"From: gull@sea.example\nSubject: Re: {row['text']}\n\n{row['text']}"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    with_sender = TextClassifier.load(trained(data).model)
    without = TextClassifier.load(trained(data, settings={"headers": "subject", "growth_min_df": 1}).model)
    assert "gull" in with_sender.vectoriser_.vocabulary_
    assert not {"subject", "re", "exampl"} & set(without.vectoriser_.vocabulary_)
    assert without.predict(["From: gull\nSubject: mice\n\nat night"]) == [["B1"]]


def test_labels_that_are_there_are_not_used_and_that_is_said(data):
    model = TextClassifier.load(trained(data).model)
    path = data / "data" / "docs.jsonl"
    path.write_text(path.read_text().replace("null", '["B2"]'))
    with pytest.warns(UserWarning, match=r"the labels of 7.*not used"):
        again = TextClassifier.load(trained(data, encoder="terms").model)
    assert again.node_scores(TEXTS).tobytes() == model.node_scores(TEXTS).tobytes()


def test_the_file_alone_gives_a_flat_hierarchy(data):
    (data / "data" / "hierarchy.tsv").unlink()
    assert TextClassifier.load(trained(data).model).hierarchy_.names == ("B1", "B2")


@pytest.mark.parametrize("method", ["pcem", "pcem-plus"])
def test_names_alone_are_compared_by_stems_whatever_the_method_reads(data, method):
    (data / "data" / "nodes.tsv").write_text("B1\towls\nB2\tgulls\n")
    result = training.train(str(data / "data"), str(data / "model"), Recipe(method, encoder="terms"))
    assert result.labelled == 4


@pytest.mark.parametrize(
    ("recipe", "words"),
    [
        ({"encoder": "nonsense"}, "unknown encoder 'nonsense'"),
        ({"label_rate": 0.5}, "weak labels take the place of labels; leave the label rate out"),
        ({"names": True}, "leave the names out"),
        ({"calibration": "platt"}, "calibration=platt learns from labels"),
        ({"min_similarity": 3.0}, "min_similarity=3.0"),
    ],
)
def test_bad_recipes(data, recipe, words):
    with pytest.raises(ValueError, match=words):
        trained(data, **recipe)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", r"weak.tsv: no category.*described"),
        ("B9\towls\n", r"weak.tsv:1: the category 'B9'.*not in.*hierarchy"),
    ],
)
def test_bad_files(data, content, words):
    (data / "weak.tsv").write_text(content)
    with pytest.raises(ValueError, match=words):
        trained(data)


def test_a_similarity_needs_weak_labels(data):
    with pytest.raises(ValueError, match="means nothing without weak labels"):
        training.train(str(data / "data"), str(data / "model"), Recipe(min_similarity=0.2))


def test_nothing_says_which_categories_there_are(data):
    (data / "data" / "hierarchy.tsv").unlink()
    with pytest.raises(ValueError, match="nothing says which categories there are"):
        training.train(str(data / "data"), str(data / "model"), Recipe("pcem", encoder="terms"))


@pytest.mark.filterwarnings("ignore:the labels of .* are not used")
def test_newsgroups_without_a_label(corpora, tmp_path):
    folder = corpora / "newsgroups20"
    recipe = Recipe("pcem-plus", weak=str(folder / "label_descriptions.tsv"), encoder="terms")
    result = training.train(str(folder), str(tmp_path / "model"), recipe)
    found = judging.evaluate(result.model, str(folder)).figures
    assert found["nodes"]["micro_f1"] >= 0.75
    assert found["nodes"]["macro_f1"] >= 0.66


def test_weak_labels_do_not_say_whom_to_trust(data):
    result = trained(data)
    assert result.unlabelled is None
    assert TextClassifier.load(result.model).classifier_.trusted_ == "full"
    result = trained(data, settings={"growth_min_df": 1, "trust": "nothing"})
    assert TextClassifier.load(result.model).classifier_.trusted_ == "nothing"
