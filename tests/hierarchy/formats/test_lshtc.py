import pytest

from classmark import Hierarchy
from tests.hierarchy.refusals import assert_refused


def test_ids_become_strings_and_a_node_without_a_parent_is_top_level(tmp_path):
    (tmp_path / "hierarchy.txt").write_text("897 67\n897\t5\n\n  67   8 \n")
    assert Hierarchy.from_lshtc(tmp_path / "hierarchy.txt") == Hierarchy.from_edges(
        [(None, "897"), ("897", "67"), ("897", "5"), ("67", "8")]
    )


def test_a_node_may_have_two_parents(tmp_path):
    (tmp_path / "hierarchy.txt").write_text("1 3\n2 3\n")
    assert not Hierarchy.from_lshtc(tmp_path / "hierarchy.txt").is_tree


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("7", "1 id(s) instead of two"),
        ("1 2 3", "3 id(s) instead of two"),
        ("machine learning\tdeep learning", "names with spaces belong into a .tsv file"),
        ("7 7", "'7' is its own parent"),
    ],
)
def test_bad_lines(tmp_path, line, reason):
    file = tmp_path / "hierarchy.txt"
    file.write_text(f"1 2\n{line}\n")
    assert_refused(Hierarchy.from_lshtc, file, 2, reason)


def test_a_cycle_names_the_file(tmp_path):
    file = tmp_path / "hierarchy.txt"
    file.write_text("1 2\n2 1\n")
    with pytest.raises(ValueError) as caught:
        Hierarchy.from_lshtc(file)
    assert str(caught.value).startswith(f"{file}: the hierarchy has a")
