"""Files of features read into arrays, against the reader of single rows."""

import gzip
import re
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from classmark.data import CorpusOptions, read_corpus
from classmark.data.formats import FORMATS, svmlight
from classmark.data.stored import FeatureRows

LABELS = st.sampled_from(["3", "12", "3,12", "3, 12", "a", "a,b", "", "0", "é", "a b", "1,,2", "7,"])
NUMBERS = st.one_of(
    st.integers(0, 30).map(str), st.sampled_from(["01", "+3", "-1", "x", "", "1_0", "2147483646", "99999999999"])
)
WEIGHTS = st.one_of(
    st.floats(0, 1e300).map(repr),
    st.integers(0, 300).map(str),
    st.sampled_from(
        ["1", "1.", ".5", "5e-3", "1E+2", "1e-400", "1e999", "-1", "nan", "", ".", "1e", "1:2", "0.0", "1_0"]
    ),
    st.text("0123456789.e-+", min_size=1, max_size=24),
)
PAIRS = st.tuples(NUMBERS, WEIGHTS).map(":".join)
PLAIN = st.lists(st.tuples(st.integers(1, 400), st.floats(1e-9, 1e9)), max_size=6).map(
    lambda pairs: [f"{number}:{weight!r}" for number, weight in dict(pairs).items()]
)
ENDS = st.sampled_from(["", " ", "\t", "\r", " # id=x", "# why", " # id=", "#id=é", "\x0b", "\xa0"])
ROWS = st.one_of(
    st.tuples(LABELS, PLAIN | st.lists(PAIRS, max_size=3), ENDS).map(lambda row: " ".join([row[0], *row[1]]) + row[2]),
    st.sampled_from(["", "  ", "# comment", "Data", "Label,Data", "# id=empty", "5", "\ufeff1 2:3"]),
)


def one_by_one(file: Path, options: CorpusOptions, kind: str) -> object:
    """What the reader of single rows makes of a file: ids, labels and documents, or a refusal."""
    try:
        records = list(FORMATS[kind].read(file, options))
    except ValueError as error:
        return str(error)
    return [(record.line, record.id, record.labels, record.document) for record in records]


def as_a_whole(file: Path, options: CorpusOptions, kind: str) -> object:
    """The same of the reader of whole files."""
    read = FORMATS[kind].read_rows
    assert read is not None
    try:
        found = read(file, options)
    except ValueError as error:
        return str(error)
    if found is None:
        return None
    outline, rows = found
    pairs = zip(outline, rows, strict=True)
    return [(record.line, record.id, record.labels, document) for record, document in pairs]


@settings(max_examples=150)
@given(
    st.lists(ROWS, max_size=8),
    st.sampled_from([1, 7, 64, 1 << 20]),
    st.sampled_from(["svmlight", "lshtc"]),
    st.booleans(),
)
def test_both_readers_say_the_same(rows, block, kind, packed):
    content = "\n".join(rows).encode("utf-8")
    options = CorpusOptions(empty_labels="nowhere")
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(svmlight, "BLOCK", block)
        file = Path(folder, "docs.svm.gz" if packed else "docs.svm")
        file.write_bytes(gzip.compress(content) if packed else content)
        expected, found = one_by_one(file, options, kind), as_a_whole(file, options, kind)
        # Numbers that fit into no matrix are left to the other reader.
        assert found == expected or (found is None and "99999999999" in content.decode())


@settings(max_examples=150)
@given(st.lists(st.floats(min_value=5e-324, allow_infinity=False, allow_nan=False), min_size=1, max_size=9), st.data())
def test_weights_are_the_nearest_numbers(weights, data):
    written = [data.draw(st.sampled_from([repr(one), f"{one:.17g}", f"{one:.25e}", f"{one:E}"])) for one in weights]
    row = "1 " + " ".join(f"{number}:{weight}" for number, weight in enumerate(written, 1))
    with TemporaryDirectory() as folder:
        file = Path(folder, "docs.svm")
        file.write_text(row + "\n")
        (document,) = read_corpus(file).documents
    expected = {str(number): float(weight) for number, weight in enumerate(written, 1)}
    assert document == {number: weight for number, weight in expected.items() if weight}


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("1 a:2", r"'a:2'.*not a feature.*12:0\.5"),
        ("1 2:-3", r"the weight in '2:-3' is -3; write a number.*0 up"),
        ("1 2 3:4", r"'1 2'.*neither one label.*1,l2 f:v f"),
        (", 3:4", "a label is empty"),
        ("1 2:1 2:3", "the feature 2 stands twice"),
        ("1 2:\xff", "not UTF-8 at byte 5"),
    ],
)
def test_a_bad_row_far_down_is_named(tmp_path, monkeypatch, row, message):
    monkeypatch.setattr(svmlight, "BLOCK", 4096)
    file = tmp_path / "docs.svm"
    rows = [b"%d 1:2 %d:1" % (number % 7, number + 2) for number in range(9000)]
    file.write_bytes(b"\n".join([*rows, row.encode("latin-1"), b"1 x:y"]))
    with pytest.raises(ValueError) as caught:
        read_corpus(file)
    assert re.match(rf"{re.escape(str(file))}:9001: {message}", str(caught.value))


