import msgspec
import pytest

from reproductions import TableResult, counted, grid, markdown, plain, remarks, run_table, write_results


@pytest.fixture
def result(table, surroundings, cache):
    return run_table(table, surroundings, cache, quick=True, name=("toys", "table_1"))


def test_a_grid_shows_four_columns_where_there_is_a_claim(result):
    assert grid(result, result.parts[0]) == [
        ["method", "C", *claim("micro-F1"), *claim("hF")],
        # hF: of 4 · 2 predicted and 2 + 2 + 2 + 4 true labels 2 + 1 + 0 + 2 are shared, and 2 · 5 / 18 = .56.
        ["majority", "–", "0.900", "0.444", "-0.456", "below", "0.50", "0.56", "+0.06", "within"],
    ]
    header, first, second = grid(result, result.parts[1])
    assert header == ["method", "C", *claim("micro-F1"), "hF: reported", "ours"]
    assert first[:3] == ["linear-svm", "1", "0.500"]
    assert second == ["linear-svm", "10", "0.500", "–", "–", "no claim", "–", "–"]


def claim(title):
    return [f"{title}: reported", "ours", "difference", "verdict"]


def test_remarks_say_why_and_what_else(result):
    assert remarks(result, result.parts[0]) == []
    assert remarks(result, result.parts[1]) == [
        "not run: a quick run goes up to settings.C = 1",
        "method linear-svm, C 10: as printed",
    ]


def test_counts_in_words(result):
    assert counted(result) == "2 within, 1 below, 2 no claim"


def test_markdown(result):
    text = markdown(result)
    assert text.startswith("---\norphan: true\n---\n\n# Two methods on animals\n\nA. Author, *A Paper*, 2000.\n")
    assert "\n## SVM\n" in text
    assert "`python -m reproductions toys table_1 --quick` with classmark " in text
    assert ", seed 0: 2 within, 1 below, 2 no claim.\n" in text
    assert text.endswith("## Notes\n\n- The numbers are invented.\n")
    tables = [line for line in text.splitlines() if line.startswith("|")]
    assert len(tables) == 3 + 4
    assert {line.count("|") for line in tables[:3]} == {11}


def test_json_comes_back(result, tmp_path):
    page, data = write_results(result, tmp_path)
    assert page.name == "toys_table_1.md"
    assert page.read_text(encoding="utf-8") == markdown(result)
    assert msgspec.json.decode(data.read_bytes()) == plain(result)
    assert msgspec.json.decode(data.read_bytes(), type=TableResult) == result


def test_a_folder_that_is_not_there(result, tmp_path):
    with pytest.raises(FileNotFoundError, match="nowhere: no such folder"):
        write_results(result, tmp_path / "nowhere")
