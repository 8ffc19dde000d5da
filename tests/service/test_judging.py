from dataclasses import asdict

import numpy as np
import pytest

from classmark import Hierarchy, TextClassifier, metrics
from classmark import base as classmark_base
from classmark.data import Corpus
from classmark.service import judging
from classmark.service.judging import judge, significance
from tests.memory import peak_of
from tests.service.animals import LABELS, TEXTS, TREE, answered, corpus_of, evaluated, numbered

pytestmark = pytest.mark.filterwarnings("ignore:the model was trained on")

TRUTH = [["owl"], ["oak"], ["fish"], ["bird"], ["owl", "oak"]]
"""Labels that the model gets right, half right and wrong."""


@pytest.fixture(scope="module")
def majority():
    return TextClassifier("majority", hierarchy=TREE).fit(TEXTS, LABELS)


def own(labels):
    return TREE.own(TREE.close(labels))


def flat(result, before=""):
    """Give nested figures as one dict."""
    if not isinstance(result, dict):
        return {before: result}
    return {name: value for key, part in result.items() for name, value in flat(part, f"{before}/{key}").items()}


def judged_keys(model):
    return evaluated(model, corpus_of(TRUTH)).keys()


class TestEvaluate:
    def test_perfect_answers(self, model):
        own = [answer["labels"] for answer in answered(model, numbered(TEXTS), leaves=True)]
        found = evaluated(model, corpus_of(own))
        assert found["documents"] == 5
        assert found["leaves"]["micro_f1"] == found["hierarchical"]["hf"] == found["subset_accuracy"] == 1
        assert found["hamming_loss"] == 0
        assert "left_out" not in found

    def test_one_answer_by_hand(self, model):
        assert [answer["labels"] for answer in answered(model, [("", TEXTS[0])])] == [["animal", "bird", "owl"]]
        found = evaluated(model, corpus_of([["gull"]]))
        # animal and bird are right, owl is wrong, gull is missing: 2 of 3 both ways, and 2 of 7 nodes differ.
        assert found["hierarchical"]["hf"] == pytest.approx(2 / 3)
        assert found["hamming_loss"] == pytest.approx(2 / 7)
        assert (found["leaves"]["micro_f1"], found["first"]["accuracy"]) == (0, 0)

    def test_documents_that_are_not_labelled_are_left_out(self, model):
        some = evaluated(model, corpus_of([["owl"], None, ["fish"], None, None]))
        assert (some["documents"], some["left_out"]) == (2, 3)

    def test_nothing_labelled(self, model):
        with pytest.raises(ValueError, match="a corpus: no labelled document to evaluate on"):
            evaluated(model, corpus_of([None, None]))


class TestEvaluateAll:
    def test_every_figure_there_is(self, model):
        judged = judge(model, corpus_of(TRUTH))
        further = metrics.further_figures(judged.true, judged.predicted, model.node_scores(TEXTS), TREE)
        usual = evaluated(model, corpus_of(TRUTH))
        found = evaluated(model, corpus_of(TRUTH), everything=True)
        assert set(found) == set(usual) | set(further)
        assert set(found["hierarchical"]) == set(usual["hierarchical"]) | set(further["hierarchical"])

    def test_the_usual_ones_are_the_same(self, model):
        usual = evaluated(model, corpus_of([*TRUTH[:4], None]))
        found = evaluated(model, corpus_of([*TRUTH[:4], None]), everything=True)
        assert usual["left_out"] == 1
        averages = found.pop("hierarchical")
        assert averages == averages | usual.pop("hierarchical")
        assert found == found | usual

    def test_values_are_those_of_the_metrics(self, model):
        found = evaluated(model, corpus_of(TRUTH), everything=True)
        true, predicted = TRUTH, model.predict(TEXTS)
        assert 0 < found["tree_distance"] == metrics.tree_distance_error(true, predicted, TREE)
        lca = metrics.lca_scores(true, predicted, TREE)
        assert found["lca"] == {"p": lca.precision, "r": lca.recall, "f": lca.f1}
        indicator = judge(model, corpus_of(TRUTH)).true
        assert found["cosine"] == metrics.cosine_accuracy(own(indicator), own(model.predict_indicator(TEXTS)))
        for average in ("macro", "instance"):
            scores = metrics.hierarchical_scores(true, predicted, TREE, average=average)
            assert found["hierarchical"][average] == asdict(scores)

    @pytest.mark.parametrize("k", [1, 3, 5])
    def test_rankings_are_among_the_ends(self, model, k):
        found = evaluated(model, corpus_of(TRUTH), everything=True)["ranking"]
        indicator, scores = own(judge(model, corpus_of(TRUTH)).true), model.node_scores(TEXTS)
        for name, measure in (
            ("precision", metrics.precision_at_k),
            ("recall", metrics.recall_at_k),
            ("ndcg", metrics.ndcg_at_k),
        ):
            assert found[f"{name}_at_{k}"] == measure(indicator, scores, k, model.classifier_.ends_)

    @pytest.mark.parametrize("calibration", [None, "platt"])
    @pytest.mark.parametrize("method", ["linear-svm", "knn-bm25", "global-svm"])
    def test_batches_change_nothing(self, method, calibration, monkeypatch):
        model = TextClassifier(method, hierarchy=TREE, calibration=calibration).fit(TEXTS, LABELS)
        whole = evaluated(model, corpus_of(TRUTH), everything=True)
        scores = model.classifier_.own_scores(X := model.transform(TEXTS))
        chances = None if calibration is None else model.predict_proba(TEXTS)
        judged = judge(model, corpus_of(TRUTH))
        ends = model.classifier_.ends_
        further = metrics.further_figures(judged.true, judged.predicted, scores, TREE, ends=ends, probabilities=chances)
        assert {key: whole[key] for key in further if key != "hierarchical"} == {
            key: value for key, value in further.items() if key != "hierarchical"
        }
        assert np.array_equal(judged.first, model.classifier_.predict_first(X))
        monkeypatch.setattr(judging, "DOCUMENTS_IN_A_BATCH", 3)
        monkeypatch.setattr(classmark_base, "SCORES_IN_A_BATCH", 2 * len(TREE))
        parts = evaluated(model, corpus_of(TRUTH), everything=True)
        assert flat(parts) == pytest.approx(flat(whole))
        assert evaluated(model, corpus_of(TRUTH)) == {key: parts[key] for key in judged_keys(model)} | {
            "hierarchical": {key: parts["hierarchical"][key] for key in ("hp", "hr", "hf")}
        }


