from pathlib import Path

import pytest

from classmark.data.sets import find, installed, resolve
from classmark.data.sets.fetch import roots


def dataset(folder: Path, document: str = "docs.jsonl") -> Path:
    folder.mkdir(parents=True)
    (folder / document).write_text('{"text": "an owl"}\n')
    return folder


@pytest.fixture
def first(tmp_path, monkeypatch) -> Path:
    """The folder that CLASSMARK_DATA names."""
    monkeypatch.setenv("CLASSMARK_DATA", str(tmp_path / "first"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))
    return tmp_path / "first"


@pytest.fixture
def second(first, tmp_path, monkeypatch) -> Path:
    """The user's own folder."""
    folder = tmp_path / "share" / "classmark" / "datasets"
    monkeypatch.setattr("classmark.data.sets.fetch.user_data_path", lambda *_, **__: folder.parent)
    return folder


class TestRoots:
    def test_the_variable_comes_first(self, first, second):
        assert roots() == [first, second]

    @pytest.mark.parametrize("value", [None, ""])
    def test_without_the_variable(self, first, second, monkeypatch, value):
        monkeypatch.delenv("CLASSMARK_DATA") if value is None else monkeypatch.setenv("CLASSMARK_DATA", value)
        assert roots() == [second]


class TestFind:
    def test_in_either_folder(self, first, second):
        owls, gulls = dataset(first / "owls"), dataset(second / "gulls", "docs.jsonl.gz")
        assert (find("owls"), find("gulls")) == (owls, gulls)

    def test_the_variable_s_folder_is_looked_in_first(self, first, second):
        dataset(second / "owls")
        owls = dataset(first / "owls")
        assert find("owls") == owls
        assert installed() == {"owls": owls}

    def test_only_dataset_folders_count(self, first, second):
        (first / "empty").mkdir(parents=True)
        (first / "file").write_text("")
        dataset(first / ".owls.1234.tmp")
        assert installed() == {}

    def test_nothing_there(self, first, second):
        with pytest.raises(FileNotFoundError, match=r"owls: no such dataset.*none"):
            find("owls")

    def test_the_error_lists_what_there_is(self, first, second):
        dataset(first / "owls")
        with pytest.raises(FileNotFoundError, match=r"gulls: no such dataset.*owls; to be had .*newsgroups20"):
            find("gulls")

    def test_the_error_says_how_to_get_it(self, first, second):
        with pytest.raises(FileNotFoundError, match=r"classmark datasets get.*1v2 gets it"):
            find("rcv1v2")

    @pytest.mark.parametrize("name", ["../owls", ".", "..", "", "a/b"])
    def test_a_path_is_no_name(self, first, second, name):
        dataset(first.parent / "owls")
        dataset(first)
        with pytest.raises(FileNotFoundError, match="no such dataset"):
            find(name)


class TestResolve:
    def test_a_name_becomes_its_folder(self, first, second):
        owls = dataset(first / "owls")
        assert resolve("owls") == str(owls)

    def test_a_file_or_folder_that_exists_stays(self, first, second, tmp_path, monkeypatch):
        dataset(first / "owls")
        monkeypatch.chdir(tmp_path)
        Path("owls").mkdir()
        assert resolve("owls") == "owls"

    @pytest.mark.parametrize("data", ["-", "no.csv", "a/b", "/a", "./owls", ""])
    def test_anything_else_stays(self, first, second, data):
        dataset(first / "owls")
        assert resolve(data) == data

    def test_a_corpus_that_is_not_here_yet(self, first, second):
        with pytest.raises(FileNotFoundError, match="newsgroups20: not here yet; classmark datasets get newsgroups20"):
            resolve("newsgroups20")