def test_what_is_wrong_first_is_said_first(tmp_path, monkeypatch):
    monkeypatch.setattr(svmlight, "BLOCK", 1 << 19)
    file = tmp_path / "docs.svm"
    file.write_bytes(b"1 2:3\n1 x:1\n" + b"1 " + b"7:1 " * (1 << 19) + b"\n")
    with pytest.raises(ValueError, match=r"docs\.svm:2: 'x:1'.*not a feature"):
        read_corpus(file, options=CorpusOptions(max_line=1))
    file.write_bytes(b"1 2:3\n" + b"1 " + b"7:1 " * (1 << 19) + b"\n")
    with pytest.raises(ValueError, match=r"docs\.svm:2: the line is longer than 1 MiB"):
        read_corpus(file, options=CorpusOptions(max_line=1))


def test_a_row_of_ten_megabytes(tmp_path):
    file = tmp_path / "docs.svm"
    file.write_text("1 2:3\n5 " + " ".join(f"{number}:1" for number in range(1, 1_200_000)) + "\n")
    assert file.stat().st_size > 10_000_000
    rows = read_corpus(file).documents
    assert isinstance(rows, FeatureRows)
    assert (len(rows), len(rows[1]), rows.matrix.data.dtype) == (2, 1_199_999, np.uint8)


@given(st.lists(st.integers(1, 10**6), unique=True, max_size=300), st.randoms())
def test_features_in_any_order(numbers, random):
    with TemporaryDirectory() as folder:
        file = Path(folder, "docs.svm")
        file.write_text("1 2:3\n5 " + " ".join(f"{number}:{number % 97 + 1}" for number in numbers) + "\n")
        _, document = read_corpus(file).documents
    assert list(document.items()) == [(str(number), float(number % 97 + 1)) for number in sorted(numbers)]


def test_a_damaged_archive_is_refused_by_its_line(tmp_path):
    file = tmp_path / "docs.svm.gz"
    file.write_bytes(gzip.compress(b"1 2:3\n" * 99)[:-12])
    with pytest.raises(ValueError, match=r"docs\.svm\.gz:\d+:.*damaged or cut"):
        read_corpus(file)


def test_numbers_that_fit_into_no_matrix(tmp_path):
    file = tmp_path / "docs.svm"
    file.write_text("1 7:1 99999999999:2\n2 7:1\n")
    assert read_corpus(file).documents == [{"7": 1.0, "99999999999": 2.0}, {"7": 1.0}]


class TestFeatureRows:
    def test_they_are_a_list_of_dictionaries(self):
        rows = FeatureRows(csr_array([[0, 1.0, 0.5], [0, 0, 0], [2.0, 0, 0]]))
        listed = [{"1": 1.0, "2": 0.5}, {}, {"0": 2.0}]
        assert (len(rows), list(rows), rows[-1], list(rows[1:])) == (3, listed, {"0": 2.0}, listed[1:])
        assert rows == listed
        assert rows != listed[:2]
        assert rows.take([2, 0]) == [listed[2], listed[0]]
        with pytest.raises(IndexError):
            rows[3]

    @pytest.mark.parametrize(
        ("weights", "kind"), [([1, 255], np.uint8), ([1, 256], np.float32), ([0.5], np.float32), ([0.1], np.float64)]
    )
    def test_weights_take_the_least_memory_that_holds_them(self, weights, kind):
        assert FeatureRows(csr_array([weights]).astype(float)).matrix.data.dtype == kind
