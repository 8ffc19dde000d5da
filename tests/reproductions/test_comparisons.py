"""What papers say about significance, against the same test done by hand and by an independent twin."""

from math import sqrt

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reproductions import counted, find_tables, grid, parse_table, remarks, run_table
from reproductions.verdicts import part_results
from tests.oracles import significance
from tests.reproductions.toys import repeated, with_change

TABLE = repeated(
    "Significance",
    4,
    """
[[parts]]
title = "one"
tolerance = { micro = 1.0 }
compared = { measures = ["micro"], at = { method = "pcnb" } }
rows = [
    { at = { method = "majority" }, reported = { micro = 0.3 }, below = { micro = 0.08 } },
    { at = { method = "nb" }, reported = { micro = 0.4 } },
    { at = { method = "pcnb" }, reported = { micro = 0.5 } },
]

[[parts]]
title = "other"
condition = { training = 7 }
compared = { measures = ["micro"], part = "one", below = { micro = 0.01 } }
rows = [{ at = { method = "nb" }, reported = { micro = 0.4 } }]
""",
)


def figures(values, first=100):
    """What is kept of the figures of some seeds."""
    seeds = {f"micro_f1.seed-{first + number}": value for number, value in enumerate(values)}
    return {"micro_f1": sum(values) / len(values), **seeds}


def compared(majority, pcnb, text=TABLE):
    results = part_results(parse_table(text), {(0, 0): majority, (0, 2): pcnb}, {})
    return results[0].rows[0].cells["micro"].compared


def test_by_hand():
    # The differences are −1, −2 and −3: t = −2 / (1 / √3), and with 2 degrees of freedom p = 1 − t / √(2 + t²).
    found = compared(figures([2, 2, 5]), figures([3, 4, 8]))
    assert (found.difference, found.repetitions, found.below) == (-2, 3, 0.08)
    assert found.p_value == pytest.approx(1 - sqrt(12) / sqrt(2 + 12))
    assert found.verdict == "holds"  # .0742 is below .08, and the paper has it on this side too
    assert compared(figures([2, 2, 5]), figures([3, 4, 8]), TABLE.replace("0.08", "0.07")).verdict == "does not"


def test_the_other_side_does_not_hold():
    assert compared(figures([3, 4, 8]), figures([2, 2, 5])).verdict == "does not"


def test_the_same_seeds_belong_together():
    # Seeds 101 to 103 are common, and their differences −1, −2, −3; the first and the last are alone.
    found = compared(figures([9, 2, 2, 5]), figures([3, 4, 8, 0], first=101))
    assert (found.difference, found.repetitions) == (-2, 3)


@pytest.mark.parametrize("kept", [{}, {"micro_f1": 0.5}, figures([0.5])])
def test_without_two_repetitions_there_is_no_p_value(kept):
    found = compared(kept, figures([1, 2, 3]))
    assert (found.p_value, found.difference, found.verdict) == (None, None, "not run")


FIGURES = st.lists(st.tuples(st.integers(0, 1000), st.integers(0, 1000)), min_size=2, max_size=30)


@settings(max_examples=60)
@given(FIGURES.filter(lambda pairs: len({one - other for one, other in pairs}) > 1))
def test_against_an_independent_twin(pairs):
    first, second = ([value / 1000 for value in side] for side in zip(*pairs, strict=True))
    mean, p_value = significance.paired(first, second)
    found = compared(figures(first), figures(second))
    assert found.difference == pytest.approx(mean, abs=1e-12)
    assert found.p_value == pytest.approx(p_value, rel=1e-6, abs=1e-12)
    if abs(p_value - 0.08) > 1e-6 and abs(mean) > 1e-9:
        assert found.verdict == ("holds" if p_value < 0.08 and mean < 0 else "does not")


def test_a_run_prints_p_values_beside_verdicts(surroundings, cache):
    result = run_table(parse_table(TABLE), surroundings, cache)
    header, majority, nb, pcnb = grid(result, result.parts[0])
    claim = ["micro-F1: reported", "ours", "difference", "verdict"]
    assert header == ["method", *claim, "p: reported", "ours", "verdict"]
    assert (majority[5], majority[7]) == ("< 0.08", result.parts[0].rows[0].cells["micro"].compared.verdict)
    assert majority[6].startswith(("0.", "1.", "< 0.0001"))
    assert (nb[5], nb[7]) == ("–", "no claim")
    assert pcnb[5:] == ["–", "–", "–"]
    # Without a tolerance there is no claim about significance either.
    assert grid(result, result.parts[1])[0] == ["method", "micro-F1: reported", "ours", "p: reported", "ours"]
    assert remarks(result, result.parts[0]) == ["p: two-sided paired t-test over the repetitions, against method pcnb"]
    assert remarks(result, result.parts[1]) == ["p: two-sided paired t-test over the repetitions, against one"]
    assert sum(result.significance.values()) == 1
    assert counted(result).endswith("of 1 significances hold")
    assert run_table(parse_table(TABLE), surroundings, cache) == result
    quick = run_table(parse_table(TABLE), surroundings, cache, quick=True)
    assert grid(quick, quick.parts[0])[1][5:] == ["< 0.08", "–", "not run"]


def test_values_kept_without_their_repetitions_are_measured_again(surroundings, cache, monkeypatch):
    with monkeypatch.context() as before:
        before.setattr("reproductions.runner.KEPT", 1)
        before.setattr(
            "reproductions.experiments.few_labels.over_repetitions",
            lambda found: dict(next(iter(found.values()))),
        )
        old = run_table(parse_table(TABLE), surroundings, cache)
    assert old.parts[0].rows[0].cells["micro"].compared.p_value is None
    new = run_table(parse_table(TABLE), surroundings, cache)
    assert new.parts[0].rows[0].cells["micro"].compared.p_value is not None


@pytest.mark.parametrize("old", ['measures = ["micro"], part', "below = { micro = 0.08 }"])
def test_figures_that_are_no_measures(old):
    with pytest.raises(ValueError, match=r"has the figure 'luck',.*no measure"):
        parse_table(with_change(TABLE, old, old.replace("micro", "luck")))


def test_a_part_that_is_not_there():
    with pytest.raises(ValueError, match=r"the part 'other' stands against 'none',.*no part"):
        parse_table(with_change(TABLE, 'part = "one"', 'part = "none"'))


class TestPapers:
    def test_the_marks_of_the_path_table(self):
        table = find_tables("path_prediction_2019", "2")["table_2"]
        marks = {
            part.title: [tuple(row.below.get(name) for name in ("micro", "macro")) for row in part.rows[:13]]
            for part in table.parts
        }
        strong, weak, none = (0.001, 0.001), (0.05, 0.05), (None, None)
        assert marks["20 Newsgroups, 1 % labelled"] == [strong] * 8 + [weak] * 4 + [none]
        assert marks["20 Newsgroups, 10 % labelled"] == [none] * 13
        mixed = [strong] * 8 + [weak, (None, 0.05), weak, strong, none]
        assert marks["20 Newsgroups, dataless, 1 % weakly labelled"] == mixed
        assert marks["RCV1, 1 % labelled"] == [strong] * 7 + [(0.001, None), none, none, weak, none, none]

    def test_the_global_approach_is_compared_with_the_others(self):
        table = find_tables("consistent_global_2006")["table_1"]
        for flat, local, best in (table.parts[start : start + 3] for start in (0, 3, 6)):
            assert flat.compared.part == local.compared.part == best.title
            assert (flat.compared.below, local.compared.below, best.compared) == ({"hf": 0.01}, {}, None)
