"""Vectors on disk: the same as without, whatever becomes of the files, and never in the user's own folder."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from classmark.progress import hearing
from classmark.text.encoders import cache
from classmark.text.encoders.cache import CachedEncoder, cached, delete_oldest

TEXTS = [f"owl {number}" for number in range(100)]


class Counting:
    """An encoder that remembers how many texts it was given, the probes left out."""

    def __init__(self, more=0.0):
        self.more, self.given = more, 0

    def __call__(self, texts):
        self.given += len(texts) if tuple(texts) != cache.PROBES else 0
        return np.array([[len(text), sum(map(ord, text)) + self.more, 1.0] for text in texts], dtype=np.float32)


@pytest.fixture
def root(tmp_path, monkeypatch):
    monkeypatch.setenv(cache.CACHE, str(tmp_path))
    monkeypatch.setattr(cache, "FEWEST", 10)
    return tmp_path / "vectors"


def shards(root):
    return sorted(root.glob("*/*.vectors"))


def test_a_text_is_encoded_once(root):
    first, second = Counting(), Counting()
    expected = Counting()(TEXTS)
    assert (cached(first)(TEXTS) == expected).all()
    assert (cached(second)(TEXTS[::-1]) == expected[::-1]).all()
    assert (first.given, second.given) == (100, 0)
    more = [*TEXTS[50:], *(f"gull {number}" for number in range(20)), TEXTS[0]]
    assert (cached(second)(more) == Counting()(more)).all()
    assert second.given == 20
    assert len(shards(root)) == 2


def test_one_encoder_finds_what_it_kept_itself(root):
    encode = Counting()
    keeping = cached(encode)
    assert (keeping(TEXTS) == keeping(TEXTS)).all()
    assert encode.given == 100


def test_another_encoder_has_vectors_of_its_own(root):
    cached(Counting())(TEXTS)
    other = Counting(more=1e-3)
    assert (cached(other)(TEXTS) == Counting(more=1e-3)(TEXTS)).all()
    assert other.given == 100


def test_few_texts_are_not_kept(root):
    assert cached(Counting())(TEXTS[:9]).shape == (9, 3)
    assert cached(Counting())([]).shape == (0, 3)
    assert not shards(root)


@pytest.mark.parametrize("at", [0, 20, -1])
def test_a_damaged_shard_is_dropped_and_said(root, at):
    cached(Counting())(TEXTS)
    [shard] = shards(root)
    content = bytearray(shard.read_bytes())
    content[at] ^= 1
    shard.write_bytes(content)
    heard, encode = [], Counting()
    with hearing(heard.append):
        assert (cached(encode)(TEXTS) == Counting()(TEXTS)).all()
    assert encode.given == 100
    assert [str(shard) in line for line in heard] == [True]
    assert shards(root) == [shard]  # written again


def test_a_shard_of_another_width_is_dropped(root, tmp_path):
    keeping = CachedEncoder(Counting(), root)
    keeping.shelf.keep(cache.keys_of(TEXTS), np.zeros((100, 2), dtype=np.float32))
    assert (cached(Counting())(TEXTS) == Counting()(TEXTS)).all()


def test_a_shard_that_another_process_deletes_meanwhile(root):
    encode = Counting()
    keeping = cached(encode)
    keeping(TEXTS)
    shards(root)[0].unlink()
    assert (keeping(TEXTS) == Counting()(TEXTS)).all()
    assert encode.given == 200


def test_a_folder_that_cannot_be_made(root):
    root.write_text("a file in its place")
    heard = []
    with hearing(heard.append):
        keeping = cached(Counting())
        for _ in range(2):
            assert (keeping(TEXTS) == Counting()(TEXTS)).all()
    assert len(heard) == 1
    assert "vectors of texts are not kept" in heard[0]


def test_it_is_turned_off(monkeypatch):
    monkeypatch.setenv(cache.CACHE, "off")
    encode = Counting()
    assert cached(encode) is encode


def test_the_oldest_shards_go_first(root):
    keeping = cached(Counting())
    for place in range(0, 100, 20):
        keeping(TEXTS[place : place + 20])
    ages = {path: path.stat().st_mtime_ns for path in shards(root)}
    newest = sorted(ages, key=ages.get)[-2:]
    delete_oldest(root, sum(path.stat().st_size for path in newest))
    assert shards(root) == sorted(newest)


def test_several_write_at_once(root):
    expected = Counting()(TEXTS)
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: cached(Counting())(TEXTS), range(8)))
    assert all((one == expected).all() for one in found)
    assert len(shards(root)) == 1
    assert [path.name for path in root.rglob("*") if path.is_file()] == [shards(root)[0].name]


def test_texts_that_are_no_unicode(root):
    texts = [f"\ud800 {number}" for number in range(10)]
    assert (cached(Counting())(texts) == cached(Counting())(texts)).all()
