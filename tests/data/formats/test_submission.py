"""The submission file of LSHTC."""

import pytest

from classmark.data.formats.submission import write_submission


def test_documents_are_numbered_in_order(tmp_path):
    assert write_submission(tmp_path / "out.csv", iter([["10", "2"], [], ["7"]])) == 3
    assert (tmp_path / "out.csv").read_text() == "Id,Predicted\n1,10 2\n2,\n3,7\n"


@pytest.mark.parametrize("label", ["two words", "a,b", "", "line\nbreak"])
def test_a_label_that_would_split_is_refused_and_nothing_is_written(tmp_path, label):
    with pytest.raises(ValueError, match="of document 2 has a space or comma in it, or nothing"):
        write_submission(tmp_path / "out.csv", [["1"], [label]])
    assert not list(tmp_path.iterdir())
