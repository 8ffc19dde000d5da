"""The model file: there and back, the same bytes, and one line for everything that can be wrong with a file."""

import json
import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from safetensors.numpy import save as as_safetensors
from safetensors.numpy import save_file

from classmark import persistence
from classmark.persistence import FORMAT, check_writable, checked_array, load, read_header, replacing, save

DTYPES = ["?", "i1", "u1", "<i2", "<u2", "<i4", "<u4", "<i8", "<u8", "<f2", "<f4", "<f8"]
STATE = {
    "method": "linear-svm",
    "names": ["a", "ä", 3, None, 0.1],
    "inner": {"weights": np.arange(6.0).reshape(2, 3), "ends": np.array([1, 2], dtype=np.int32)},
    "empty": np.empty((0, 4)),
}

keys = st.text(st.characters(exclude_categories=["Cs"], exclude_characters=".$"), min_size=1, max_size=5)
leaves = (
    st.none()
    | st.booleans()
    | st.integers(-(2**80), 2**80)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
    | st.sampled_from(DTYPES).flatmap(lambda dtype: arrays(dtype, array_shapes(min_dims=0, max_dims=3, min_side=0)))
)
states = st.dictionaries(
    keys,
    st.recursive(leaves, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3)),
    max_size=4,
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("models")


@pytest.fixture
def model(tmp_path):
    save(tmp_path / "model.classmark", STATE)
    return tmp_path / "model.classmark"


def assert_same(found, expected):
    """The same values of the same types, arrays bit by bit, dicts in the same order."""
    assert type(found) is type(expected)
    if isinstance(expected, dict):
        assert list(found) == list(expected)
        found, expected = list(found.values()), list(expected.values())
    if isinstance(expected, list):
        assert len(found) == len(expected)
        for one, other in zip(found, expected, strict=True):
            assert_same(one, other)
    elif isinstance(expected, np.ndarray):
        assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
        assert found.tobytes() == expected.tobytes()
    else:
        assert found == expected


def one_line(error):
    message = str(error.value)
    assert "\n" not in message
    return message


@settings(max_examples=50)
@given(state=states)
def test_there_and_back_and_the_same_bytes_again(folder, state):
    save(folder / "one.classmark", state)
    assert_same(load(folder / "one.classmark"), state)
    save(folder / "two.classmark", state)
    assert (folder / "one.classmark").read_bytes() == (folder / "two.classmark").read_bytes()


def test_arrays_are_written_whatever_their_layout(tmp_path):
    square = np.arange(6.0).reshape(2, 3)
    given = {
        "fortran": np.asfortranarray(square),
        "strided": np.arange(12.0)[::2],
        "big": square.astype(">f8"),
        "read-only": np.broadcast_to(1.0, (2, 2)),
        "number": np.array(7, dtype=np.int32),
    }
    save(tmp_path / "model", given)
    found = load(tmp_path / "model")
    for name, array in given.items():
        assert_same(found[name], np.asarray(array, dtype=array.dtype.newbyteorder("<"), order="C"))


@settings(max_examples=50)
@given(tensors=st.dictionaries(keys, st.sampled_from(DTYPES).flatmap(lambda dtype: arrays(dtype, array_shapes()))))
def test_files_are_those_of_safetensors_byte_by_byte(folder, tensors):
    persistence._write(folder / "ours", tensors, {"a": 'b"\n'})
    assert (folder / "ours").read_bytes() == as_safetensors(tensors, {"a": 'b"\n'})


def test_more_words_than_a_file_holds_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(persistence, "LARGEST_HEADER", 1000)
    with pytest.raises(ValueError, match=r"the model take .* bytes, and a model file holds 1,000; keep fewer terms"):
        save(tmp_path / "model", {"vocabulary": ["word"] * 1000})
    assert list(tmp_path.iterdir()) == []


def test_numbers_of_numpy_and_tuples_become_plain(tmp_path):
    save(tmp_path / "model", {"C": np.float64(0.5), "seed": np.int64(3), "name": np.str_("x"), "path": ("a", "b")})
    assert_same(load(tmp_path / "model"), {"C": 0.5, "seed": 3, "name": "x", "path": ["a", "b"]})


