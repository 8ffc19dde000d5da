import io
import shutil
import warnings
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from classmark.data import read_corpus
from classmark.data.sets import CATALOGUE, Source, find, get
from classmark.data.sets.fetch import CHUNK
from tests.data.sets.archives import POSTS, small_newsgroups, tar_gz


@pytest.fixture(autouse=True)
def root(tmp_path, monkeypatch) -> Path:
    """The folder of datasets, which does not exist yet."""
    monkeypatch.setenv("CLASSMARK_DATA", str(tmp_path / "datasets"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))
    return tmp_path / "datasets"


@pytest.fixture
def newsgroups(site, monkeypatch) -> Source:
    """The catalogue's entry, for a small archive that the server has."""
    source, site.files["20news-bydate.tar.gz"] = small_newsgroups()
    monkeypatch.setitem(CATALOGUE, "newsgroups20", source)
    return source


@pytest.fixture
def by_hand(tmp_path, newsgroups, site) -> Path:
    """A folder with the archive in it, among other things."""
    folder = tmp_path / "by hand"
    folder.mkdir()
    (folder / "20news-bydate.tar.gz").write_bytes(site.files["20news-bydate.tar.gz"])
    (folder / "holiday.zip").write_bytes(b"not our business")
    return folder


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


class TestDownloading:
    def test_get_find_and_read(self, site, newsgroups, root):
        fetched = get("newsgroups20", base_url=site.url)
        assert (fetched.folder, fetched.is_new, fetched.unverified) == (root / "newsgroups20", True, {})
        assert find("newsgroups20") == fetched.folder
        corpus = read_corpus(fetched.folder)
        assert corpus.labels[0] == ["comp.sys.mac.hardware"]
        assert corpus.splits == ["train", "train", "train", "test"]
        assert names(root) == ["newsgroups20"], "neither downloads nor anything half done"
        assert names(fetched.folder) == ["docs.jsonl.gz", "hierarchy.tsv"]

    def test_once_is_enough(self, site, newsgroups):
        get("newsgroups20", base_url=site.url)
        again = get("newsgroups20", base_url=site.url)
        assert not again.is_new
        assert len(site.asked) == 1

    def test_force_makes_it_anew(self, site, newsgroups, root):
        folder = get("newsgroups20", base_url=site.url).folder
        (folder / "docs.jsonl.gz").write_bytes(b"damaged")
        assert get("newsgroups20", force=True, base_url=site.url).is_new
        assert len(read_corpus(folder)) == len(POSTS)
        assert names(root) == ["newsgroups20"]

    def test_force_keeps_the_old_one_where_the_new_one_fails(self, site, newsgroups, root):
        folder = get("newsgroups20", base_url=site.url).folder
        site.files.clear()
        with pytest.raises(OSError, match="404"):
            get("newsgroups20", force=True, base_url=site.url)
        assert len(read_corpus(folder)) == len(POSTS)

    def test_to_another_folder(self, site, newsgroups, tmp_path, root):
        fetched = get("newsgroups20", to=tmp_path / "else" / "where", base_url=site.url)
        assert fetched.folder == tmp_path / "else" / "where" / "newsgroups20"
        assert not root.exists()

    def test_goes_on_after_a_break(self, site, newsgroups, root, monkeypatch):
        # Larger than a chunk, so that something is there when it breaks.
        content = tar_gz({**POSTS, "readme": "".join(map(chr, range(32, 127))) * 9999})
        site.files["20news-bydate.tar.gz"] = content + bytes(3 * CHUNK)
        file = replace(newsgroups.files[0], size=None, sha256=None, mirrors=())
        monkeypatch.setitem(CATALOGUE, "newsgroups20", replace(newsgroups, files=(file,)))
        site.cuts = [2 * CHUNK, 0, 0]
        with pytest.raises(OSError, match="again to go"):
            get("newsgroups20", base_url=site.url)
        assert not (root / "newsgroups20").exists()
        assert "20news-bydate.tar.gz.part" in names(root / ".downloads" / "newsgroups20")
        fetched = get("newsgroups20", base_url=site.url)
        assert site.ranges()[-1] == f"bytes={2 * CHUNK}-"
        assert len(read_corpus(fetched.folder)) == len(POSTS)
        assert list(fetched.unverified) == ["20news-bydate.tar.gz"]
        assert names(root) == ["newsgroups20"]

    def test_what_cannot_be_prepared_is_not_downloaded_twice(self, site, newsgroups, root, monkeypatch):
        def prepare(files: list[Path], folder: Path) -> None:
            (folder / "docs.jsonl").write_text("half")
            raise ValueError("line 7 is bad")

        monkeypatch.setitem(CATALOGUE, "newsgroups20", replace(newsgroups, prepare=prepare))
        for _ in range(2):
            with pytest.raises(ValueError, match="line 7"):
                get("newsgroups20", base_url=site.url)
        assert len(site.asked) == 1
        assert names(root) == [".downloads"]

    def test_an_archive_beyond_its_bound(self, site, newsgroups, root, monkeypatch):
        monkeypatch.setitem(CATALOGUE, "newsgroups20", replace(newsgroups, most_bytes=10))
        with pytest.raises(ValueError, match="holds more than 10 bytes; not unpacked"):
            get("newsgroups20", base_url=site.url)
        assert names(root) == [".downloads"]

    def test_the_downloads_of_another_corpus_stay(self, site, newsgroups, root):
        other = root / ".downloads" / "rcv1v2"
        other.mkdir(parents=True)
        get("newsgroups20", base_url=site.url)
        assert other.is_dir()


