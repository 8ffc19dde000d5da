import re
import warnings

import numpy as np
import pytest
from scipy.sparse import csr_array

from classmark import (
    BM25KNN,
    AdaBoostMH,
    AdaBoostMHKR,
    BlendClassifier,
    EmbeddingEM,
    FlatClassifier,
    FlatNB,
    Hierarchy,
    HierCost,
    MPBoost,
    PathEM,
    TopDownClassifier,
    TreeBoostMH,
    limits,
)
from classmark.base import HierarchicalClassifier
from classmark.labels import encode
from classmark.limits import Needed, available_memory, check_memory, time_in_words, warn_of_time
from classmark.progress import hearing

X, Y = np.eye(6), list("abcabc")


def test_some_memory_is_there():
    assert 1 << 20 < available_memory() < np.inf


@pytest.mark.parametrize("content", [None, "", "MemTotal: 12 kB\n", "MemAvailable: many\n"])
def test_a_system_that_says_nothing_has_what_the_machine_has(tmp_path, monkeypatch, content):
    file = tmp_path / "meminfo"
    if content is not None:
        file.write_text(content)
    monkeypatch.setattr(limits, "MEMORY_INFO", file)
    assert 1 << 20 < available_memory() < np.inf


def test_a_limit_of_the_process_counts(tmp_path, monkeypatch):
    file = tmp_path / "memory.max"
    monkeypatch.setattr(limits, "LIMITS", (file, tmp_path / "none"))
    file.write_text("12345\n")
    assert available_memory() == 12345
    file.write_text("max\n")
    assert available_memory() > 12345


@pytest.mark.parametrize(
    ("classifier", "what"),
    [
        (FlatClassifier(), "weights of 3 categories × 6 terms"),
        (HierCost(), "weights of 3 categories × 6 terms"),
        (AdaBoostMH(), "a weight for 6 documents × 3 categories"),
        (FlatNB(), "chances of 6 terms × 3 categories"),
        (PathEM(), "chances of 6 terms × 3 categories"),
        (EmbeddingEM(), "shares of 6 documents in 3 categories, and their centres"),
    ],
)
def test_what_there_is_no_memory_for_is_refused_before_it_begins(monkeypatch, classifier, what):
    monkeypatch.setattr(limits, "available_memory", lambda: 10.0)

    def learned(*_):
        raise AssertionError("it has begun")

    monkeypatch.setattr(type(classifier), "learn", learned)
    with pytest.raises(ValueError, match=re.escape(what)) as caught:
        classifier.fit(X, Y)
    assert "knn-bm25" in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("classifier", [BM25KNN(), FlatClassifier(prune=0.01)])
def test_what_takes_no_more_than_documents_is_not(monkeypatch, classifier):
    monkeypatch.setattr(limits, "available_memory", lambda: 10.0)
    assert classifier.fit(X, Y).predict(X).tolist() == Y


def test_the_figure_is_said():
    with pytest.raises(ValueError, match=r"would take 2,048 GiB.*\(all\), and [\d,.]+ GiB are free"):
        check_memory(Needed(2.0**41, "all"))


def test_hours_are_said():
    with pytest.warns(UserWarning, match="many: learning takes about 3 hours; nb and knn-bm25 are faster") as caught:
        warn_of_time(3 * 3600.0, "many")
    assert "memory" not in str(caught[0].message)
    assert "keep fewer terms" not in str(caught[0].message)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_of_time(60.0, "few")


@pytest.mark.parametrize("seconds", [*range(60, 10_000, 100), 86_000, 100_000, 129_599, 200_000])
def test_time_in_words_never_has_one_of_a_plural(seconds):
    assert " 1 " not in time_in_words(float(seconds), "9 documents")


class Slow(HierarchicalClassifier):
    """Would take hours, by what it says."""

    def __init__(self, hierarchy=None, decision=None):
        self.hierarchy = hierarchy
        self.decision = decision

    def work_to_learn(self, X, own):
        return 1e12

    def learn(self, X, own, weight):
        self.size = own.shape


def test_a_fit_says_how_long_it_takes():
    with pytest.warns(UserWarning, match="6 documents, 6 terms, 3 categories: learning takes about 5 hours"):
        Slow().fit(csr_array(X), Y)


SMALL = csr_array(np.eye(3)[[0, 1, 2, 0, 1, 2]].astype(bool))


ONE_EACH = csr_array(np.eye(6))


# A node of 6 documents with 3 children; pivots of one document with one entry. MP-Boost goes through 6 + 6 rows.
@pytest.mark.parametrize(
    ("pivots", "round_"), [("shared", 200 + 3 * (33 + 6 / 6 / 90)), ("own", 1500 + 0.18 * 3 * (6 + 6))]
)
def test_work_of_a_tree_of_boosters_is_nodes_pairs_and_rounds(pivots, round_):
    model = TreeBoostMH(n_estimators=10, pivots=pivots).fit(X, Y)
    assert model.work_to_learn(ONE_EACH, SMALL) == pytest.approx(60_000 + 6 * 3 + 10 * round_)


@pytest.mark.parametrize(
    ("model", "stumps", "round_"),
    [
        (AdaBoostMH(10), 10, 200 + 3 * (33 + 6 / 6 / 90)),
        (AdaBoostMHKR(4, committee="growing,step=1,every=2"), 1 + 1 + 2 + 2, 200 + 3 * (33 + 6 / 6 / 90)),
        (MPBoost(10), 10, 1500 + 0.18 * 3 * (6 + 6)),
    ],
)
def test_work_of_a_booster_is_pairs_and_stumps(model, stumps, round_):
    assert model.fit(X, Y).work_to_learn(ONE_EACH, SMALL) == pytest.approx(6 * 3 + stumps * round_)