@pytest.mark.parametrize(
    ("state", "message"),
    [
        ({"a": {"value": float("nan")}}, "a.value is nan, which a model file cannot hold"),
        ({"value": float("inf")}, r"value is inf,.*file cannot hold"),
        ({"names": ["a", b"b"]}, r"names.1 is b'b',.*file cannot hold"),
        ({"labels": {"a"}}, r"labels is {'a'},.*file cannot hold"),
        ({"words": np.array(["a"])}, "words is an array of <U1, which a model file cannot hold"),
        ({"objects": np.array([None])}, "objects is an array of object, which a model file cannot hold"),
        ({"complex": np.array([1j])}, "complex is an array of complex128"),
        ({"days": np.array(["2020-01-01"], dtype="M8[D]")}, r"days is an array of datetime64\[D\]"),
        ({"a": {"b": np.ones(1)}, "a.b": np.ones(2)}, "two arrays called 'a.b'"),
        ({"__metadata__": np.ones(1)}, "two arrays called '__metadata__'"),
    ],
)
def test_what_would_not_come_back_is_refused_by_name(tmp_path, state, message):
    with pytest.raises(ValueError, match=message) as error:
        save(tmp_path / "model", state)
    one_line(error)
    assert list(tmp_path.iterdir()) == []


def test_the_header(model):
    header = read_header(model)
    assert header.format == FORMAT == 2
    assert set(header.libraries) == {"classmark", "numpy", "scipy", "scikit-learn", "PyStemmer"}
    assert header.libraries["numpy"] == np.__version__
    assert header.state["method"] == "linear-svm"
    assert header.state["inner"]["ends"] == {"$array": "inner.ends"}
    # The format version comes first, so that any later version can read it.
    content = model.read_bytes()
    assert content[content.index(b"classmark") :].startswith(b'classmark":"{\\"format\\":2,\\"checksum\\":')


def test_a_file_cut_off_anywhere_is_refused(model):
    content = model.read_bytes()
    for length in [*range(20), *range(20, len(content), 7), len(content) - 1]:
        model.write_bytes(content[:length])
        with pytest.raises(ValueError, match=r"model\.classmark: ") as error:
            load(model)
        one_line(error)
    model.write_bytes(content + b"\0")
    with pytest.raises(ValueError, match="not a classmark"):
        load(model)


def test_a_flipped_bit_is_found_wherever_it_is(model):
    """Nothing in the file is idle: not even the spaces that pad the header may change."""
    content = model.read_bytes()
    for position in range(len(content)):
        damaged = bytearray(content)
        damaged[position] ^= 1 << position % 8
        model.write_bytes(damaged)
        with pytest.raises(ValueError, match=r"model\.classmark: ") as error:
            load(model)
        one_line(error)


def written(path, header, tensors=None):
    """A file as anybody with safetensors might write it."""
    save_file(tensors or {}, path, metadata={"classmark": header if isinstance(header, str) else json.dumps(header)})
    return path


def signed(state, tensors):
    """A header with a checksum that fits."""
    header = persistence.Header(FORMAT, "", {}, state)
    header.checksum = persistence._checksum(header, tensors)
    return {"format": FORMAT, "checksum": header.checksum, "libraries": {}, "state": state}


def test_a_file_written_by_hand_is_read(tmp_path):
    tensors = {"w": np.arange(3)}
    state = {"weights": {"$array": "w"}, "more": [{"$array": "w"}, 1]}
    path = written(tmp_path / "model", signed(state, tensors), tensors)
    assert_same(load(path), {"weights": np.arange(3), "more": [np.arange(3), 1]})


