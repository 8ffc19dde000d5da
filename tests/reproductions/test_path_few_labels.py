"""The protocol of few labels, against the same thing done by hand."""

import statistics

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from classmark import TextClassifier
from classmark.data import read_corpus
from classmark.metrics import hf_score
from reproductions import Surroundings, find_tables, grid, parse_table, run_table
from reproductions.experiments import EXPERIMENTS
from reproductions.experiments.few_labels import FewLabels, divide
from tests.reproductions.toys import TEST, TRAIN, repeated, write_corpus


@given(st.integers(2, 60), st.data())
def test_every_document_has_one_place(documents, data):
    training = data.draw(st.integers(1, documents - 1))
    share = data.draw(st.floats(0.01, 1.0))
    division = divide(documents, training, share, data.draw(st.integers(0, 99)))
    assert sorted(np.concatenate(division)) == list(range(documents))
    assert len(division.labelled) == max(1, int(share * training))
    assert len(division.test) == documents - training


def test_a_seed_gives_every_method_the_same_documents_and_another_seed_others():
    first, second, other = (divide(50, 40, 0.5, seed) for seed in (3, 3, 4))
    assert all(np.array_equal(a, b) for a, b in zip(first, second, strict=True))
    assert not np.array_equal(first.test, other.test)


def by_hand(corpus, condition, seed):
    """Give micro-F1 over all nodes, which is hF, of a classifier of texts."""
    labelled, unlabelled, test = divide(len(corpus.documents), condition.training, condition.labelled, seed)
    model = TextClassifier(
        condition.method, settings=condition.settings, hierarchy=corpus.hierarchy, decision="best-path"
    )
    rows = [*labelled, *(unlabelled if condition.method.endswith("em") else [])]
    labels = [corpus.labels[row] if row in labelled else None for row in rows]
    model.fit([corpus.documents[row] for row in rows], labels)
    found = model.classifier_.predict(model.transform([corpus.documents[row] for row in test]))
    return hf_score([corpus.labels[row] for row in test], found, corpus.hierarchy)


@pytest.mark.parametrize(
    "changes",
    [{"method": "pcem"}, {"method": "nb"}, {"method": "linear-svm", "settings": {"weighting": "counts", "C": 10}}],
    ids=lambda changes: changes["method"],
)
def test_mean_and_deviation_over_the_seeds(tmp_path, changes):
    # One label each, so that every seed asks for a best path.
    single = [(text, labels[:1]) for text, labels in TRAIN + TEST]
    folder = write_corpus(tmp_path / "single", {"train": single})
    condition = FewLabels(corpus="single", training=8, labelled=0.9, seeds=3, first_seed=5, **changes)
    (measured,) = EXPERIMENTS["few-labels"].run([condition], Surroundings(tmp_path, seed=2))
    expected = [by_hand(read_corpus(folder), condition, seed) for seed in (7, 8, 9)]
    assert [measured[f"micro_f1.seed-{seed}"] for seed in (7, 8, 9)] == pytest.approx(expected)
    assert measured["micro_f1"] == pytest.approx(statistics.mean(expected))
    assert measured["micro_f1.deviation"] == pytest.approx(statistics.stdev(expected))
    assert measured["train_seconds"] > 0


def test_documents_without_a_label_are_not_pooled(tmp_path):
    splits = {"train": TRAIN, "test": [*TEST, ("nobody has said", None), ("this is nowhere", [])]}
    write_corpus(tmp_path / "some", splits)
    (measured,) = EXPERIMENTS["few-labels"].run(
        [FewLabels(corpus="some", method="majority", training=9, labelled=1.0, seeds=1)], Surroundings(tmp_path)
    )
    assert measured["micro_f1.deviation"] == 0.0
    with pytest.raises(ValueError, match="10 of 10 documents are for training; leave some for the test"):
        EXPERIMENTS["few-labels"].run(
            [FewLabels(corpus="some", method="majority", training=10, labelled=1.0)], Surroundings(tmp_path)
        )