def test_a_way_down_counts_its_nodes_and_their_entries():
    tree = Hierarchy.from_paths(["a/x", "a/y", "b"])
    y = ["a/x", "a/y", "b"] * 2
    model = TopDownClassifier(hierarchy=tree).fit(X, y)
    # An entry each, and a document costs as much as 12 more: six for a and b, four of them for x and y.
    found = model.work_to_learn(csr_array(X), encode(y, tree).indicator)
    assert found == pytest.approx(2 * 60_000 + 4 * 20_000 + 13 * (6 * 2 + 4 * 2))


def test_what_is_used_of_a_limit_is_not_free(tmp_path, monkeypatch):
    file = tmp_path / "memory.max"
    monkeypatch.setattr(limits, "LIMITS", (file,))
    file.write_text("1000000\n")
    (tmp_path / "memory.current").write_text("700000\n")
    (tmp_path / "memory.stat").write_text("anon 600000\ninactive_file 100000\n")
    # What the system keeps of files it gives back.
    assert available_memory() == 400000


@pytest.mark.parametrize(
    ("classifier", "bytes_", "what"),
    [
        # Three copies of the weights of 6 × 3 pairs and two answers of each stump, twice; a term of 6 has no row.
        (AdaBoostMH(5), 24 * 18 + 32 * 3 * 5, "a weight for 6 documents × 3 categories"),
        # MP-Boost has two sums for each term that differs and category, and a byte for each pair.
        (
            MPBoost(5),
            25 * 18 + 16 * 18 + 32 * 3 * 5,
            "a weight for 6 documents × 3 categories, and sums for 6 terms",
        ),
        (TreeBoostMH(5), 24 * 18 + 80 * 5 * 3, "a weight for 18 pairs of a document and a child at the largest node"),
        # Every document is labeled: there is nothing to iterate.
        (PathEM(), 8 * 18, "chances of 6 terms × 3 categories"),
        (FlatNB(), 8 * 18, "chances of 6 terms × 3 categories"),
        (BM25KNN(), 16 * 6, "an index of 6 postings"),
        (FlatClassifier(), 8 * 18 + 16 * 6, "weights of 3 categories × 6 terms"),
        # Small weights are dropped: at most all 6 of each category are kept.
        (FlatClassifier(prune=0.1), 26 * 18 + 16 * 6, "weights of 3 categories × 6 terms"),
        # The decision holds five copies of the scores.
        (FlatClassifier(decision="scut,folds=3"), 8 * 18 + 16 * 6 + 5 * 8 * 18, "the decision, from 18 scores"),
    ],
)
def test_an_estimate_learns_nothing(classifier, bytes_, what):
    found = classifier.estimate(X, Y)
    assert (found.documents, found.terms, found.categories) == (6, 6, 3)
    assert (found.bytes, found.what_for) == (bytes_, what)
    assert found.fits
    assert found.seconds > 0
    assert not hasattr(classifier, "hierarchy_")


@pytest.mark.parametrize("committee", ["constant,count=1", "constant,count=2"])
def test_rows_of_tables_are_no_more_than_an_engine_has(committee):
    random = np.random.default_rng(0)
    counts = csr_array((random.random((40, 30)) < random.random(30)).astype(float))
    y = random.integers(4, size=40).tolist()
    model = AdaBoostMHKR(1, committee=committee).fit(counts, y)
    rows = model._rows_of_tables(counts)
    engine = model._engine(counts, csr_array(np.eye(4)[y]), np.ones(40), None)
    there = engine.state.tables.shape[1]
    # Where equal columns are merged, some that differ are taken for equal.
    assert rows == there if committee.endswith("2") else there - 3 <= rows <= there


def test_folds_count():
    once = FlatClassifier().estimate(X, Y).seconds
    assert FlatClassifier(calibration="platt").estimate(X, Y).seconds == pytest.approx(10 * once)
    cut = 6 * 3 * 0.2e-6
    folds = 0.45 * 18 * 2e-6 + 3 * once
    assert FlatClassifier(decision="scut,folds=3").estimate(X, Y).seconds == pytest.approx(folds + cut)
    assert FlatClassifier(decision="scut,on=training").estimate(X, Y).seconds == pytest.approx(once + cut)
    many, lists_ = csr_array(np.tile(X, (5, 1))), [[name] if name != "a" else ["a", "b"] for name in Y * 5]
    plain = FlatClassifier().estimate(many, lists_).seconds
    choosing = 0.45 * 30 * 3 * 2e-6
    assert FlatClassifier(decision="auto").estimate(many, lists_).seconds == pytest.approx(5 * plain + choosing)


def test_what_takes_minutes_is_said_before_it_begins():
    class Minutes(Slow):
        def work_to_learn(self, X, own):
            return 1e10

        def learn(self, X, own, weight):
            heard.append("it begins")

    heard: list[str] = []
    with hearing(heard.append):
        Minutes().fit(csr_array(X), Y)
    assert heard == ["6 documents, 6 terms, 3 categories: learning takes about 3 minutes", "it begins"]


def test_parts_are_estimated_together():
    parts = [("svm", FlatClassifier()), ("nb", FlatNB())]
    found = BlendClassifier(parts).estimate(X, Y)
    scores = 6 * 3 * len(parts)
    fits = sum(part.estimate(X, Y).seconds for _, part in parts)
    assert found.seconds == pytest.approx(fits + 0.45 * scores * 2e-6)
    assert found.what_for == f"{scores} held-out scores of 2 parts"
