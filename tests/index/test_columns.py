"""Terms counted in batches get the columns and counts that they get in one go, and an index the same files."""

from types import MappingProxyType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from classmark.index import LiveIndex, columns
from classmark.parallel import Here, at
from classmark.text import TextSettings

WORDS = st.lists(st.sampled_from(["owl", "owls", "Gull", "sea", "the", "night", "x"]), max_size=12).map(" ".join)
# Features that no byte holds, and some of weight 0, which have a column nevertheless.
FEATURES = st.dictionaries(st.sampled_from(["owl", "cod", "sea", "ice"]), st.sampled_from([0.0, 0.5, 1.0, 300.0]))
DOCUMENTS = st.lists(st.one_of(WORDS, FEATURES), max_size=12)


class Counting(Here):
    """A place that counts its tasks."""

    def __init__(self):
        super().__init__(2)
        self.tasks = 0

    def in_order(self, function, tasks, shared=(), **options):
        listed = list(tasks)
        self.tasks += len(listed)
        return super().in_order(function, listed, shared, **options)


def assert_same(found, expected):
    (counts, terms), (known, names) = found, expected
    assert terms == names
    assert counts.shape == known.shape
    for name in ("data", "indices", "indptr"):
        ours, theirs = getattr(counts, name), getattr(known, name)
        assert (ours.dtype, ours.tobytes()) == (theirs.dtype, theirs.tobytes())


@given(DOCUMENTS, st.sampled_from([1, 20, 10_000]), st.sampled_from([1, 2]))
def test_batches_count_as_one_does(documents, letters, ngrams):
    analyser = TextSettings(ngrams=ngrams).analyser()
    known = {"sea": 0, "owl": 1, "gone": 2}
    with pytest.MonkeyPatch.context() as patch, at(Counting()):
        patch.setattr(columns, "LETTERS_IN_A_TASK", letters)
        found = columns.count_on_workers(documents, analyser, known)
    assert_same(found, columns.count_here(documents, analyser.reader(), known))


@given(st.lists(DOCUMENTS, min_size=1, max_size=4))
def test_an_index_has_the_same_files(tmp_path_factory, additions):
    here, there = (LiveIndex.create(tmp_path_factory.mktemp("live")) for _ in range(2))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(columns, "LETTERS_IN_A_TASK", 8)
        for documents in additions:
            here.add(None, documents)
            with at(Here(2)):
                there.add(None, documents)
    files = [{path.name: path.read_bytes() for path in live.folder.iterdir()} for live in (here, there)]
    assert files[0] == files[1]


def test_a_batch_is_a_task_and_a_short_one_is_counted_here(monkeypatch):
    monkeypatch.setattr(columns, "LETTERS_IN_A_TASK", 10)
    place, analyser = Counting(), TextSettings().analyser()
    with at(place):
        columns.count_on_workers(["owls hoot"], analyser, {})
        assert place.tasks == 0
        # 9 letters each, of 36 in all; features count as if they were words of eight.
        columns.count_on_workers(["owls hoot"] * 4, analyser, {})
        assert place.tasks == 4
        columns.count_on_workers([{"owl": 1.0, "gull": 1.0}] * 2, analyser, {})
        assert place.tasks == 6


def test_any_mapping_can_be_sent(monkeypatch):
    monkeypatch.setattr(columns, "LETTERS_IN_A_TASK", 8)
    features = [MappingProxyType({"owl": 2.0}), MappingProxyType({"cod": 1.0})]
    plain, analyser = [dict(one) for one in features], TextSettings().analyser()
    sent = []

    def note(analyser, documents):
        sent.extend(map(type, documents))
        return columns.Counted(*reversed(columns.count_here(documents, analyser.reader(), {})))

    monkeypatch.setattr(columns, "count_some", note)
    with at(Here(2)):
        found = columns.count_on_workers(features, analyser, {})
    assert_same(found, columns.count_here(plain, analyser.reader(), {}))
    assert sent == [dict, dict]


@pytest.mark.parametrize("wrong", [None, 7, {"owl": -1.0}, {"owl": np.nan}])
def test_what_is_no_document_is_told_by_its_number_among_all(monkeypatch, tmp_path, wrong):
    monkeypatch.setattr(columns, "LETTERS_IN_A_TASK", 10)
    live = LiveIndex.create(tmp_path / "index")
    documents = [*["owls hoot"] * 5, wrong, "gulls cry"]
    with pytest.raises(ValueError, match=r"^document 5 ") as here:
        live.add(None, documents)
    place = Counting()
    with at(place), pytest.raises(ValueError, match=r"^document 5 ") as there:
        live.add(None, documents)
    assert str(there.value) == str(here.value)
    assert place.tasks > 5
    assert len(LiveIndex.open(tmp_path / "index")) == 0


def test_what_are_no_documents_is_refused():
    with at(Here(2)), pytest.raises(ValueError, match="documents is a single str"):
        columns.count_on_workers("owls hoot", TextSettings().analyser(), {})
