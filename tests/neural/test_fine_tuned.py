"""The fine-tuned classifier on a tiny BERT: it learns, answers without torch, and goes on where it stopped."""

import warnings

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="fine-tuning needs torch")
torch.set_num_threads(1)
pytest.importorskip("transformers", reason="fine-tuning needs transformers")
pytest.importorskip("tokenizers", reason="fine-tuning needs tokenizers")

from classmark import Hierarchy, TextClassifier  # noqa: E402
from classmark.decision import DECISIONS  # noqa: E402
from classmark.explain import explain  # noqa: E402
from classmark.neural import fine_tuned, fine_tuning, learning  # noqa: E402
from classmark.neural.fine_tuned import FineTunedClassifier  # noqa: E402
from classmark.persistence import load, save  # noqa: E402
from classmark.text.encoders import folder  # noqa: E402
from tests.neural.tiny import DAG, QUICK, TREE, texts, weights, write_model  # noqa: E402
from tests.neural.tiny import WORDS as KNOWN_WORDS  # noqa: E402

PATHS = [sorted(TREE.position(one) for one in TREE.path(name)) for name in TREE.names]


@pytest.fixture(scope="module")
def encoder(tmp_path_factory):
    return write_model(tmp_path_factory.mktemp("tiny"))


def text_classifier(encoder, **more):
    settings = {"encoder": encoder, **QUICK, **more.pop("settings", {})}
    return TextClassifier("fine-tuned", settings=settings, **{"hierarchy": TREE} | more)


@pytest.fixture(scope="module")
def fitted(encoder):
    return text_classifier(encoder).fit(*texts())


def test_it_learns(fitted):
    asked, labels = texts(seed=1)
    assert (fitted.predict(asked) == np.array(labels)).mean() > 0.9
    assert fitted.classifier_.losses_[-1] < 0.5 * fitted.classifier_.losses_[0]


def test_texts_alone_will_do(encoder, fitted):
    """Without a `TextClassifier` too: it reads texts by itself."""
    given, labels = texts()
    alone = FineTunedClassifier(encoder, hierarchy=TREE, decision="auto", **QUICK).fit(given, labels)
    assert (alone.node_scores(given) == fitted.node_scores(given)).all()
    rows = alone.tokeniser().transform(given)
    assert (alone.node_scores(rows) == alone.node_scores(given)).all()


def test_the_same_seed_gives_the_same_model(encoder, fitted):
    given, labels = texts()
    again = text_classifier(encoder).fit(given, labels)
    assert (again.node_scores(given) == fitted.node_scores(given)).all()
    other = text_classifier(encoder, random_state=1).fit(given, labels)
    assert (other.node_scores(given) != fitted.node_scores(given)).any()


def test_the_model_file_answers_without_torch_and_without_the_folder(fitted, tmp_path, monkeypatch):
    path = tmp_path / "model.classmark"
    fitted.save(path)
    monkeypatch.setattr(folder, "find_spec", lambda name: None)
    monkeypatch.setattr(fine_tuned, "find_folder", None)
    loaded = TextClassifier.load(path)
    asked, _ = texts(seed=1)
    assert loaded.node_scores(asked) == pytest.approx(fitted.node_scores(asked), abs=1e-3)
    assert loaded.classifier_.own_scores(asked) == pytest.approx(fitted.classifier_.own_scores(asked), abs=1e-3)
    assert (loaded.predict(asked) == fitted.predict(asked)).all()


@pytest.mark.parametrize("decision", [name for name in DECISIONS if name != "auto"])
def test_every_decision(decision, encoder):
    given, labels = texts(24)
    wanted = f"{decision},folds=2" if DECISIONS[decision].learns_from == "scores" else decision
    model = text_classifier(encoder, decision=wanted, settings={"epochs": 3}).fit(given, labels)
    answers = model.predict_indicator(given)
    assert answers.shape == (len(given), len(TREE))
    assert (TREE.close(answers) != answers).nnz == 0


