"""Columns as arrays are the lists that they stand for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from classmark import Hierarchy
from classmark.columns import Codes, LabelSets, Texts, column
from classmark.labels import encode

NAMES = st.sampled_from(["owl", "gull", "bät", "", "\ud800"])
SETS = st.lists(st.one_of(st.none(), st.lists(NAMES, max_size=3, unique=True)), max_size=8)
VALUES = {
    Texts: st.lists(st.text(st.characters(), max_size=4), max_size=8),
    Codes: st.lists(st.one_of(st.none(), NAMES), max_size=8),
    LabelSets: SETS,
}
every_kind = pytest.mark.parametrize("kind", VALUES)


@every_kind
@given(data=st.data())
def test_they_hold_what_a_list_holds(kind, data):
    values = data.draw(VALUES[kind])
    kept = kind.of(values)
    assert len(kept) == len(values)
    assert list(kept) == values == [kept[row] for row in range(len(values))]
    assert kept == values
    assert kept == kind.of(values)
    assert kept != [*values, "more"]
    assert kept.count(None) == values.count(None)
    if values:
        assert kept[-1] == values[-1]
        assert kept != kept[1:]


@every_kind
@given(data=st.data())
def test_rows_slices_and_columns_below_each_other(kind, data):
    values = data.draw(VALUES[kind])
    kept = kind.of(values)
    start, stop, step = data.draw(st.tuples(st.integers(-9, 9), st.integers(-9, 9), st.sampled_from([None, 1, 2, -1])))
    assert list(kept[start:stop:step]) == values[start:stop:step]
    rows = data.draw(st.lists(st.integers(0, len(values) - 1), max_size=9)) if values else []
    assert list(column(kept, rows)) == column(values, rows)
    others = data.draw(VALUES[kind])
    assert list(kind.joined([kept, kind.of(others)])) == values + others
    assert list(kind.joined([])) == []


@every_kind
def test_a_row_that_is_not_there(kind):
    with pytest.raises(IndexError, match="row 1 of 1"):
        kind.of([None] if kind is not Texts else ["a"])[1]
    assert repr(kind.of([])) == f"<{kind.__name__}: 0 rows>"


@given(SETS, st.data())
def test_labels_with_other_names(values, data):
    sets = LabelSets.of(values)
    others = data.draw(st.lists(st.sampled_from(["a", "b", None]), min_size=len(sets.names), max_size=len(sets.names)))
    by_name = dict(zip(sets.names, others, strict=True))

    def renamed(labels):
        kept = list(dict.fromkeys(by_name[label] for label in labels if by_name[label] is not None))
        return kept if kept or not labels else None

    assert list(sets.renamed(others)) == [None if one is None else renamed(one) for one in values]


TREE = Hierarchy.from_nested({"bird": ["owl", "gull"], "fish": ["cod"]})
KNOWN = st.lists(st.sampled_from(["owl", "gull", "cod", "bird"]), max_size=3)


@given(st.lists(st.one_of(st.none(), KNOWN), min_size=1, max_size=8), st.booleans())
def test_they_are_encoded_as_lists_are(values, flat):
    tree = None if flat else TREE
    if flat and not any(values):
        return
    ours, theirs = encode(LabelSets.of(values), tree), encode([*values, None], tree)
    assert ours.hierarchy.names == theirs.hierarchy.names
    assert ours.labelled.tolist() == theirs.labelled[:-1].tolist()
    assert (ours.indicator != theirs.indicator[:-1]).nnz == 0
    assert ours.indicator.has_canonical_format


def test_an_unknown_label_is_named():
    with pytest.raises(ValueError, match="yeti"):
        encode(LabelSets.of([["owl"], ["yeti"]]), TREE)
