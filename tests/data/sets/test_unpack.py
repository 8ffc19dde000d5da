import gzip
import io
import stat
import tarfile
import zipfile
from pathlib import Path

import pytest

from classmark.data.sets.fetch import MOST_BYTES, MOST_MEMBERS, is_archive, unpack

FILES = {"owls/barn.txt": b"hoots", "owls/little/one.txt": b"", "gulls.txt": b"screams" * 9999}


def tar_of(path: Path, *members: tarfile.TarInfo, mode: str = "w:gz") -> Path:
    """Write a tar with members as they are, safe or not."""
    with tarfile.open(path, mode) as archive:
        for member in members:
            archive.addfile(member, io.BytesIO(b"x" * member.size))
    return path


def member(name: str, kind: bytes = tarfile.REGTYPE, target: str = "", size: int = 0) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname, info.size = kind, target, size
    return info


def zip_of(path: Path, **files: bytes) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def zip_entry(path: Path, name: str, mode: int = stat.S_IFREG | 0o644) -> Path:
    info = zipfile.ZipInfo(name)
    info.external_attr = mode << 16
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(info, b"x")
    return path


def contents(folder: Path) -> dict[str, bytes]:
    return {file.relative_to(folder).as_posix(): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


@pytest.fixture
def target(tmp_path: Path) -> Path:
    (tmp_path / "to").mkdir()
    return tmp_path / "to" / "unpacked"


def refused(archive: Path, target: Path, why: str, **bounds: int) -> None:
    """The archive is refused in one line, and nothing at all is written."""
    with pytest.raises(ValueError, match=why) as caught:
        unpack(archive, target, **bounds)
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith(str(archive))
    assert list(target.parent.iterdir()) == []


class TestSafe:
    @pytest.mark.parametrize("mode", ["w", "w:gz"])
    def test_tar(self, tmp_path, target, mode):
        archive = tmp_path / "birds.tar"
        with tarfile.open(archive, mode) as file:
            for name, content in FILES.items():
                file.addfile(member(f"./{name}", size=len(content)), io.BytesIO(content))
            file.addfile(member("empty", tarfile.DIRTYPE))
        unpack(archive, target)
        assert contents(target) == FILES
        assert (target / "empty").is_dir()
        assert list(target.parent.iterdir()) == [target]

    def test_zip(self, tmp_path, target):
        unpack(zip_of(tmp_path / "birds.zip", **FILES, **{"empty/": b""}), target)
        assert contents(target) == FILES
        assert (target / "empty").is_dir()

    def test_no_mode_of_the_archive_reaches_the_disk(self, tmp_path, target):
        info = member("run.sh", size=1)
        info.mode = 0o6777
        unpack(tar_of(tmp_path / "a.tar", info), target)
        assert not (target / "run.sh").stat().st_mode & (stat.S_ISUID | stat.S_IXUSR | stat.S_IWOTH)

    def test_a_folder_that_is_there_is_left_alone(self, tmp_path, target):
        target.mkdir()
        (target / "mine").write_text("keep")
        with pytest.raises(FileExistsError, match="already there; move it away"):
            unpack(zip_of(tmp_path / "a.zip", a=b"x"), target)
        assert contents(target) == {"mine": b"keep"}


NAMES = {
    "../out": "leaves its folder",
    "a/../../out": "leaves its folder",
    "..\\out": "leaves its folder",
    "/etc/out": "has an absolute path",
    "\\\\host\\share": "has an absolute path",
    "C:\\out": "has an absolute path",
    "c:out": "has an absolute path",
}
KINDS = {
    "symbolic link out": (member("a", tarfile.SYMTYPE, "../../out"), "is a symbolic link"),
    "symbolic link in": (member("a", tarfile.SYMTYPE, "b"), "is a symbolic link"),
    "absolute link": (member("a", tarfile.SYMTYPE, "/etc/passwd"), "is a symbolic link"),
    "hard link": (member("a", tarfile.LNKTYPE, "../../out"), "is a hard link"),
    "character device": (member("a", tarfile.CHRTYPE), "is a device"),
    "block device": (member("a", tarfile.BLKTYPE), "is a device"),
    "named pipe": (member("a", tarfile.FIFOTYPE), "is a device"),
    "unknown": (member("a", b"Z"), "is of an unknown kind"),
}


class TestUnsafe:
    @pytest.mark.parametrize("name", NAMES)
    def test_name_in_a_tar(self, tmp_path, target, name):
        archive = tar_of(tmp_path / "a.tar.gz", member("good"), member(name))
        refused(archive, target, NAMES[name])

    @pytest.mark.parametrize("name", NAMES)
    def test_name_in_a_zip(self, tmp_path, target, name):
        refused(zip_entry(tmp_path / "a.zip", name), target, NAMES[name])

    @pytest.mark.parametrize("kind", KINDS)
    def test_kind_in_a_tar(self, tmp_path, target, kind):
        odd, why = KINDS[kind]
        refused(tar_of(tmp_path / "a.tar.gz", member("good"), odd), target, f"'a' {why}")

    def test_a_link_and_a_file_behind_it(self, tmp_path, target):
        archive = tar_of(tmp_path / "a.tar", member("a", tarfile.SYMTYPE, str(tmp_path)), member("a/out", size=1))
        refused(archive, target, "'a' is a symbolic link")
        assert not (tmp_path / "out").exists()

    @pytest.mark.parametrize(
        ("mode", "why"), [(stat.S_IFLNK, "a symbolic link"), (stat.S_IFCHR, "a device"), (stat.S_IFIFO, "a device")]
    )
    def test_kind_in_a_zip(self, tmp_path, target, mode, why):
        refused(zip_entry(tmp_path / "a.zip", "a", mode | 0o777), target, f"'a' is {why}")

    def test_encrypted_zip(self, tmp_path, target):
        archive = zip_entry(tmp_path / "a.zip", "a")
        content = bytearray(archive.read_bytes())
        content[content.index(b"PK\x01\x02") + 8] |= 1
        archive.write_bytes(content)
        refused(archive, target, "'a' is encrypted")

    def test_zip_compressed_in_another_way(self, tmp_path, target):
        with zipfile.ZipFile(tmp_path / "a.zip", "w", zipfile.ZIP_BZIP2) as archive:
            archive.writestr("a", b"x")
        refused(tmp_path / "a.zip", target, "'a' is compressed in an unusual way")

    def test_the_same_name_twice(self, tmp_path, target):
        with pytest.raises(FileExistsError):
            unpack(tar_of(tmp_path / "a.tar", member("a"), member("a")), target)
        assert list(target.parent.iterdir()) == []


class TestBombs:
    def test_tar_of_many_bytes(self, tmp_path, target):
        archive = tar_of(tmp_path / "a.tar.gz", member("a", size=600), member("b", size=600))
        refused(archive, target, r"member 'b'.*more than 1,000 bytes", most_bytes=1000)

    def test_zip_of_many_bytes(self, tmp_path, target):
        archive = zip_of(tmp_path / "a.zip", a=b"0" * 10**6)
        assert archive.stat().st_size < 10**4
        refused(archive, target, r"member 'a'.*more than 10,000 bytes", most_bytes=10**4)

    def test_many_members(self, tmp_path, target):
        archive = tar_of(tmp_path / "a.tar.gz", *(member(str(i)) for i in range(4)))
        refused(archive, target, r"member '3'.*more than 3 members", most_members=3)

    def test_a_member_that_claims_a_terabyte_is_not_read_past(self, tmp_path, target):
        claim = member("a", size=10**12).tobuf(tarfile.GNU_FORMAT)
        archive = tmp_path / "a.tar.gz"
        archive.write_bytes(gzip.compress(claim + b"\0" * 10**6))
        refused(archive, target, "'a' it holds more than 20,000,000,000 bytes")

    @pytest.mark.parametrize("kind", [tarfile.GNUTYPE_LONGNAME, tarfile.XHDTYPE, tarfile.XGLTYPE])
    def test_a_name_that_claims_a_gigabyte_is_not_taken_in(self, tmp_path, target, kind):
        claim = member("a", kind, size=10**9).tobuf(tarfile.GNU_FORMAT)
        archive = tmp_path / "a.tar.gz"
        archive.write_bytes(gzip.compress(claim + b"\0" * 10**6))
        refused(archive, target, "a damaged one")

    def test_a_negative_size(self, tmp_path, target):
        header = bytearray(member("a", size=512).tobuf(tarfile.GNU_FORMAT))
        header[124:136] = b"\xff" * 10 + b"\xfe\x00"
        header[148:156] = b" " * 8
        header[148:156] = b"%06o\0 " % sum(header)
        (tmp_path / "a.tar").write_bytes(bytes(header) * 3 + b"\0" * 1024)
        refused(tmp_path / "a.tar", target, "negative size|damaged")

    def test_a_zip_entry_that_is_longer_than_it_says(self, tmp_path, target):
        archive = zip_of(tmp_path / "a.zip", a=b"0" * 10**5)
        content = bytearray(archive.read_bytes())
        at = content.index(b"PK\x01\x02") + 24
        content[at : at + 4] = (10).to_bytes(4, "little")
        archive.write_bytes(content)
        refused(archive, target, "a damaged one")


class TestDamaged:
    def test_cut_off(self, tmp_path, target):
        archive = tar_of(tmp_path / "a.tar.gz", *(member(str(i), size=9999) for i in range(9)))
        archive.write_bytes(archive.read_bytes()[:-20])
        refused(archive, target, "a damaged one")

    @pytest.mark.parametrize("content", [b"", b"no archive", b"\x1f\x8bgarbage", b"PK\x05\x06garbage"])
    def test_no_archive(self, tmp_path, target, content):
        (tmp_path / "a").write_bytes(content)
        refused(tmp_path / "a", target, "not a tar or zip archive")
        assert not is_archive(tmp_path / "a")

    def test_a_checksum_of_the_zip_that_fails(self, tmp_path, target):
        with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
            archive.writestr("a", b"hoots at night")
        damaged = (tmp_path / "a.zip").read_bytes().replace(b"hoots", b"toots")
        (tmp_path / "a.zip").write_bytes(damaged)
        refused(tmp_path / "a.zip", target, "a damaged one")

    @pytest.mark.parametrize(
        ("place", "value", "message"), [(6, 99, "zip file version 9.9"), (45, 255, "Invalid argument|damaged")]
    )
    def test_what_a_zip_of_another_kind_would_have_is_damage(self, tmp_path, target, place, value, message):
        with zipfile.ZipFile(tmp_path / "a.zip", "w") as file:
            file.writestr("owl.txt", "hoots")
        content = bytearray((tmp_path / "a.zip").read_bytes())
        content[content.index(b"PK\1\2") + place] = value
        (tmp_path / "a.zip").write_bytes(content)
        refused(tmp_path / "a.zip", target, message)


class TestIsArchive:
    def test_by_content(self, tmp_path):
        assert is_archive(zip_of(tmp_path / "zip", a=b"x"))
        assert is_archive(tar_of(tmp_path / "tar", member("a"), mode="w"))
        assert is_archive(tar_of(tmp_path / "tar.gz", member("a")))

    def test_compressed_text_is_none(self, tmp_path):
        (tmp_path / "words.gz").write_bytes(gzip.compress(b"owl gull " * 999))
        assert not is_archive(tmp_path / "words.gz")


def test_bounds_by_default():
    assert (MOST_BYTES, MOST_MEMBERS) == (20_000_000_000, 1_000_000)