def test_expected_hf_weighs_the_chances_of_both_heads(encoder):
    given, labels = texts()
    model = text_classifier(encoder, decision="expected-hf", settings={"epochs": 2}).fit(given, labels)
    scores = model.classifier_.score_rows(model.transform(given))
    closed, own = 1 / (1 + np.exp(-scores[:, :6])), np.exp(scores[:, 6:])
    answers = model.predict_indicator(given).toarray()
    for document in range(5):
        below = [[end for end in range(6) if node in PATHS[end]] for node in range(6)]
        chances = [(closed[document, node] + own[document, below[node]].sum()) / 2 for node in range(6)]
        worth = [sum(2 * chances[above] - 1 for above in path) for path in PATHS]
        assert np.flatnonzero(answers[document]).tolist() == PATHS[int(np.argmax(worth))]


def test_the_best_path_counts_both_heads(fitted):
    given, _ = texts()
    scores = fitted.classifier_.score_rows(fitted.transform(given))
    ranked = fitted.classifier_.as_own(scores)
    for end in fitted.classifier_.ends_:
        path = [TREE.position(one) for one in TREE.path(TREE.names[end])]
        mean = -np.log1p(np.exp(-scores[:, path])).mean(axis=1)
        assert ranked[:, end] == pytest.approx(scores[:, len(TREE) + end] + 0.3 * mean)
    assert np.exp(scores[:, len(TREE) + fitted.classifier_.ends_]).sum(axis=1) == pytest.approx(1)


def test_several_labels_none_and_a_dag(encoder):
    given, labels = texts(24)
    several = [[label] if label in ("owl", "gull") else [] for label in labels]
    several[0] = ["owl", "gull"]
    several[3] = ["animal"]
    model = text_classifier(encoder, hierarchy=DAG, decision="threshold").fit(given, several)
    found = model.predict(given)
    assert len(found) == len(given)
    assert [] in found
    chances = model.predict_proba(given)
    for node in range(len(DAG)):
        for parent in DAG.parent_positions(node):
            assert (chances[:, node] <= chances[:, parent] + 1e-9).all()


def test_weights_count(encoder):
    given, labels = texts(16)
    twice = text_classifier(encoder, settings={"epochs": 4, "batch_size": 64}).fit(given, labels, np.full(16, 3.0))
    once = text_classifier(encoder, settings={"epochs": 4, "batch_size": 64}).fit(given, labels)
    assert twice.node_scores(given) == pytest.approx(once.node_scores(given), abs=1e-4)
    only_owls = text_classifier(encoder).fit(given, labels, [float(label == "owl") for label in labels])
    assert set(only_owls.predict(given)) == {"owl"}


def test_warm_start_goes_on(encoder):
    given, labels = texts()
    model = FineTunedClassifier(encoder, hierarchy=TREE, warm_start=True, **QUICK).fit(given, labels)
    first = model.losses_
    assert model.fit(given, labels).losses_[0] < first[0]
    with pytest.raises(ValueError, match=r"warm_start.*same categories"):
        model.set_params(hierarchy=DAG).fit(given[:2], ["owl", "gull"])
    whole = TextClassifier(FineTunedClassifier(encoder, warm_start=True, **QUICK), hierarchy=TREE)
    first = whole.fit(given, labels).classifier_.losses_
    assert whole.fit(given, labels).classifier_.losses_[0] < first[0]


def test_a_category_without_documents_is_known_by_its_name(encoder):
    given, labels = texts()
    seen = [place for place, label in enumerate(labels) if label != "fern"]
    some, known = [given[place] for place in seen], [labels[place] for place in seen]
    without = text_classifier(encoder).fit(some, known)
    assert np.isneginf(without.node_scores(["fern fronds"])[0, TREE.position("fern")])
    model = text_classifier(encoder, settings={"unseen": True, "epochs": 3, "learning_rate": 0.001}).fit(some, known)
    assert np.isfinite(model.node_scores(["fern fronds"])).all()
    assert model.predict(["fern fern fern"])[0] == "fern"


