import hashlib
import random
from pathlib import Path

import pytest

from classmark.data.sets import fetch
from classmark.data.sets.fetch import (
    CHUNK,
    BrokenError,
    DownloadError,
    Version,
    ask,
    check_address,
    checksum,
    download,
    read,
)
from classmark.data.sets.source import RemoteFile
from classmark.progress import listening
from tests.data.sets.server import free_port

CONTENT = random.Random(0).randbytes(5 * CHUNK + 17)
OTHER = random.Random(1).randbytes(5 * CHUNK + 17)
STEPS = [*range(0, len(CONTENT), CHUNK), len(CONTENT)]
SUM = hashlib.sha256(CONTENT).hexdigest()


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / "owls.bin"


@pytest.fixture
def file(site) -> RemoteFile:
    site.files["owls.bin"], site.tags["owls.bin"] = CONTENT, '"first"'
    return RemoteFile(f"{site.url}/owls.bin", len(CONTENT), SUM)


def part_of(target: Path) -> Path:
    return target.with_name("owls.bin.part")


def left_behind(target: Path) -> set[str]:
    return {path.name for path in target.parent.iterdir()} - {target.name}


def interrupted(site, file: RemoteFile, target: Path, after: int) -> None:
    """Leave a part file as a broken connection leaves it."""
    site.cuts = [after]
    with pytest.MonkeyPatch.context() as patch, pytest.raises(OSError, match="the connection ended after"):
        patch.setattr(fetch, "RETRIES", 0)
        download(file, target)
    site.asked.clear()


class TestPlain:
    def test_bytes_checksum_and_name(self, site, file, target):
        assert download(file, target) == SUM
        assert target.read_bytes() == CONTENT
        assert left_behind(target) == set()
        assert site.asked[0][1]["User-Agent"] == "classmark"
        assert site.ranges() == [None]

    def test_without_size_and_checksum_the_sum_is_told(self, site, file, target):
        assert download(RemoteFile(file.url), target) == SUM
        assert target.read_bytes() == CONTENT

    def test_without_a_length_of_the_server(self, site, file, target):
        site.tells_length = False
        assert download(file, target) == SUM

    def test_an_empty_file(self, site, target):
        site.files["owls.bin"] = b""
        download(RemoteFile(f"{site.url}/owls.bin"), target)
        assert target.read_bytes() == b""

    def test_what_is_there_and_right_is_not_asked_for(self, site, file, target):
        target.write_bytes(CONTENT)
        assert download(file, target) == SUM
        assert site.asked == []

    def test_what_is_there_and_wrong_is_replaced(self, site, file, target):
        target.write_bytes(OTHER)
        assert download(file, target) == SUM
        assert target.read_bytes() == CONTENT

    def test_redirection(self, site, file, target):
        site.redirects["moved.bin"] = f"{site.url}/owls.bin"
        assert download(RemoteFile(f"{site.url}/moved.bin", sha256=SUM), target) == SUM

    def test_base_url_stands_for_the_file_s_own_address(self, site, file, target):
        site.files["mirror/owls.bin"] = CONTENT
        elsewhere = RemoteFile("https://nowhere.invalid/1234", sha256=SUM, name="owls.bin")
        assert download(elsewhere, target, base_url=f"{site.url}/mirror/") == SUM

    def test_progress_in_bytes(self, site, file, target):
        heard = []
        with listening(lambda what, done, total: heard.append((what, done, total))):
            download(file, target)
        assert heard == [("owls.bin", done, len(CONTENT)) for done in STEPS]

    @pytest.mark.parametrize("size", [None, len(CONTENT)])
    def test_progress_towards_the_length_that_is_known(self, site, file, target, size):
        site.tells_length = False
        heard = []
        with listening(lambda what, done, total: heard.append((done, total))):
            download(RemoteFile(file.url, size), target)
        assert heard == [(done, size) for done in STEPS]


