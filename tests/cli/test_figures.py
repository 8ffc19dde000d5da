import pytest

from classmark.cli.figures import COLUMNS, IN_WORDS, comparison_cells, print_others
from classmark.metrics.table import MEASURES
from classmark.service.comparing import Compared


def compared(figure, p_value, tested):
    """A row of `compare` whose figures all are the same, and tested with the same result."""
    tests = {
        "micro_sign_test": {"wins": 5 + tested, "losses": 5, "p_value": p_value},
        "macro_t_test": {"difference": tested, "p_value": p_value},
        "bootstrap_hf": {"difference": tested, "p_value": p_value},
    }
    return Compared(method="b", significance=tests, **dict.fromkeys(COLUMNS, figure))


@pytest.mark.parametrize("p_value", [0.0, 0.0499, 0.05, 1.0])
@pytest.mark.parametrize("tested", [-1, 0, 1])
@pytest.mark.parametrize("figure", [0.25, 0.5, 0.75])
def test_marks_of_a_comparison(figure, tested, p_value):
    first = Compared(method="a", **dict.fromkeys(COLUMNS, 0.5))
    assert comparison_cells(first, first) == ["a", *["0.500"] * 3, *["0.5"] * 3]
    # Marked only where the figure and the test point the same way: F1 and the sign test may not.
    marks = {(0.75, 1): " ▲", (0.25, -1): " ▼"}
    mark = marks.get((figure, tested), "") if p_value < 0.05 else ""
    cells = comparison_cells(compared(figure, p_value, tested), first)
    assert cells == ["b", *[f"{figure:.3f}{mark}"] * 3, *[f"{figure:.1f}"] * 3]


def test_every_measure_has_a_place_or_is_printed_by_its_name(capsys):
    assert {measure.name for measure in MEASURES} >= set(IN_WORDS)
    print_others({"leaves": {"micro_f1": 0.5}, "new_one": 0.25, "two": {"of_a": 1.0, "kind": 0.0}})
    assert capsys.readouterr().out == "new one 0.250\ntwo of a 1.000, two kind 0.000\n"
