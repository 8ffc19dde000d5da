import zipfile

import pytest

from classmark.data import read_corpus
from classmark.data.sets import get

TRAIN = "Data\n545, 32 8:1 18:2\n67 1:3\n32,99 8:1\n"
TEST = "Data\n0 8:1\n0 2:5 3:1\n"
EDGES = "897 67\n897 32\n67 545\n1 897\n545 897\n"


def pack(path, **files: str):
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)


@pytest.fixture
def raw(tmp_path):
    """The three archives as Kaggle has them, beside one of its others."""
    folder = tmp_path / "raw"
    folder.mkdir()
    pack(folder / "train.zip", **{"train.csv": TRAIN})
    pack(folder / "test.zip", **{"test.csv": TEST})
    pack(folder / "hierarchy.zip", **{"hierarchy.txt": EDGES})
    pack(folder / "train-remapped.zip", **{"train-remapped.csv": "garbage"})
    return folder


def test_articles_labels_splits_and_hierarchy(raw, tmp_path):
    with pytest.warns(UserWarning, match=r"the hierarchy has cycles: left out 1 edge\(s\), such as 545 → 897"):
        folder = get("lshtc", given=raw, to=tmp_path / "made").folder
    corpus = read_corpus(folder)
    assert corpus.ids == ["train-1", "train-2", "train-3", "test-1", "test-2"]
    assert corpus.splits == ["train"] * 3 + ["test"] * 2
    assert corpus.labels == [["545", "32"], ["67"], ["32", "99"], None, None]
    assert corpus.documents[0] == {"8": 1.0, "18": 2.0}
    assert corpus.hierarchy.paths("545") == [("1", "897", "67", "545")]
    assert corpus.hierarchy.paths("99") == [("99",)], "the hierarchy lacks it"


def test_one_archive_of_archives(raw, tmp_path):
    with zipfile.ZipFile(tmp_path / "lshtc.zip", "w") as archive:
        for file in sorted(raw.iterdir()):
            archive.write(file, file.name)
            file.unlink()
    (tmp_path / "lshtc.zip").rename(raw / "lshtc.zip")
    with pytest.warns(UserWarning, match="cycles"):
        folder = get("lshtc", given=raw, to=tmp_path / "made").folder
    assert len(read_corpus(folder)) == 5


def test_a_hierarchy_without_cycles_says_nothing(raw, tmp_path):
    pack(raw / "hierarchy.zip", **{"hierarchy.txt": "897 67\n897 32\n67 545\n"})
    assert get("lshtc", given=raw, to=tmp_path / "made").is_new


def test_a_bad_line(raw, tmp_path):
    pack(raw / "hierarchy.zip", **{"hierarchy.txt": "897 67\n897\n"})
    with pytest.raises(ValueError, match=r"hierarchy\.txt:2: '897' is not a parent and a child"):
        get("lshtc", given=raw, to=tmp_path / "made")


def test_a_file_that_is_missing(raw, tmp_path):
    (raw / "test.zip").unlink()
    with pytest.raises(ValueError, match=r"no file called test or test\.csv or test\.txt"):
        get("lshtc", given=raw, to=tmp_path / "made")