class TestRequests:
    def test_unknown_name(self):
        with pytest.raises(ValueError, match=r"'owls'.*not in.*catalogue.*reuters21578, reuters90, newsgroups20"):
            get("owls")

    def test_what_is_there_and_no_dataset_is_left_alone(self, newsgroups, root):
        (root / "newsgroups20").mkdir(parents=True)
        (root / "newsgroups20" / "mine.txt").write_text("keep")
        for force in (False, True):
            with pytest.raises(ValueError, match="already there, and not a dataset; move it away"):
                get("newsgroups20", force=force)
        assert names(root / "newsgroups20") == ["mine.txt"]

    def test_a_corpus_that_only_its_user_can_get(self, root):
        with pytest.raises(ValueError, match=r"lshtc:.*Kaggle account: .*--from FOLDER") as caught:
            get("lshtc")
        assert "\n" not in str(caught.value)
        assert not root.exists()


class TestByHand:
    def test_an_archive(self, by_hand, root):
        before = names(by_hand)
        fetched = get("newsgroups20", given=by_hand)
        assert len(read_corpus(fetched.folder)) == len(POSTS)
        assert names(by_hand) == before
        assert names(root) == ["newsgroups20"]

    def test_unpacked_already(self, by_hand, root):
        shutil.unpack_archive(by_hand / "20news-bydate.tar.gz", by_hand / "deep" / "er", filter="data")
        (by_hand / "20news-bydate.tar.gz").unlink()
        assert len(read_corpus(get("newsgroups20", given=by_hand).folder)) == len(POSTS)

    def test_an_archive_beside_what_is_in_it(self, by_hand):
        shutil.unpack_archive(by_hand / "20news-bydate.tar.gz", by_hand, filter="data")
        assert len(read_corpus(get("newsgroups20", given=by_hand).folder)) == len(POSTS)

    def test_an_archive_in_an_archive(self, by_hand, newsgroups, monkeypatch):
        monkeypatch.setitem(CATALOGUE, "newsgroups20", replace(newsgroups, archives=("all*.zip",)))
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as archive:
            archive.write(by_hand / "20news-bydate.tar.gz", "20news-bydate.tar.gz")
        (by_hand / "20news-bydate.tar.gz").unlink()
        (by_hand / "all (1).zip").write_bytes(packed.getvalue())
        assert len(read_corpus(get("newsgroups20", given=by_hand).folder)) == len(POSTS)

    def test_another_file_than_the_published_one_is_told_of(self, by_hand):
        (by_hand / "20news-bydate.tar.gz").write_bytes(tar_gz(dict(list(POSTS.items())[:2])))
        with pytest.warns(UserWarning, match="its SHA-256 is .* the published one .*; taken as it is"):
            fetched = get("newsgroups20", given=by_hand)
        assert len(read_corpus(fetched.folder)) == 2

    def test_the_published_file_is_not(self, by_hand):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            get("newsgroups20", given=by_hand)

    def test_no_such_folder(self, newsgroups, tmp_path):
        with pytest.raises(FileNotFoundError, match="there is no such folder; give the one that the files"):
            get("newsgroups20", given=tmp_path / "nowhere")

    def test_nothing_of_it_there(self, newsgroups, tmp_path, root):
        (tmp_path / "empty").mkdir()
        with pytest.raises(ValueError, match="no folder called 20news-bydate-train"):
            get("newsgroups20", given=tmp_path / "empty")
        assert names(root) == []