def test_an_explanation_names_the_word(fitted):
    [one] = explain(fitted, "the owl at night")
    assert one.category == "owl"
    assert one.terms[0][0] == "owl"


def test_removing_the_strongest_word_costs_most(fitted):
    lost = []
    for text in texts(20, seed=3)[0]:
        [one] = explain(fitted, text, top=50)
        node = TREE.position(one.category)
        words = [word for word, _ in sorted(one.terms, key=lambda pair: pair[1])]
        scores = [
            fitted.node_scores([" ".join(w for w in text.split() if w != word)])[0, node]
            for word in (words[0], words[-1])
        ]
        lost.append(scores[0] - scores[1])
    assert np.mean(lost) > 0


class PlugPulledError(Exception):
    """Somebody pulled the plug."""


def stop_after(monkeypatch, epochs, error):
    """Let learning break off in the middle of the epoch after some."""
    whole = learning.Learning._learn_from

    def breaking(self, examples):
        if self.epoch == epochs and self.step % 2 == 1:
            raise error
        return whole(self, examples)

    monkeypatch.setattr(learning.Learning, "_learn_from", breaking)


def test_a_run_that_was_killed_goes_on_as_if_it_had_not_been(encoder, fitted, tmp_path, monkeypatch):
    given, labels = texts()
    checkpoint = tmp_path / "epochs"
    with monkeypatch.context() as patch:
        stop_after(patch, 5, PlugPulledError())
        with pytest.raises(PlugPulledError):
            text_classifier(encoder).fit(given, labels, checkpoint=checkpoint)
    model = text_classifier(encoder).fit(given, labels, checkpoint=checkpoint, resume=True)
    assert (model.node_scores(given) == fitted.node_scores(given)).all()
    assert model.classifier_.losses_ == fitted.classifier_.losses_


def test_ctrl_c_keeps_the_epochs_done(encoder, monkeypatch):
    given, labels = texts()
    short = text_classifier(encoder)
    with monkeypatch.context() as patch:
        stop_after(patch, 5, KeyboardInterrupt())
        with pytest.warns(UserWarning, match="interrupted: kept the 5 of 12 epochs done"):
            short.fit(given, labels)
    assert short.classifier_.interrupted_
    assert len(short.classifier_.losses_) == 5
    assert short.predict(given).shape == (40,)
    with monkeypatch.context() as patch:
        stop_after(patch, 0, KeyboardInterrupt())
        with pytest.raises(KeyboardInterrupt):
            text_classifier(encoder).fit(given, labels)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda path: path.write_bytes(b"nonsense"), "not a checkpoint"),
        (lambda path: path.unlink(), "no checkpoint"),
    ],
)
def test_checkpoints_that_are_none(change, words, encoder, tmp_path):
    given, labels = texts(8)
    checkpoint = tmp_path / "epochs"
    text_classifier(encoder, settings={"epochs": 1}).fit(given, labels, checkpoint=checkpoint)
    with pytest.raises(ValueError, match="other documents"):
        text_classifier(encoder, settings={"epochs": 2}).fit(given, labels, checkpoint=checkpoint, resume=True)
    with pytest.raises(ValueError, match="was stopped"):
        text_classifier(encoder, settings={"epochs": 1}).fit(given, labels, checkpoint=checkpoint)
    change(checkpoint)
    with pytest.raises(ValueError, match=words):
        text_classifier(encoder, settings={"epochs": 1}).fit(given, labels, checkpoint=checkpoint, resume=True)


def test_other_methods_have_nothing_to_resume():
    with pytest.raises(ValueError, match="nb learns in one go: there is nothing to resume"):
        TextClassifier("nb").fit(["an owl", "a gull"], ["owl", "gull"], resume=True)