@pytest.mark.parametrize(
    ("header", "message"),
    [
        ({"format": 3, "anything": "else"}, r"model format 3,.*classmark reads 2; train it again"),
        ({"format": "1"}, "model format 1, this version"),
        ({}, "model format None, this version"),
        ("{", "the model's header is damaged"),
        ("[]", "the model's header is damaged"),
        ({"format": 2}, "the model's header is damaged .*checksum"),
        ({"format": True, "checksum": "", "libraries": {}, "state": {}}, "model format True, this version"),
        ({"format": 2, "checksum": "0", "libraries": {}, "state": {}}, r"checksum.*not fit"),
        ({"format": 2, "checksum": "0", "libraries": {}, "state": []}, "the model's header is damaged"),
        (signed({"weights": {"$array": "w"}}, {}), "names arrays that the file does not hold"),
        (signed({"weights": {"$array": ["w"]}}, {}), "names arrays that the file does not hold"),
    ],
)
def test_another_header_is_refused(tmp_path, header, message):
    with pytest.raises(ValueError, match=message) as error:
        load(written(tmp_path / "model", header))
    assert one_line(error).startswith(f"{tmp_path / 'model'}: ")


def test_arrays_exchanged_are_found(tmp_path):
    for others in ({"w": np.arange(4)}, {"w": np.arange(3.0)}, {"w": np.arange(3)[None]}, {"v": np.arange(3)}, {}):
        header = signed({"weights": {"$array": "w"}}, {"w": np.arange(3)})
        with pytest.raises(ValueError, match=r"checksum.*not fit"):
            load(written(tmp_path / "model", header, others))


def test_foreign_files_are_refused(tmp_path):
    path = tmp_path / "model.classmark"
    contents = [b"", b"hello\n", pickle.dumps(STATE), b"\0" * 100, b"\xff" * 100, b"PK\x03\x04" + b"\0" * 60]
    for content in contents:
        path.write_bytes(content)
        with pytest.raises(ValueError, match=r"model\.classmark: not a classmark") as error:
            load(path)
        one_line(error)
    for metadata in (None, {"format": "pt"}):
        save_file({"weight": np.ones(3)}, path, metadata=metadata)
        with pytest.raises(ValueError, match=r"model\.classmark: a safetensors file, but not a classmark model"):
            load(path)


class Trap:
    def __reduce__(self):
        return os.mkdir, ("sprung",)


def test_a_pickle_is_not_executed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("model.classmark").write_bytes(pickle.dumps(Trap()))
    with pytest.raises(ValueError, match="not a classmark"):
        load("model.classmark")
    assert not Path("sprung").exists()


def test_missing_files_and_folders(tmp_path):
    for path in (tmp_path / "absent.classmark", tmp_path):
        with pytest.raises(FileNotFoundError, match="no such model"):
            load(path)
    with pytest.raises(FileNotFoundError, match=r"absent: no such folder; make it first"):
        save(tmp_path / "absent" / "model", STATE)
    with pytest.raises(IsADirectoryError, match="a folder; give the name of a file"):
        save(tmp_path, STATE)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not hasattr(os, "setegid"), reason="no users on this system")
def test_a_file_that_may_not_be_read_is_not_said_to_be_missing(model):
    model.chmod(0)
    program = """
import os, sys
from classmark.persistence import load, read_header
os.geteuid() or os.seteuid(65534)
for read in (load, read_header):
    try:
        read(sys.argv[1])
    except PermissionError as error:
        print(error.filename == sys.argv[1], error.strerror)
"""
    for folder in (model.parent, *model.parent.parents[:2]):
        folder.chmod(0o755)
    done = subprocess.run([sys.executable, "-c", program, str(model)], capture_output=True, text=True)
    assert done.stdout == "True Permission denied\n" * 2, done.stderr


