import shutil

import pytest

from reproductions import Surroundings
from tests.reproductions.toys import TEST, write_corpus


def test_the_data_folder_comes_before_installed_datasets(data, tmp_path, surroundings):
    write_corpus(tmp_path / "installed" / "animals", {"test": TEST})
    assert surroundings.find("animals") == data / "animals"
    assert Surroundings().find("animals") == tmp_path / "installed" / "animals"
    assert len(surroundings.corpus("animals")) > len(Surroundings().corpus("animals")) == len(TEST)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("animals", None),
        ("docstrings", None),
        ("rcv1v2", "needs the corpus rcv1v2; classmark datasets get rcv1v2 gets it"),
        ("minerals", "needs the corpus minerals: a dataset folder of this name; put it into --data"),
    ],
)
def test_what_is_lacking(surroundings, name, words):
    assert surroundings.lacks(name) == words


def test_a_corpus_in_the_form_of_the_papers_comes_first(data):
    surroundings = Surroundings(data)
    words = "needs the corpus newsgroups20; classmark datasets get newsgroups20-paper gets it"
    assert surroundings.lacks("newsgroups20") == words
    shutil.copytree(data / "animals", data / "newsgroups20")
    assert surroundings.find("newsgroups20") == data / "newsgroups20"
    shutil.copytree(data / "animals", data / "newsgroups20-paper")
    assert surroundings.find("newsgroups20") == data / "newsgroups20-paper"


def test_the_fingerprint_is_that_of_the_contents(data, surroundings):
    first = surroundings.fingerprint("animals")
    shutil.copytree(data / "animals", data / "copy")
    assert Surroundings(data).fingerprint("copy") == first
    with (data / "copy" / "hierarchy.tsv").open("a", encoding="utf-8") as file:
        file.write("plant\telm\n")
    assert Surroundings(data).fingerprint("copy") != first


def test_the_embedded_corpus_has_a_fingerprint(surroundings):
    assert surroundings.fingerprint("docstrings") == Surroundings().fingerprint("docstrings")


def test_only_the_last_thing_made_is_kept(surroundings):
    made = []

    def make():
        made.append(len(made))
        return made[-1]

    assert [surroundings.keep("corpus", key, make) for key in "aabba"] == [0, 0, 1, 1, 2]
    assert surroundings.keep("problem", "a", make) == 3
    assert surroundings.keep("corpus", "a", make) == 2


def test_what_is_refused(tmp_path):
    with pytest.raises(FileNotFoundError, match="nowhere: no such folder"):
        Surroundings(tmp_path / "nowhere")
    with pytest.raises(ValueError, match="jobs=0"):
        Surroundings(jobs=0)