def test_early_stopping_keeps_the_best_epoch(encoder):
    given, labels = texts()
    settings = {"validation_fraction": 0.3, "epochs": 60, "learning_rate": 0.05, "n_iter_no_change": 1}
    model = text_classifier(encoder, settings=settings).fit(given, labels)
    assert len(model.classifier_.losses_) < 60


def test_a_device_out_of_memory_halves_the_batch(encoder, fitted, monkeypatch):
    whole = learning.Learning.loss_of

    def small(self, examples):
        if len(examples) > 3:
            raise torch.OutOfMemoryError("CUDA out of memory")
        return whole(self, examples)

    monkeypatch.setattr(learning.Learning, "loss_of", small)
    given, labels = texts()
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        model = text_classifier(encoder, settings={"dropout": 0}).fit(given, labels)
    assert [str(one.message).split(": ")[1][:2] for one in heard] == ["10", "5 ", "3 "]
    monkeypatch.undo()
    at_once = text_classifier(encoder, settings={"dropout": 0}).fit(given, labels)
    # The gradients of a batch are the same, however many of its documents go through at a time.
    assert model.node_scores(given) == pytest.approx(at_once.node_scores(given), abs=0.05)


def test_one_document_that_does_not_fit(encoder, monkeypatch):
    def never(self, examples):
        raise torch.OutOfMemoryError("CUDA out of memory")

    monkeypatch.setattr(learning.Learning, "loss_of", never)
    with (
        warnings.catch_warnings(),
        pytest.raises(ValueError, match=r"one document alone does not fit .* lower max_tokens"),
    ):
        warnings.simplefilter("ignore")
        text_classifier(encoder).fit(*texts(8))


def test_a_loss_that_is_not_a_number(encoder):
    with pytest.raises(ValueError, match=r"not a number.*1: lower learning_rate=1e"):
        text_classifier(encoder, settings={"learning_rate": 1e30}).fit(*texts())


def test_sampled_heads_learn_too(encoder):
    given, labels = texts()
    model = text_classifier(encoder, settings={"sampled": 1}).fit(given, labels)
    assert (model.predict(given) == np.array(labels)).mean() > 0.9


def test_many_categories_are_sampled_where_they_do_not_fit(encoder, monkeypatch):
    names = [f"c{number}" for number in range(3000)]
    monkeypatch.setattr(fine_tuning, "ROWS_SAMPLED", 100)
    monkeypatch.setattr(fine_tuned, "available_memory", lambda: 3e6)
    heard = []
    monkeypatch.setattr(fine_tuned, "notice", heard.append)
    given, _ = texts(30)
    model = FineTunedClassifier(encoder, hierarchy=Hierarchy.flat(names), **QUICK | {"epochs": 1})
    model.fit(given, names[:30])
    assert any("each step looks at 100 of 3,030 rows" in line for line in heard)
    monkeypatch.setattr(fine_tuned, "available_memory", lambda: 1e5)
    with pytest.raises(ValueError, match=r"the heads of 3,030 categories and nodes take .* knn-bm25"):
        model.fit(given, names[:30])


def test_how_long_it_takes_is_said_before(encoder, monkeypatch):
    heard = []
    monkeypatch.setattr(fine_tuned, "notice", heard.append)
    text_classifier(encoder, settings={"epochs": 1}).fit(*texts(8))
    assert any(line.startswith("learning takes about ") and "on this CPU (1 steps)" in line for line in heard)
    monkeypatch.setattr(learning.Learning, "measure", lambda self: 1e5)
    with pytest.warns(UserWarning, match=r"learning takes about 27\.8 h on this CPU .* fewer epochs"):
        text_classifier(encoder, settings={"epochs": 1}).fit(*texts(8))


