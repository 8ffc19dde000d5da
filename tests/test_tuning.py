"""Finding settings: the cut, the searches, the record that is taken up again, the table and the plot."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from classmark import Hierarchy, TextClassifier
from classmark.data import Corpus
from classmark.metrics import hf_score
from classmark.registry import find_method
from classmark.tuning import Record, Trial, TuningProblem, plot_trials, table_of_trials, tune, validation_cut
from classmark.tuning.search import check_space, coordinates, halving
from tests.encoders import NEEDS, settings_for

TREE = Hierarchy.from_nested({"animal": ["owl", "gull"], "plant": ["oak"]})
WORDS = {"owl": "hoots night", "gull": "sea cries", "oak": "acorns grow"}


def corpus(size=30):
    random = np.random.default_rng(0)
    labels = [list(WORDS)[i % 3] for i in range(size)]
    # Two words of the category, and one of any: neighbours are right most of the time.
    texts = [f"{WORDS[label]} {' '.join(random.choice(' '.join(WORDS.values()).split(), 2))}" for label in labels]
    ids = [str(i) for i in range(size)]
    return Corpus(ids, texts, [[label] for label in labels], [None] * size, TREE, "three kinds")


class Counted:
    """A search space whose scores are known, and which counts what it was asked."""

    def __init__(self, score):
        self.score, self.asked = score, []

    def __call__(self, several):
        self.asked += several
        return [Trial(settings, size or 81, self.score(settings, size), 0.0) for settings, size in several]


class TestCut:
    @given(st.lists(st.sets(st.integers(0, 4), max_size=2), min_size=1, max_size=20), st.integers(0, 20))
    def test_every_label_is_left_to_learn_from(self, sets, size):
        labels = csr_array(np.array([[label in one for label in range(5)] for one in sets]))
        learned, held_out = validation_cut(labels, size)
        assert sorted([*learned, *held_out]) == list(range(len(sets)))
        assert len(held_out) <= size
        assert set(labels[learned].indices) == set(labels.indices)

    def test_a_seed_is_a_cut(self):
        labels = csr_array(np.ones((50, 1)))
        first, again, other = (validation_cut(labels, 10, seed)[1].tolist() for seed in (1, 1, 2))
        assert first == again != other
        assert len(first) == 10

    def test_a_tenth_and_at_most_3000(self):
        assert TuningProblem(corpus(), "knn-bm25").held_out.size == 3
        assert TuningProblem(corpus(), "knn-bm25", size=7).held_out.size == 7


class TestSearch:
    def test_coordinates_change_one_setting_at_a_time(self):
        # The best is k = 2, a = 3; the second round finds nothing better, and is the last.
        run = Counted(lambda settings, _: -abs(settings.get("k", 1) - 2) - abs(settings.get("a", 1) - 3))
        best = coordinates({"k": [1, 2, 3], "a": [1, 3]}, {}, run, rounds=9)
        assert best.settings == {"k": 2, "a": 3}
        assert [settings for settings, _ in run.asked[:6]] == [
            {}, {"k": 1}, {"k": 2}, {"k": 3}, {"k": 2, "a": 1}, {"k": 2, "a": 3},
        ]  # fmt: skip
        assert len(run.asked) == 1 + 2 * 5

    def test_halving_keeps_the_best_third(self):
        run = Counted(lambda settings, _: settings["k"])
        best = halving({"k": list(range(9))}, run, documents=81, n_candidates=9, factor=3, seed=0)
        assert best.settings == {"k": 8}
        sizes = [documents for _, documents in run.asked]
        assert [sizes.count(size) for size in (9, 27, None)] == [9, 3, 1]

    def test_halving_draws_no_combination_twice(self):
        run = Counted(lambda settings, _: 0.0)
        halving({"k": [1, 2], "a": [1, 2]}, run, documents=81, n_candidates=99, factor=2, seed=0)
        first = [tuple(settings.items()) for settings, documents in run.asked if documents == 81 // 4]
        assert len(first) == len(set(first)) == 4

    @pytest.mark.parametrize("search", ["coordinates", "halving"])
    def test_the_best_is_the_best_of_those_on_all_documents(self, search):
        problem = TuningProblem(corpus(), "knn-bm25", size=9, measure="first-mean")
        best, trials = tune(problem, {"k": [1, 3], "alpha": [1.0, 2.0]}, search=search, n_candidates=4, factor=2)
        whole = [trial for trial in trials if trial.documents == problem.learned.size]
        assert best.score == max(trial.score for trial in whole)
        assert all(0 <= trial.score <= 1 for trial in trials)
        assert len({trial.key for trial in trials}) == len(trials)

    @pytest.mark.parametrize("measure", ["first", "first-hf", "hf", "micro-f1", "macro-f1", "cosine"])
    def test_all_measures_of_right_answers_are_1(self, measure):
        rows = corpus()
        clear = Corpus(rows.ids, [WORDS[one] for (one,) in rows.labels], rows.labels, rows.splits, TREE, "clear")
        problem = TuningProblem(clear, "knn-bm25", measure=measure, size=15)
        assert problem.trial({}).score == pytest.approx(1)
        # One term alone tells one category from two.
        assert problem.trial({"max_features": 1}).score < 1

    def test_text_settings_and_fixed_ones_count(self):
        problem = TuningProblem(corpus(), "knn-bm25", fixed={"ngrams": 2, "k": 1}, size=5)
        _, trials = tune(problem, {"stemmer": ["none", "porter"]}, rounds=1)
        assert [trial.settings for trial in trials] == [{}, {"stemmer": "none"}, {"stemmer": "porter"}]
        assert len(problem._texts) == 2

    @pytest.mark.parametrize("settings", [{}, {"headers": "subject"}, {"ngrams": 1}, {"sublinear": False, "C": 0.1}])
    @pytest.mark.parametrize("method", ["linear-svm", "nb"])
    def test_a_trial_measures_what_is_trained(self, method, settings):
        """The headers alone tell the categories here: whoever reads them is always right."""
        rows = corpus(60)
        noise = np.random.default_rng(1).permutation(rows.labels)
        mails = [
            f"From: {label}\nSubject: {WORDS[other]}\n\n{WORDS[other]} {text}"
            for text, (label,), (other,) in zip(rows.documents, rows.labels, noise, strict=True)
        ]
        rows = Corpus(rows.ids, mails, rows.labels, rows.splits, TREE, "mails")
        settings = {name: value for name, value in settings.items() if method == "linear-svm" or name != "C"}
        problem = TuningProblem(rows, method, fixed=settings, size=20)
        learned, asked = rows.take(problem.learned.tolist()), rows.take(problem.held_out.tolist())
        model = TextClassifier(method, settings=settings, hierarchy=TREE).fit(learned.documents, learned.labels)
        assert problem.trial({}).score == pytest.approx(model.score(asked.documents, asked.labels))
        assert problem.trial({"headers": "keep"}).score > problem.trial({"headers": "subject"}).score

    @pytest.mark.parametrize("method", ["linear-svm", "logistic", "global-svm", "hiercost", "topdown-svm"])
    def test_how_text_is_read_and_inner_nodes_learn_is_looked_through(self, method):
        assert {"ngrams", "stop_words", "stemmer", "sublinear"} <= set(find_method(method).tried)
        check_space(method, find_method(method).tried)

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            ({"space": {"k": ["many"]}}, r"setting k=many: must be.*integer >= 1"),
            ({"space": {"size": [1]}}, "method 'knn-bm25' has no setting 'size'"),
            ({"space": {}}, "nothing to tune: say which values the settings of knn-bm25 may have"),
            ({"space": {"k": []}}, "setting k has no values to try"),
            ({"search": "luck"}, r"unknown search 'luck'.*coordinates, halving"),
            ({"factor": 1}, "factor=1: give rounds and n_candidates from 1, factor from 2"),
        ],
    )
    def test_what_cannot_be_tuned_is_said(self, arguments, message):
        with pytest.raises(ValueError, match=message):
            tune(TuningProblem(corpus(), "knn-bm25"), **arguments)

    def test_what_cannot_be_cut_is_said(self):
        with pytest.raises(ValueError, match=r"unknown measure 'luck'.*micro-f1"):
            TuningProblem(corpus(), "knn-bm25", measure="luck")
        with pytest.raises(ValueError, match="three kinds: 1 labelled document"):
            TuningProblem(corpus(1), "knn-bm25")
        with pytest.raises(ValueError, match="every document has a label that no other has"):
            TuningProblem(corpus(3), "knn-bm25")


class TestRecord:
    def test_a_search_goes_on_where_it_was(self, tmp_path, monkeypatch):
        problem = TuningProblem(corpus(), "knn-bm25", size=9)
        path, space = tmp_path / "trials", {"k": [1, 3, 5], "thresholds": ["1", "1/0.5"]}
        expected, trials = tune(problem, space, record=Record(path, problem.fingerprint()))
        lines = path.read_bytes().splitlines(keepends=True)
        # Interrupted in the middle of writing the fourth trial.
        path.write_bytes(b"".join(lines[:4]) + lines[4][:9])
        asked = []
        run = TuningProblem.trial
        monkeypatch.setattr(TuningProblem, "trial", lambda self, *given: asked.append(given[0]) or run(self, *given))
        again, others = tune(problem, space, record=Record(path, problem.fingerprint()))
        assert (again.settings, again.score) == (expected.settings, expected.score)
        assert [trial.settings for trial in others] == [trial.settings for trial in trials]
        assert len(asked) == len(trials) - 3
        assert len(path.read_bytes().splitlines()) == len(lines)

    def test_programming_error_in_a_trial_is_raised_and_not_recorded(self, tmp_path, monkeypatch):
        problem, path = TuningProblem(corpus(), "nb", size=9), tmp_path / "trials"
        with monkeypatch.context() as patched:
            patched.setattr("classmark.generative.base.label_weights", lambda _: int("four"))
            with pytest.raises(ValueError, match="invalid literal for int"):
                tune(problem, {"smoothing": [0.5, 1.0]}, record=Record(path, problem.fingerprint()))
        assert not Record(path, problem.fingerprint()).trials

    def test_trials_of_something_else_are_refused(self, tmp_path):
        one = TuningProblem(corpus(), "knn-bm25")
        Record(tmp_path / "trials", one.fingerprint())
        for other in (TuningProblem(corpus(), "knn-bm25", seed=1), TuningProblem(corpus(27), "knn-bm25")):
            with pytest.raises(ValueError, match="another search"):
                Record(tmp_path / "trials", other.fingerprint())

    @pytest.mark.parametrize("content", [b"hello\n", b'{"method": 1}\n{"score": "high"}\n', b"no end of line"])
    def test_a_file_that_is_something_else_is_left_alone(self, tmp_path, content):
        (tmp_path / "trials").write_bytes(content)
        with pytest.raises(ValueError, match="not a record of trials"):
            Record(tmp_path / "trials", {"method": 1})
        assert (tmp_path / "trials").read_bytes() == content


class TestShowing:
    TRIALS = (Trial({}, 90, 0.25, 1.0), Trial({"k": 5}, 90, 0.5, 1.0), Trial({"k": None}, 30, 0.75, 1.0))

    def test_a_table(self):
        lines = table_of_trials(self.TRIALS, top=2).splitlines()
        assert lines[2:] == ["| .7500 | 30 | 1.0 | k=none |", "| .5000 | 90 | 1.0 | k=5 |"]
        assert table_of_trials(self.TRIALS).splitlines()[-1] == "| .2500 | 90 | 1.0 | (defaults) |"

    def test_a_plot_is_the_same_every_time(self, tmp_path):
        pytest.importorskip("matplotlib")
        for name in ("one.svg", "two.svg"):
            plot_trials(self.TRIALS, tmp_path / name)
        content = (tmp_path / "one.svg").read_text()
        assert "<svg" in content
        assert len(content) == len((tmp_path / "two.svg").read_text())
        plot_trials(self.TRIALS[:1], tmp_path / "three.png")
        assert (tmp_path / "three.png").read_bytes().startswith(b"\x89PNG")


def test_names_are_learned_from_in_every_trial():
    rows = corpus()
    named = Corpus(rows.ids, [one for (one,) in rows.labels], rows.labels, rows.splits, TREE, "named")
    problem = TuningProblem(named, "knn-overlap", names=True, size=6, measure="first")
    assert problem.extra == ["owl", "gull", "oak"]
    # One document alone, and the names: each is its own name's nearest.
    assert problem.trial({"k": 1}, 1).score == 1
    assert TuningProblem(named, "knn-overlap", size=6, measure="first").trial({"k": 1}, 1).score < 1


@pytest.mark.parametrize("method", ["frozen-encoder", "fine-tuned"])
def test_encoders_are_tuned_as_they_are_trained(method):
    for package in NEEDS[method]:
        pytest.importorskip(package, reason=f"{method} needs {package}")
    problem = TuningProblem(corpus(), method, fixed=settings_for(method))
    settings = {"epochs": 2}
    trial = problem.trial(settings)
    given = [problem.documents[row] for row in problem.learned]
    model = TextClassifier(method, settings=settings_for(method) | settings, hierarchy=TREE)
    model.fit(given, [problem.labels[row] for row in problem.learned])
    held_out = [problem.documents[row] for row in problem.held_out]
    truth = [problem.labels[row] for row in problem.held_out]
    assert trial.score == pytest.approx(hf_score(truth, model.predict(held_out), TREE))