class TestResuming:
    def test_a_cut_connection_is_resumed_within_one_call(self, site, file, target):
        site.cuts = [2 * CHUNK + 5]
        assert download(file, target) == SUM
        assert target.read_bytes() == CONTENT
        assert site.ranges() == [None, f"bytes={2 * CHUNK + 5}-"]

    def test_the_next_call_goes_on_from_the_part_file(self, site, file, target):
        interrupted(site, file, target, after=3 * CHUNK)
        assert not target.exists()
        assert part_of(target).stat().st_size == 3 * CHUNK
        heard = []
        with listening(lambda what, done, total: heard.append(done)):
            assert download(file, target) == SUM
        assert target.read_bytes() == CONTENT
        assert site.ranges() == [f"bytes={3 * CHUNK}-"]
        assert site.asked[0][1]["If-Range"] == '"first"'
        assert heard == STEPS[3:], "what was there already counts as done"
        assert left_behind(target) == set()

    def test_a_byte_counts_once_however_often_it_breaks(self, site, file, target):
        site.cuts = [2 * CHUNK, CHUNK]
        heard = []
        with listening(lambda what, done, total: heard.append(done)):
            download(file, target)
        assert heard == [*STEPS[:3], *STEPS[2:4], *STEPS[3:]], "each attempt begins with what is there"

    def test_a_weak_etag_is_compared_but_not_sent(self, site, file, target):
        site.tags["owls.bin"] = 'W/"first"'
        site.cuts = [2 * CHUNK]
        assert download(file, target) == SUM
        assert site.ranges() == [None, f"bytes={2 * CHUNK}-"]
        assert "If-Range" not in site.asked[1][1]

    def test_cut_again_and_again(self, site, file, target):
        site.cuts = [CHUNK, CHUNK, None]
        assert download(file, target) == SUM
        assert site.ranges() == [None, f"bytes={CHUNK}-", f"bytes={2 * CHUNK}-"]

    def test_a_server_without_ranges_starts_again(self, site, file, target):
        site.knows_ranges = False
        site.cuts = [2 * CHUNK]
        assert download(file, target) == SUM
        assert target.read_bytes() == CONTENT
        assert site.ranges() == [None, f"bytes={2 * CHUNK}-"]

    @pytest.mark.parametrize("knows_if_range", [True, False])
    def test_another_etag_starts_again(self, site, file, target, knows_if_range):
        interrupted(site, file, target, after=2 * CHUNK)
        site.files["owls.bin"], site.tags["owls.bin"] = OTHER, '"second"'
        site.knows_if_range = knows_if_range
        assert download(RemoteFile(file.url), target) == hashlib.sha256(OTHER).hexdigest()
        assert target.read_bytes() == OTHER
        asked = [f"bytes={2 * CHUNK}-"]
        assert site.ranges() == (asked if knows_if_range else [*asked, None])

    def test_another_length_starts_again(self, site, target):
        site.files["owls.bin"] = CONTENT
        file = RemoteFile(f"{site.url}/owls.bin")
        interrupted(site, file, target, after=2 * CHUNK)
        site.files["owls.bin"] = OTHER + b"more"
        download(file, target)
        assert target.read_bytes() == OTHER + b"more"
        assert site.ranges() == [f"bytes={2 * CHUNK}-", None]

    def test_a_shorter_file_has_no_such_range(self, site, target):
        site.files["owls.bin"] = CONTENT
        file = RemoteFile(f"{site.url}/owls.bin")
        interrupted(site, file, target, after=2 * CHUNK)
        site.files["owls.bin"] = b"short"
        download(file, target)
        assert target.read_bytes() == b"short"

    def test_a_part_file_of_unknown_origin_is_not_gone_on_with(self, site, file, target):
        part_of(target).write_bytes(OTHER[:CHUNK])
        assert download(file, target) == SUM
        assert site.ranges() == [None]

    @pytest.mark.parametrize("memory", [b"not json", b'{"total": 3}', b"{}"])
    def test_a_damaged_memory_starts_again(self, site, file, target, memory):
        part_of(target).write_bytes(OTHER[:CHUNK])
        part_of(target).with_name("owls.bin.part.json").write_bytes(memory)
        assert download(file, target) == SUM
        assert site.ranges() == [None]

    def test_a_complete_part_file_needs_no_server(self, site, file, target):
        interrupted(site, file, target, after=len(CONTENT) - 1)
        with part_of(target).open("ab") as part:
            part.write(CONTENT[-1:])
        assert download(file, target) == SUM
        assert site.asked == []

    def test_interrupted_by_the_user(self, site, file, target):
        def stop(what: str, done: int, total: int | None) -> None:
            if done == 3 * CHUNK:
                raise KeyboardInterrupt

        with listening(stop), pytest.raises(KeyboardInterrupt):
            download(file, target)
        assert part_of(target).stat().st_size >= 3 * CHUNK
        assert download(file, target) == SUM
        assert site.ranges()[1].startswith("bytes=")