@pytest.mark.parametrize("text", ["", "   ", "word " * 100_000, "x" * 200_000, "\ud800 owl", "сова ухает"])
def test_any_text_is_answered(fitted, text):
    assert np.isfinite(fitted.node_scores([text])).all()
    assert fitted.predict([text]).shape == (1,)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"encoder": "sentence:/nowhere"}, "no such folder"),
        ({"encoder": "terms"}, "fine-tuning"),
        ({"ngrams": 2}, "method 'fine-tuned' has no setting 'ngrams'; its settings: "),
        ({"device": "cuda"}, "torch finds no GPU here"),
        ({"epochs": 0}, r"setting epochs=0: must be.*integer >= 1"),
        ({"validation_fraction": 0.99}, "holds all 8 documents out"),
    ],
)
def test_refusals(settings, words, encoder):
    if settings.get("device") == "cuda" and torch.cuda.is_available():
        pytest.skip("there is a GPU")
    with pytest.raises(ValueError, match=words):
        text_classifier(encoder, settings=settings).fit(*texts(8))


def test_documents_that_are_no_texts(encoder, fitted):
    with pytest.raises(ValueError, match="document 1 is features; an encoder reads texts"):
        text_classifier(encoder).fit(["owl", {"owl": 1}], ["owl", "gull"])
    with pytest.raises(ValueError, match="neither texts nor the rows"):
        fitted.classifier_.node_scores(np.full((1, 24), 0.5))
    with pytest.raises(ValueError, match="X is one text"):
        fitted.classifier_.node_scores("an owl")
    with pytest.raises(ValueError, match="there are no terms to select"):
        text_classifier(encoder, selection="chi-square,share=0.5").fit(*texts(8))


@pytest.mark.parametrize("damage", ["shape", "name", "nan", "heads", "tokenizer", "config"])
def test_a_damaged_model_file(damage, fitted, tmp_path):
    path = tmp_path / "model.classmark"
    fitted.save(path)
    state = load(path)
    learned = state["classifier"]["learned"]
    first = "embeddings.word_embeddings.weight"
    if damage == "shape":
        learned["weights"][first] = learned["weights"][first][:, :3]
    elif damage == "name":
        del learned["weights"][first]
    elif damage == "nan":
        learned["weights"][first] = np.full_like(learned["weights"][first], np.nan)
    elif damage == "heads":
        learned["heads"]["own"] = learned["heads"]["own"][1:]
    elif damage == "tokenizer":
        learned["tokenizer"] = "nonsense"
    else:
        learned["config"] = '{"model_type": "owl"}'
    save(path, state)
    with pytest.raises(ValueError, match="not a model") as caught:
        TextClassifier.load(path).predict(["owl"])
    assert "\n" not in str(caught.value)


def test_a_folder_whose_weights_have_another_shape(tmp_path):
    from safetensors.numpy import save_file

    name = write_model(tmp_path / "model")
    wrong = weights(KNOWN_WORDS)
    wrong["embeddings.word_embeddings.weight"] = wrong["embeddings.word_embeddings.weight"][:, :4].copy()
    save_file(wrong, tmp_path / "model" / "model.safetensors")
    with pytest.raises(ValueError, match=r"word_embeddings.weight.*shape"):
        text_classifier(name).fit(*texts(8))


def test_names_and_descriptions_are_where_it_starts(encoder):
    """After one step that is next to none, the vector of a category is that of its name and description."""
    model = text_classifier(
        encoder,
        settings={"learning_rate": 1e-9, "epochs": 1},
        hierarchy=Hierarchy.flat(["A", "B"]),
        titles={"A": "owl", "B": "gull"},
        descriptions={"A": "hoots", "B": "cries"},
    )
    model.fit(["the sea", "at night"], ["A", "B"])
    rows = model.vectoriser_.transform(["owl hoots", "gull cries"])
    assert model.classifier_.heads_.own == pytest.approx(model.classifier_.vectors_of(rows), abs=1e-2)


def test_training_documents_are_known_again_by_their_tokens(fitted):
    given, _ = texts()
    seen = fitted.seen()
    list(seen.counting([fitted.transform([given[0], " ".join(given[0].split()[::-1]), "owl owl owl owl"])]))
    assert seen.count == 2