def test_a_corpus_without_a_hierarchy_is_refused(tmp_path):
    folder = write_corpus(tmp_path / "flat")
    (folder / "hierarchy.tsv").unlink()
    with pytest.raises(ValueError, match="no hierarchy; few-labels evaluates over all nodes of one"):
        EXPERIMENTS["few-labels"].run(
            [FewLabels(corpus="flat", method="majority", training=3, labelled=1.0)], Surroundings(tmp_path)
        )


def test_another_tree_than_the_papers_is_refused(surroundings):
    condition = FewLabels(corpus="animals", method="majority", training=3, labelled=1.0, nodes=26)
    with pytest.raises(ValueError, match="animals: 5 categories, and the paper's tree has 26; put a dataset folder"):
        EXPERIMENTS["few-labels"].run([condition], surroundings)


def test_a_parameter_that_the_classifier_has_not_is_refused():
    FewLabels(corpus="any", method="logistic", learner={"estimator__dual": True}, training=3, labelled=1.0).check()
    with pytest.raises(ValueError, match="Invalid parameter 'dual'"):
        FewLabels(corpus="any", method="logistic", learner={"dual": True}, training=3, labelled=1.0).check()


TABLE = repeated(
    "Few labels",
    2,
    """
[measures.deviation]
title = "deviation"
measured = "micro_f1.deviation"
always = true

[[parts]]
title = "all"
tolerance = { micro = 1.0 }
rows = [{ at = { method = "nb" }, reported = { micro = 0.5 } }, { at = { method = "majority" }, reported = {} }]
""",
)


def test_what_the_paper_does_not_report_is_shown_without_a_verdict(surroundings, cache):
    result = run_table(parse_table(TABLE), surroundings, cache)
    header, reported, not_reported = grid(result, result.parts[0])
    assert header == ["method", "micro-F1: reported", "ours", "difference", "verdict", "deviation"]
    assert (reported[1], reported[4]) == ("0.500", "within")
    assert (not_reported[1], not_reported[3], not_reported[4]) == ("–", "–", "no claim")
    assert float(not_reported[2]) > 0
    assert result.counts["no claim"] == 3
    quick = run_table(parse_table(TABLE), surroundings, cache, quick=True)
    assert [row.cells["deviation"].ours for row in quick.parts[0].rows] == [0.0, 0.0]


class TestTable2:
    @pytest.fixture
    def parts(self):
        return {part.title: part for part in find_tables("path_prediction_2019", "2")["table_2"].parts}

    def test_the_shape(self, parts):
        assert [len(part.rows) for part in parts.values()] == [16, 16, 16, 13]
        assert [sum(bool(row.reported) for row in part.rows) for part in parts.values()] == [13, 13, 13, 13]

    def test_what_the_text_says(self, parts):
        for title in ("20 Newsgroups, 1 % labelled", "RCV1, 1 % labelled"):
            reported = {row.at["method"]: row.reported for row in parts[title].rows if row.reported}
            for measure in ("micro", "macro"):
                # Section 5.2.1: PCNB is the best naive Bayes, and every EM better than its naive Bayes.
                nb = {name: figures[measure] for name, figures in reported.items() if "nb" in name}
                assert max(nb, key=nb.__getitem__) == "pcnb"
                for name, figure in nb.items():
                    assert reported[name.replace("nb", "em")][measure] > figure
                assert max(reported, key=lambda name, m=measure: reported[name][m]) == "pcem"


def test_the_order_of_table_2_on_the_real_corpus(corpora, cache):
    table = find_tables("path_prediction_2019", "2")["table_2"]
    part = table.part("20 Newsgroups, 1 % labelled")
    rows = [row for row in part.rows if row.at["method"] in ("nb", "pcnb", "em", "pcem")]
    short = msgspec.structs.replace(
        table, parts=[msgspec.structs.replace(part, rows=rows)], condition=table.condition | {"seeds": 3}
    )
    result = run_table(short, Surroundings(corpora), cache)
    nb, pcnb, em, pcem = (row.cells["micro"].ours for row in result.parts[0].rows)
    assert pcnb > nb + 0.04
    assert em > pcnb
    assert pcem > max(em, 0.66)
