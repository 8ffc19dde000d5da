import re

import pytest

from classmark.data.sets import CATALOGUE
from classmark.data.sets.catalogue import source_of
from classmark.data.sets.fetch import NAME, check_address
from classmark.data.sets.source import RemoteFile, Source, pick

FILES = [file for source in CATALOGUE.values() for file in source.files]


def test_there_are_files():
    assert len(FILES) > 5


@pytest.mark.parametrize("source", CATALOGUE.values(), ids=list(CATALOGUE))
class TestEntries:
    def test_name(self, source):
        assert NAME.fullmatch(source.name)
        assert source_of(source.name) is source

    def test_everything_is_said_in_a_line(self, source):
        for text in (source.title, source.terms, source.notes, source.by_hand or "-"):
            assert text == " ".join(text.split())
            assert text

    def test_it_can_be_got(self, source):
        assert source.files or source.by_hand

    def test_file_names_are_distinct(self, source):
        assert len({file.name for file in source.files}) == len(source.files)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_addresses_sizes_and_checksums(file):
    for address in (file.url, *file.mirrors):
        check_address(address)
    assert file.sha256 is None or re.fullmatch("[0-9a-f]{64}", file.sha256)
    assert file.size is None or file.size > 0


def test_checksum_of_20_newsgroups_is_scikit_learn_s():
    from sklearn.datasets import _twenty_newsgroups as peer

    (file,) = CATALOGUE["newsgroups20"].files
    assert (file.url, file.sha256, file.name) == (peer.ARCHIVE.url, peer.ARCHIVE.checksum, peer.ARCHIVE.filename)


def test_checksum_of_the_topics_of_rcv1_is_scikit_learn_s():
    from sklearn.datasets import _rcv1 as peer

    topics = next(file for file in CATALOGUE["rcv1v2"].files if "qrels" in file.name)
    assert (topics.url, topics.sha256) == (peer.TOPICS_METADATA.url, peer.TOPICS_METADATA.checksum)


class TestSource:
    def test_size_is_the_sum_of_the_known_sizes(self):
        files = tuple(RemoteFile(f"https://example.org/{size}", size) for size in (1, 2, None))
        assert Source("a", "a", files, "", lambda _, __: None, "").size == 3
        assert Source("a", "a", files[2:], "", lambda _, __: None, "").size is None

    def test_an_address_without_a_name(self):
        with pytest.raises(ValueError, match="ends in no file name"):
            RemoteFile("https://example.org/")

    def test_nothing_to_pick(self):
        with pytest.raises(ValueError, match=r"no file called \*\.sgm or \*\.xml"):
            pick([], "*.sgm", "*.xml")