def test_a_folder_that_cannot_be_written(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with pytest.raises(PermissionError, match="not writable; choose another folder"):
        check_writable(tmp_path / "model")


def test_what_is_not_a_file_is_not_replaced(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ValueError, match="not a regular file"):
        save(tmp_path / "pipe", STATE)
    assert (tmp_path / "pipe").is_fifo()


def test_a_model_replaces_another(model):
    save(str(model), {"new": 1})
    assert load(str(model)) == {"new": 1}
    assert list(model.parent.iterdir()) == [model]


def test_behind_a_link_the_file_is_replaced(model):
    link = model.with_name("link")
    link.symlink_to(model)
    save(link, {"new": 1})
    assert link.is_symlink()
    assert load(model) == {"new": 1}


def test_a_model_is_as_readable_as_any_other_file(model):
    other = model.with_name("other")
    other.touch()
    assert model.stat().st_mode == other.stat().st_mode


FULL_DISK = """
import resource, signal, sys
import numpy as np
from classmark.persistence import save
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
try:
    save(sys.argv[1], {"weights": np.ones(100_000)})
except OSError as error:
    print(error)
"""


def test_a_full_disk_leaves_the_old_model(model):
    before = model.read_bytes()
    command = [sys.executable, "-c", FULL_DISK, str(model)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.startswith(f"{model}: cannot be written: ")
    assert done.stdout.count("\n") == 1
    assert done.stderr == ""
    assert model.read_bytes() == before
    assert list(model.parent.iterdir()) == [model]


@pytest.mark.parametrize("crash", [RuntimeError, KeyboardInterrupt, MemoryError])
def test_a_crash_leaves_the_old_model_and_nothing_else(model, monkeypatch, crash):
    def half(path, arrays, metadata):
        path.write_bytes(b"half")
        raise crash

    before = model.read_bytes()
    monkeypatch.setattr(persistence, "_write", half)
    with pytest.raises(crash):
        save(model, STATE)
    assert model.read_bytes() == before
    assert list(model.parent.iterdir()) == [model]


def test_replacing_by_hand(tmp_path):
    with replacing(tmp_path / "file") as temporary:
        temporary.write_text("new")
        assert temporary.parent == tmp_path
        assert not (tmp_path / "file").exists()
    assert (tmp_path / "file").read_text() == "new"
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_a_temporary_file_is_written_as_it_is(tmp_path):
    """Renamed over, it would not be held any more, and the next write would remove it."""
    with replacing(tmp_path / "outer") as outer:
        with replacing(outer) as inner:
            inner.write_text("new")
        assert inner == outer
        save(tmp_path / "other", {})
        assert outer.read_text() == "new"
    assert (tmp_path / "outer").read_text() == "new"


def test_checked_array():
    state = {"weights": np.zeros((2, 3)), "list": [1, 2]}
    assert checked_array(state, "weights", np.float64, (2, 3)) is state["weights"]
    assert checked_array(state, "weights", "f8", (None, 3)) is state["weights"]
    assert checked_array(state, "weights", float, (None, None)) is state["weights"]


@pytest.mark.parametrize(
    ("key", "dtype", "shape", "message"),
    [
        ("absent", np.float64, (2, 3), r"the model's 'absent'.*not an array.*64 with 2 dimension\(s\)"),
        ("list", np.int64, (2,), r"the model's 'list'.*not an array.*int64 with 1 dimension\(s\)"),
        ("weights", np.float32, (2, 3), r"the model's 'weights'.*not an array.*32"),
        ("weights", np.int64, (2, 3), r"the model's 'weights'.*not an array.*int64"),
        ("weights", np.float64, (6,), r"the model's 'weights'.*not an array.*64 with 1 dimension\(s\)"),
        ("weights", np.float64, (2, 4), r"the model's 'weights' has shape \(2, 3\) instead of \(2, 4\)"),
        ("weights", np.float64, (None, 2), r"the model's 'weights' has shape \(2, 3\) instead of \(None, 2\)"),
    ],
)
def test_checked_array_refuses(key, dtype, shape, message):
    with pytest.raises(ValueError, match=message):
        checked_array({"weights": np.zeros((2, 3)), "list": [1, 2]}, key, dtype, shape)


def test_a_large_file_is_mapped_and_the_same(model, monkeypatch):
    read = load(model)
    monkeypatch.setattr(persistence, "MAPPED", 0)
    mapped = load(model)
    assert_same(mapped, read)
    before = model.read_bytes()
    mapped["inner"]["ends"][:] = 7  # a private copy: the file stays as it is
    assert model.read_bytes() == before


def test_a_flipped_bit_is_found_in_a_mapped_file(model, monkeypatch):
    monkeypatch.setattr(persistence, "MAPPED", 0)
    content = model.read_bytes()
    for position in range(len(content) - 40, len(content)):
        damaged = bytearray(content)
        damaged[position] ^= 1 << position % 8
        model.write_bytes(damaged)
        with pytest.raises(ValueError, match=r"checksum.*not fit"):
            load(model)
