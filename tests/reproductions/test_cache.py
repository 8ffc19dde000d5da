import pytest

from reproductions import Cache

KEY = {"condition": {"rounds": 5}, "seed": 0}


def test_what_is_kept_is_found_by_the_whole_key(cache):
    cache.keep(KEY, {"hf": 0.1 + 0.2})
    assert cache.find(KEY) == {"hf": 0.1 + 0.2}
    assert cache.find(dict(reversed(KEY.items()))) == {"hf": 0.1 + 0.2}
    assert cache.find(KEY | {"seed": 1}) is None
    assert Cache(cache.folder).find(KEY) == {"hf": 0.1 + 0.2}


def test_nothing_is_made_before_there_is_something_to_keep(cache):
    assert cache.find(KEY) is None
    assert not cache.folder.exists()


def test_fresh_believes_nothing_and_replaces(cache):
    cache.keep(KEY, {"hf": 0.3})
    fresh = Cache(cache.folder, fresh=True)
    assert fresh.find(KEY) is None
    fresh.keep(KEY, {"hf": 0.4})
    assert cache.find(KEY) == {"hf": 0.4}


@pytest.mark.parametrize("contents", [b"", b'{"hf": 0.', b"[1]", b"\xff"])
def test_a_damaged_file_counts_as_none(cache, contents):
    cache.keep(KEY, {"hf": 0.3})
    (file,) = cache.folder.iterdir()
    file.write_bytes(contents)
    assert cache.find(KEY) is None


def test_a_folder_that_cannot_be_written_is_refused(tmp_path):
    Cache(tmp_path / "new" / "folder").check()
    (tmp_path / "file").touch()
    with pytest.raises(NotADirectoryError, match="file: not a folder; keep measured values in another one"):
        Cache(tmp_path / "file" / "folder").check()


def test_a_folder_without_permission_is_refused(cache, monkeypatch):
    monkeypatch.setattr("os.access", lambda *_: False)  # root may write anywhere
    with pytest.raises(PermissionError, match="not writable; keep measured values in another folder"):
        cache.check()
