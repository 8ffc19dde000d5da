import pytest

from classmark.server.settings import ServerSettings


def test_settings_batches_that_is_a_file_is_rejected(tmp_path):
    file = tmp_path / "notes.txt"
    file.touch()
    with pytest.raises(ValueError, match=f"--batches {file}: not a folder"):
        ServerSettings(models={"birds": "birds.classmark"}, batches=str(file)).check()
    (tmp_path / "store.sqlite.batches").touch()
    with pytest.raises(ValueError, match=r"store\.sqlite\.batches: not a folder"):
        ServerSettings(models={"birds": "birds.classmark"}, store=str(tmp_path / "store.sqlite")).check()
    for folder in (tmp_path, tmp_path / "missing"):
        ServerSettings(models={"birds": "birds.classmark"}, batches=str(folder)).check()
