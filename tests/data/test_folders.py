"""Folders appear whole or not at all."""

import pytest

from classmark.data.formats.output import making


def test_a_folder_replaces_the_one_before(tmp_path):
    target = tmp_path / "birds"
    target.mkdir()
    (target / "old").write_text("gull")
    with making(target) as folder:
        (folder / "new").write_text("owl")
        assert (target / "old").exists()
    assert [file.name for file in target.iterdir()] == ["new"]
    assert list(tmp_path.iterdir()) == [target]


def test_what_goes_wrong_leaves_everything_as_it_was(tmp_path):
    target = tmp_path / "birds"
    target.mkdir()
    (target / "old").write_text("gull")
    with pytest.raises(RuntimeError), making(target) as folder:
        (folder / "new").write_text("owl")
        raise RuntimeError
    assert [file.name for file in target.iterdir()] == ["old"]
    assert list(tmp_path.iterdir()) == [target]
