import pytest

from classmark import __version__
from classmark.progress import listening
from reproductions import Cache, Surroundings, listing, parse_table, run_table
from reproductions.experiments import EXPERIMENTS
from reproductions.runner import needed
from tests.reproductions.toys import TABLE, with_change


def verdicts(result):
    return [[cell.verdict for cell in row.cells.values()] for part in result.parts for row in part.rows]


def test_every_row_is_run_and_judged(table, surroundings, cache):
    result = run_table(table, surroundings, cache, name=("toys", "table_1"))
    # Most frequent is the owl: right for 2 of 4 documents, and for none of the other 3 labels, so F1 = 2·2/(4+5).
    assert result.parts[0].rows[0].cells["micro"].ours == pytest.approx(2 * 2 / (4 + 5))
    assert verdicts(result) == [["below", "within"], ["within", "no claim"], ["no claim"]]
    assert result.counts == {"within": 2, "above": 0, "below": 1, "not run": 0, "no claim": 2}
    assert (result.paper, result.table, result.version, result.seed) == ("toys", "table_1", __version__, 0)


def test_a_second_run_measures_nothing(table, surroundings, cache, monkeypatch):
    first = run_table(table, surroundings, cache)
    monkeypatch.setattr("reproductions.experiments.learning.learn", lambda *_: pytest.fail("it trained"))
    assert run_table(table, surroundings, cache) == first
    with pytest.raises(pytest.fail.Exception, match="it trained"):
        run_table(table, surroundings, Cache(cache.folder, fresh=True))
    with pytest.raises(pytest.fail.Exception, match="it trained"):
        run_table(table, Surroundings(surroundings.data, seed=1), cache)


def test_a_run_that_was_stopped_goes_on(table, surroundings, cache):
    def stop(what, done, total):
        if what == "conditions" and done == 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), listening(stop):
        run_table(table, surroundings, cache)
    assert len(list(cache.folder.iterdir())) == 1
    run_table(table, surroundings, cache)
    assert len(list(cache.folder.iterdir())) == 3


def test_progress_counts_fits(table, surroundings, cache):
    heard = []
    with listening(lambda *said: heard.append(said)):
        run_table(table, surroundings, cache)
    assert [(done, total) for what, done, total in heard if what == "conditions"] == [(i, 3) for i in range(4)]


def test_without_the_corpus_nothing_is_run_and_it_says_why(table, cache):
    result = run_table(table, Surroundings(), cache)
    assert verdicts(result) == [["not run", "not run"], ["not run", "no claim"], ["no claim"]]
    assert all("needs the corpus animals" in row.missing for part in result.parts for row in part.rows)
    assert not cache.folder.exists()


def test_a_quick_run_leaves_rows_out(table, surroundings, cache):
    result = run_table(table, surroundings, cache, quick=True)
    assert result.quick
    assert [row.missing for part in result.parts for row in part.rows] == [
        None,
        None,
        "a quick run goes up to settings.C = 1",
    ]
    assert result.parts[1].rows[1].cells["micro"].ours is None


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('experiment = "method"', 'experiment = "magic"', "unknown experiment 'magic'.*method"),
        ('corpus = "animals"', 'corpora = "animals"', "a condition of the experiment 'method': .*corpora"),
        ("C = 10", "C = -10", "setting C=-10: must be a number > 0"),
        ('method = "linear-svm"', 'method = "nonsense"', "unknown method 'nonsense'"),
        ('method = "linear-svm"', 'method = "linear-svm", selection = "luck"', "unknown selection 'luck'"),
        ('method = "linear-svm"', 'method = "linear-svm", decision = "luck"', "unknown decision 'luck'"),
    ],
)
def test_conditions_are_checked_before_anything_is_run(surroundings, cache, old, new, words):
    with pytest.raises(ValueError, match=words):
        run_table(parse_table(with_change(TABLE, old, new)), surroundings, cache)
    assert not cache.folder.exists()


def test_the_corpora_a_table_needs(table, surroundings):
    assert needed(table) == ["animals"]
    corpora = {paper.paper: paper.tables[0].corpora for paper in listing(surroundings)}["treeboost_mh_2006"]
    assert list(corpora) == ["reuters90", "rcv1v2", "rcv1v2_sample"]
    assert corpora["rcv1v2"].endswith("gets it")


def test_every_kind_of_experiment_has_the_parameter_that_varies():
    assert EXPERIMENTS
    for experiment in EXPERIMENTS.values():
        assert experiment.varying is None or experiment.varying in experiment.parameters.__struct_fields__