class TestScoredOnce:
    @pytest.mark.parametrize("method", ["linear-svm", "topdown-svm", "knn-bm25", "nb"])
    def test_whatever_is_asked(self, method, scored, majority):
        given = {} if method == "nb" else {"calibration": "softmax"}
        model = TextClassifier(method, hierarchy=TREE, **given).fit(TEXTS * 2, LABELS * 2)
        ways = [
            lambda: evaluated(model, corpus_of(TRUTH)),
            lambda: evaluated(model, corpus_of(TRUTH), everything=True),
            lambda: evaluated(model, corpus_of(TRUTH), against=majority),
            lambda: evaluated(model, corpus_of(TRUTH), against=majority, everything=True),
        ]
        for number, evaluate in enumerate(ways, 1):
            evaluate()
            assert scored.by(model.classifier_) == number * len(TRUTH)
        assert scored.by(majority.classifier_) == 2 * len(TRUTH)

    @pytest.mark.parametrize("everything", [False, True])
    def test_neighbours_write_down_no_score_that_nobody_asks_for(self, many_categories, everything):
        model, documents = many_categories
        ids, texts = map(list, zip(*documents, strict=True))
        names = model.hierarchy_.names[-len(texts) :]
        corpus = Corpus(ids, texts, [[name] for name in names], [None] * len(texts), model.hierarchy_, "many")
        # 400 documents and 8,000 categories: dense scores alone would take 26 MB.
        assert peak_of(lambda: evaluated(model, corpus, everything=everything)) < 15 * 10**6

    def test_documents_that_are_not_labelled_are_not_scored(self, model, scored):
        evaluated(model, corpus_of([["owl"], None, ["fish"], None, None]))
        assert scored.by(model.classifier_) == 2


class TestEvaluateAgainst:
    def test_everything_at_once(self, model, majority):
        found = evaluated(model, corpus_of(TRUTH), against=majority, everything=True)
        apart = evaluated(model, corpus_of(TRUTH), against=majority)
        assert list(found.items()) == list((apart | evaluated(model, corpus_of(TRUTH), everything=True)).items())

    def test_both_are_evaluated(self, model, majority):
        found = evaluated(model, corpus_of(LABELS), against=majority)
        assert found.pop("against") == evaluated(majority, corpus_of(LABELS))
        del found["significance"]
        assert found == evaluated(model, corpus_of(LABELS))

    def test_p_values_are_those_of_the_metrics(self, model, majority):
        found = evaluated(model, corpus_of(LABELS), against=majority)["significance"]
        true = TREE.close(judge(model, corpus_of(LABELS)).true)
        first, second = (one.predict_indicator(TEXTS) for one in (model, majority))
        leaves = TREE.leaves
        assert found["micro_sign_test"] == asdict(metrics.micro_sign_test(true, first, second, leaves))
        assert found["macro_t_test"] == asdict(metrics.macro_t_test(true, first, second, leaves))
        bootstrap = metrics.paired_bootstrap(true, first, second, "hf", hierarchy=TREE)
        assert found["bootstrap_hf"] == asdict(bootstrap)
        assert found["micro_sign_test"]["wins"] > found["micro_sign_test"]["losses"]
        assert all(0 < test["p_value"] < 1 for test in found.values())

    def test_ancestors_in_the_truth_change_nothing(self, model, majority):
        judged = [judge(one, corpus_of(LABELS)) for one in (model, majority)]
        plain = significance(judged[0].true, judged[0].predicted, judged[1].predicted, TREE)
        assert significance(TREE.close(judged[0].true), *(one.predicted for one in judged), TREE) == plain

    def test_a_model_against_itself(self, model):
        found = evaluated(model, corpus_of(LABELS), against=model)["significance"]
        assert [test["p_value"] for test in found.values()] == [1, 1, 1]

    def test_the_order_of_the_categories_does_not_matter(self, model, majority):
        turned = Hierarchy.from_edges(reversed(TREE.edges()))
        assert turned == TREE
        assert turned.names != TREE.names
        other = TextClassifier("majority", hierarchy=turned).fit(TEXTS, LABELS)
        assert np.array_equal(other.predict(TEXTS), majority.predict(TEXTS))
        expected = evaluated(model, corpus_of(LABELS), against=majority)
        assert evaluated(model, corpus_of(LABELS), against=other) == expected
        turned_round = evaluated(other, corpus_of(LABELS), against=model)["significance"]
        assert turned_round == evaluated(majority, corpus_of(LABELS), against=model)["significance"]

    def test_other_hierarchies(self, model):
        other = TextClassifier().fit(TEXTS, LABELS)
        with pytest.raises(ValueError, match="the two models have different hierarchies; only models of one"):
            evaluated(model, corpus_of(LABELS), against=other)