class TestWrongContent:
    def test_a_wrong_checksum_names_both_sums_and_keeps_the_old_file(self, site, file, target):
        target.write_bytes(b"what was here before")
        site.files["owls.bin"] = OTHER
        with pytest.raises(OSError, match=f"SHA-256 {hashlib.sha256(OTHER).hexdigest()} .*SHA-256 {SUM}") as caught:
            download(file, target)
        assert "\n" not in str(caught.value)
        assert target.read_bytes() == b"what was here before"
        assert left_behind(target) == set()

    def test_a_wrong_size_is_known_before_the_download(self, site, file, target):
        site.files["owls.bin"] = CONTENT + b"more"
        with pytest.raises(OSError, match=f"{len(CONTENT) + 4} bytes instead of {len(CONTENT)}; the file has changed"):
            download(file, target)
        assert left_behind(target) == set()

    def test_a_wrong_size_that_the_server_does_not_tell(self, site, file, target):
        site.tells_length = False
        site.files["owls.bin"] = CONTENT + b"more"
        with pytest.raises(OSError, match=f"{len(CONTENT) + 4} bytes .*instead of {len(CONTENT)} bytes"):
            download(RemoteFile(file.url, len(CONTENT)), target)
        assert left_behind(target) == set()

    def test_a_size_without_a_checksum_is_enough_not_to_ask_again(self, site, file, target):
        target.write_bytes(CONTENT)
        assert download(RemoteFile(file.url, len(CONTENT)), target) == SUM
        assert site.asked == []


class TestServersThatFail:
    def test_not_found(self, site, target):
        with pytest.raises(OSError, match=r"nothing\.bin: the server answers 404 Not Found; it may have moved"):
            download(RemoteFile(f"{site.url}/nothing.bin"), target)
        assert len(site.asked) == 1, "asking again is of no use"

    def test_a_passing_error_is_tried_again(self, site, file, target):
        site.statuses = [503, 500]
        assert download(file, target) == SUM

    def test_a_lasting_error_is_tried_a_bounded_number_of_times(self, site, file, target):
        site.statuses = [503] * 10
        with pytest.raises(OSError, match=r"503 Service Unavailable, tried 3 time\(s\)"):
            download(file, target)
        assert len(site.asked) == 3

    def test_refused(self, target):
        with pytest.raises(OSError, match=r"cannot be reached \(Connection refused\)"):
            download(RemoteFile(f"http://127.0.0.1:{free_port()}/owls.bin"), target)

    def test_hanging(self, site, file, target, monkeypatch):
        site.hangs = True
        monkeypatch.setattr(fetch, "TIMEOUT", 0.1)
        monkeypatch.setattr(fetch, "RETRIES", 1)
        with pytest.raises(OSError, match=r"no answer \(timed out\), tried 2 time\(s\)"):
            download(file, target)

    def test_always_cut(self, site, file, target):
        site.cuts = [10] * 10
        with pytest.raises(OSError, match=rf"ended after 30 of {len(CONTENT)} bytes, tried 3 time\(s\); get it again"):
            download(file, target)
        assert part_of(target).read_bytes() == CONTENT[:30]

    def test_redirection_to_another_protocol(self, site, target):
        for elsewhere in ("ftp://127.0.0.1/owls.bin", "file:///etc/hostname"):
            site.redirects["owls.bin"] = elsewhere
            with pytest.raises(OSError, match=r"cannot be reached \(unknown url type: ftp\)|not allowed"):
                download(RemoteFile(f"{site.url}/owls.bin"), target)

    @pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
    def test_disk_full(self, site, file, target):
        part_of(target).symlink_to("/dev/full")
        with pytest.raises(OSError, match=r"owls\.bin\.part: cannot be written \(No space left on device\)"):
            download(file, target)

    @pytest.mark.parametrize(
        "address", ["ftp://127.0.0.1/a", "file:///etc/passwd", "http:///a", "http://a b/c", "http://a:port/c", "a"]
    )
    def test_not_a_web_address(self, target, address):
        with pytest.raises(ValueError, match="not a web"):
            download(RemoteFile(address, name="owls.bin"), target)


