import pytest
from hypothesis import given
from hypothesis import strategies as st

from reproductions.tables import parse_table
from reproductions.verdicts import VERDICTS, judge, part_results
from tests.reproductions.toys import TABLE


@pytest.mark.parametrize(
    ("reported", "ours", "tolerance", "verdict"),
    [
        (0.5, 0.52, 0.02, "within"),  # .52 - .5 is a little over .02 in binary
        (0.5, 0.48, 0.02, "within"),
        (0.5, 0.521, 0.02, "above"),
        (0.5, 0.479, 0.02, "below"),
        (0.5, 0.5, 0.0, "within"),
        (0.5, 0.9, None, "no claim"),
        (0.5, None, 0.02, "not run"),
        (0.5, None, None, "no claim"),
    ],
)
def test_by_hand(reported, ours, tolerance, verdict):
    cell = judge(reported, ours, tolerance)
    assert cell.verdict == verdict
    assert cell.difference == (None if ours is None else ours - reported)


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 0.1))
def test_a_verdict_says_on_which_side_a_figure_lies(reported, ours, tolerance):
    cell = judge(reported, ours, tolerance)
    assert cell.verdict in VERDICTS
    assert {"within": 0, "above": 1, "below": -1}[cell.verdict] * (ours - reported) >= 0
    assert (cell.verdict == "within") == (abs(ours - reported) <= tolerance + 1e-12)


class TestRatios:
    @pytest.fixture
    def results(self):
        text = TABLE.replace('title = "SVM"', 'title = "SVM"\nagainst = "majority"')
        text = text.replace("at = {}, reported = { micro = 0.5, hf = 0.5 }", AT_MAJORITY)
        table = parse_table(text.replace("{ micro = 1.0 }", "{ micro = 1.0, time = 0.5 }"))
        measured = {(0, 0): {"train_seconds": 2.0}, (1, 0): {"train_seconds": 3.0}, (1, 1): {"train_seconds": 5.0}}
        return part_results(table, measured, {})

    def test_a_ratio_is_to_the_row_with_the_same_entries(self, results):
        cell = results[1].rows[0].cells["time"]
        assert cell.reported == 6.0 / 4.0
        assert cell.ours == 3.0 / 2.0
        assert cell.verdict == "within"

    def test_a_row_without_such_a_row_and_the_base_itself_have_none(self, results):
        assert "time" not in results[1].rows[1].cells
        assert "time" not in results[0].rows[0].cells


AT_MAJORITY = 'at = { method = "majority" }, reported = { micro = 0.5, time = 6.0 }'


def test_a_row_without_verdict_makes_no_claim(table):
    measured = {(1, 0): {"leaves.micro_f1": 0.1}, (1, 1): {"leaves.micro_f1": 0.1}}
    first, second = part_results(table, measured, {})[1].rows
    assert first.cells["micro"].verdict == "within"
    assert second.cells["micro"].verdict == "no claim"
    assert second.at == {"method": "linear-svm", "settings.C": 10}