class TestMirrors:
    def test_the_next_address_is_tried(self, site, file, target):
        dead = f"http://127.0.0.1:{free_port()}/owls.bin"
        found = RemoteFile(dead, sha256=SUM, mirrors=(f"{site.url}/nothing.bin", file.url))
        assert download(found, target) == SUM

    def test_a_wrong_file_is_as_bad_as_none(self, site, file, target):
        site.files["fake.bin"] = OTHER
        found = RemoteFile(f"{site.url}/fake.bin", sha256=SUM, mirrors=(file.url,))
        assert download(found, target) == SUM

    def test_all_fail(self, site, target):
        lost = RemoteFile(f"{site.url}/a.bin", sha256=SUM, mirrors=(f"{site.url}/b.bin",))
        with pytest.raises(OSError, match=r"a\.bin: the server answers 404 .* \(and 1 more address\(es\) failed\)"):
            download(lost, target)

    def test_without_a_checksum_there_are_none(self):
        with pytest.raises(ValueError, match="nobody can tell whether a mirror has the same file"):
            RemoteFile("https://example.org/a", mirrors=("https://example.net/a",))


def test_checksum_of_the_textbook(tmp_path):
    # FIPS 180-2, appendix B.1
    (tmp_path / "abc").write_bytes(b"abc")
    assert checksum(tmp_path / "abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


@pytest.mark.parametrize("address", ["http://host", "https://host:8080/a%20b?c=d"])
def test_web_addresses(address):
    check_address(address)


@pytest.mark.parametrize(
    "address",
    ["", "host/file", "ftp://host/file", "http://", "http://host:0/", "http://host:x/", "http://h/a b", "http://h/é"],
)
def test_other_addresses_are_refused(address):
    with pytest.raises(ValueError, match="not a web"):
        check_address(address)


def test_the_whole_and_the_rest(site):
    site.files["owls"], site.tags["owls"] = b"0123456789", '"v1"'
    whole = ask(f"{site.url}/owls")
    assert (whole.start, whole.version, read(whole.body, 99)) == (0, Version(10, '"v1"'), b"0123456789")
    rest = ask(f"{site.url}/owls", 4, whole.version)
    assert (rest.start, rest.version, read(rest.body, 99)) == (4, whole.version, b"456789")
    assert ask(f"{site.url}/owls", 11, whole.version) is None


def test_what_may_help_to_ask_again_and_what_not(site):
    site.files["owls"] = b"0123456789"
    with pytest.raises(DownloadError, match="the server answers 404"):
        ask(f"{site.url}/gulls")
    site.statuses.append(503)
    with pytest.raises(BrokenError, match="the server answers 503"):
        ask(f"{site.url}/owls")
    with pytest.raises(DownloadError, match="cannot be reached"):
        ask(f"http://127.0.0.1:{free_port()}/owls")
