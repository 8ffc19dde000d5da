"""Every form of labels, there and back, and what is refused."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import coo_array, csc_array, csr_array, csr_matrix

from classmark import Hierarchy
from classmark.labels import LabelForm, decode, dtype_name, encode, name_array
from tests.generators import hierarchies, indicators, label_lists
from tests.oracles import hierarchy as oracle

TREE = Hierarchy.from_nested({"a": ["x", "y"], "b": None})  # node order: a, b, x, y


def there_and_back(y, hierarchy=None):
    labels = encode(y, hierarchy)
    return decode(labels.indicator, labels.form, labels.hierarchy)


def assert_same(found, expected):
    """The same values, of the same type and dtype (but for the width of strings), in the same shape."""
    assert type(found) is type(expected)
    assert found.shape == expected.shape
    assert found.dtype.kind == expected.dtype.kind
    if found.dtype.kind != "U":
        assert found.dtype == expected.dtype
    assert found.tolist() == expected.tolist()
    kinds = [[type(value) for value in array.ravel().tolist()] for array in (found, expected)]
    assert kinds[0] == kinds[1]


@pytest.mark.parametrize(
    "y",
    [
        np.array(["x", "b", "x"]),
        np.array(["x", "b"], dtype=object),
        np.array([3, 1, 2]),
        np.array([3, 1], dtype=np.int8),
        np.array([3, 1], dtype=np.uint16),
        np.array([3, 1], dtype=">i4"),
        np.array([1.0, 2.0, 1.0]),
        np.array([1.0, 2.0], dtype=np.float32),
        np.array([True, False, True]),
        np.array([True, True]),
        np.array([b"x", b"bbb"]),
        np.array(["x", "bbb"], dtype=np.dtypes.StringDType()),
        name_array(["1", 1, 2, "2"]),
        name_array([1, 2]),
    ],
    ids=lambda y: f"{y.dtype}-{len(y)}",
)
def test_one_label_a_document(y):
    labels = encode(y)
    assert labels.form.kind == "single"
    assert set(labels.hierarchy.names) == set(y.tolist())
    assert labels.hierarchy.depth == 1
    assert labels.labelled.all()
    assert_same(there_and_back(y), y)


@pytest.mark.parametrize("y", [["x", "b"], [3, 1], [True, False], [2.0, 1.0]], ids=str)
def test_a_plain_list_of_labels_comes_back_as_an_array(y):
    assert_same(there_and_back(y), np.array(y))


def test_labels_of_mixed_types_stay_what_they_are():
    found = there_and_back(["1", 1, 2])
    assert found.tolist() == ["1", 1, 2]
    assert [type(name) for name in found] == [str, int, int]
    assert encode(["b", 1, "a", 2]).hierarchy.names == (1, 2, "a", "b")


def test_labels_seen_are_sorted():
    assert encode(["b", "a", "c", "a"]).hierarchy.names == ("a", "b", "c")
    assert encode([10, 9, 100]).hierarchy.names == (9, 10, 100)
    assert encode([["b"], ["a", "c"]]).hierarchy.names == ("a", "b", "c")


def test_many_labels_are_sorted_in_no_time():
    names = list(map(str, range(30_000)))
    assert encode(names).hierarchy.names == tuple(sorted(names))


def test_a_longer_name_than_the_training_strings_is_not_cut_off():
    tree = Hierarchy.flat(["a", "a very long name"])
    for y in (np.array(["a"]), np.array(["a"], dtype=np.dtypes.StringDType())):
        form = encode(y, tree).form
        assert decode(csr_array([[False, True]]), form, tree).tolist() == ["a very long name"]
    paths = Hierarchy.from_paths([["a", "x"], ["a", "a very long name"]])
    form = encode(np.array([["a", "x"]]), paths).form
    answer = decode(csr_array([[False, False, True]]), form, paths)
    assert answer.tolist() == [["a", "a very long name"]]
    # Neither does the width depend on which answers there are.
    assert decode(csr_array([[False, True, False]]), form, paths).dtype == answer.dtype


def test_own_labels_are_encoded_as_given_and_ancestors_come_with_the_closure():
    labels = encode(["x", "a"], TREE)
    assert labels.indicator.toarray().tolist() == [[0, 0, 1, 0], [1, 0, 0, 0]]
    assert there_and_back(["x", "a"], TREE).tolist() == ["x", "a"]
    assert there_and_back([["x", "a"], ["y", "b", "x"]], TREE) == [["x"], ["b", "x", "y"]]


@pytest.mark.parametrize(
    "y",
    [
        [["x", "b"], [], ["y"]],
        [["x", "b"], ["y", "b"]],
        [("x", "b"), (), ("y",)],
        [{"x", "b"}, set(), frozenset(["y"])],
        [np.array(["x", "b"]), np.array([]), np.array(["y"])],
        [np.array(["x", "b"]), np.array(["y", "b"])],
        name_array([["x", "b"], [], ["y"]]),
        pd.Series([["x", "b"], [], ["y"]]),
        iter([["x", "b"], []]),
    ],
    ids=["lists", "equal lengths", "tuples", "sets", "arrays", "equal arrays", "object array", "series", "iterator"],
)
def test_lists_of_labels(y):
    y = list(y) if not isinstance(y, np.ndarray | pd.Series) else y
    expected = [sorted(labels) for labels in y]
    for hierarchy in (None, TREE):
        labels = encode(y, hierarchy)
        assert labels.form.kind == "lists"
        assert labels.labelled.all()
        assert there_and_back(y, hierarchy) == expected


def test_none_means_not_labelled_and_empty_means_nowhere():
    labels = encode([["x"], None, []], TREE)
    assert labels.labelled.tolist() == [True, False, True]
    assert np.diff(labels.indicator.indptr).tolist() == [1, 0, 0]
    single = encode(["x", None, "b"])
    assert single.labelled.tolist() == [True, False, True]
    assert single.hierarchy.names == ("b", "x")
    numbers = encode([1, None, 2])
    assert numbers.labelled.tolist() == [True, False, True]
    assert numbers.hierarchy.names == (1, 2)


@pytest.mark.parametrize(
    "y",
    [
        pd.Series(["x", None]),
        pd.Series(["x", None], dtype="string"),
        pd.Series(["x", None], dtype="category"),
        pd.Series([["x"], None]),
        pd.Series([["x"], np.nan]),
        name_array(["x", float("nan")]),
    ],
    ids=["str", "string", "category", "lists", "lists with NaN", "NaN"],
)
def test_what_pandas_makes_of_none_is_not_labelled(y):
    labels = encode(y)
    assert labels.labelled.tolist() == [True, False]
    assert labels.hierarchy.names == ("x",)


def test_a_series_answers_as_an_array():
    assert_same(there_and_back(pd.Series(["x", "b"], index=[7, 3])), name_array(["x", "b"]))
    assert_same(there_and_back(pd.Series([2, 1])), np.array([2, 1]))


@pytest.mark.parametrize(
    "y",
    [
        np.array([["a", "x"], ["b", ""], ["a", ""]], dtype=object),
        np.array([["a", "x"], ["b", ""], ["a", ""]]),
        np.array([["a", "x", "u"], ["b", "", ""]], dtype=object),
        np.array([[1, 10], [2, 20]]),
        np.array([[1, 10], [2, 20]], dtype=np.int16),
        np.array([[1.0, 10.0], [2.0, np.nan]]),
        np.array([["a", 1], ["b", 2]], dtype=object),
    ],
    ids=["object", "str", "deep", "int", "int16", "float", "mixed"],
)
def test_paths(y):
    labels = encode(y)
    assert labels.form.kind == "paths"
    assert labels.hierarchy == Hierarchy.from_paths(y)
    assert np.diff(labels.indicator.indptr).tolist() == [1] * len(y)
    found = there_and_back(y)
    assert found.dtype.kind == y.dtype.kind
    assert found.shape == y.shape
    assert found.tolist() == y.tolist() or np.array_equal(found, y, equal_nan=True)


def test_a_frame_of_paths_with_missing_ends():
    frame = pd.DataFrame([["a", "x"], ["b", None]])
    assert encode(frame).hierarchy.names == (("a",), ("b",), ("a", "x"))
    assert there_and_back(frame).tolist() == [["a", "x"], ["b", ""]]


def test_paths_over_nodes_that_are_not_named_by_paths():
    assert encode(np.array([["a", "x"], ["b", ""]]), TREE).indicator.toarray().tolist() == [[1, 0, 1, 0], [0, 1, 0, 0]]
    assert there_and_back(np.array([["a", "x"], ["b", ""]]), TREE).tolist() == [["a", "x"], ["b", ""]]
    # In a DAG the path goes by the first parents; it may be longer than what was given.
    dag = Hierarchy.from_parents({"a": None, "b": None, "c": ["a", "b"]})
    assert there_and_back(np.array([["b"], ["c"]]), dag).tolist() == [["b", ""], ["a", "c"]]


def test_the_same_short_name_under_two_parents():
    y = np.array([["cars", "parts"], ["bikes", "parts"]], dtype=object)
    assert encode(y).hierarchy.names == (("cars",), ("bikes",), ("cars", "parts"), ("bikes", "parts"))
    assert there_and_back(y).tolist() == y.tolist()


def test_a_row_without_a_path_belongs_nowhere():
    labels = encode(np.array([["a", "x"], ["", ""]]))
    assert np.diff(labels.indicator.indptr).tolist() == [1, 0]
    assert labels.labelled.tolist() == [True, True]


def test_a_tuple_that_names_a_node_is_a_label():
    paths = Hierarchy.from_paths([["a", "x"], ["b"]])
    labels = encode([("a", "x"), ("b",)], paths)
    assert labels.form.kind == "single"
    assert there_and_back([("a", "x"), ("b",)], paths).tolist() == [("a", "x"), ("b",)]
    assert there_and_back([[("a", "x")], [("b",), ("a",)]], paths) == [[("a", "x")], [("a",), ("b",)]]


@pytest.mark.parametrize("dtype", [bool, np.int64, np.uint8, np.float64, np.float32])
def test_dense_indicators_answer_closed(dtype):
    y = np.array([[0, 0, 1, 0], [0, 1, 0, 0], [0, 0, 0, 0]], dtype=dtype)
    labels = encode(y, TREE)
    assert labels.form.kind == "indicator"
    assert labels.indicator.toarray().tolist() == y.astype(bool).tolist()
    assert_same(there_and_back(y, TREE), np.array([[1, 0, 1, 0], [0, 1, 0, 0], [0, 0, 0, 0]], dtype=dtype))
    assert encode(y).hierarchy.names == (0, 1, 2, 3)
    assert_same(there_and_back(y), y)


@pytest.mark.parametrize("dtype", [bool, np.int64, np.int8, np.float64])
@pytest.mark.parametrize("kind", [csr_array, csc_array, coo_array, csr_matrix])
def test_sparse_indicators_with_duplicates_and_stored_zeros(kind, dtype):
    # x twice and a stored 0 at b; then b alone.
    entries = np.array([1, 1, 0, 1], dtype=dtype), (np.array([0, 0, 0, 1]), np.array([2, 2, 1, 1]))
    y = kind(coo_array(entries, shape=(3, 4))) if kind is coo_array else kind((entries[0], entries[1]), shape=(3, 4))
    if kind is not coo_array:
        y.data[y.data > 1] = 1
    labels = encode(y, TREE)
    assert labels.indicator.toarray().tolist() == [[0, 0, 1, 0], [0, 1, 0, 0], [0, 0, 0, 0]]
    assert labels.indicator.nnz == 2
    found = there_and_back(y, TREE)
    assert isinstance(found, csr_array)
    assert found.dtype == dtype
    assert found.toarray().tolist() == [[1, 0, 1, 0], [0, 1, 0, 0], [0, 0, 0, 0]]


def test_compressed_indicators_with_duplicates():
    y = csr_array((np.array([1, 1, 0]), np.array([2, 2, 1]), np.array([0, 2, 3])), shape=(2, 4))
    assert encode(y, TREE).indicator.toarray().tolist() == [[0, 0, 1, 0], [0, 0, 0, 0]]
    assert y.nnz == 3


def test_a_frame_of_zeros_and_ones_is_an_indicator():
    y = pd.DataFrame([[0, 0, 1, 0]], columns=list(TREE))
    assert there_and_back(y, TREE).tolist() == [[1, 0, 1, 0]]


SHUFFLED = {"y": [0, 0, 1], "b": [0, 1, 0], "x": [1, 0, 0], "a": [1, 0, 1]}
IN_NODE_ORDER = [[1, 0, 1, 0], [0, 1, 0, 0], [1, 0, 0, 1]]


@pytest.mark.parametrize("frames", ["pandas", "polars"])
@pytest.mark.parametrize("hierarchy", [TREE, None], ids=["hierarchy", "flat"])
def test_encode_named_indicator_columns_are_matched_by_name(frames, hierarchy):
    labels = encode(pytest.importorskip(frames).DataFrame(SHUFFLED), hierarchy)
    assert labels.form.kind == "indicator"
    order = labels.hierarchy.positions(TREE.names)
    assert labels.indicator.toarray()[:, order].tolist() == IN_NODE_ORDER


def test_encode_unnamed_indicator_columns_are_in_node_order():
    assert encode(pd.DataFrame(IN_NODE_ORDER), TREE).indicator.toarray().tolist() == IN_NODE_ORDER


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (["a", "b", "x"], "no column for 1 categories, such as 'y'"),
        (["a", "b", "x", "elm"], "unknown column 'elm'"),
        (["a", "b", "x", "y", "elm"], "unknown column 'elm'"),
        (["p", "q", "r", "s"], "unknown column 'p'"),
        (["a", "b", "x", "y", "y"], "several columns 'y'"),
    ],
)
def test_encode_indicator_with_missing_or_unknown_columns_raises(columns, message):
    with pytest.raises(ValueError, match=message):
        encode(pd.DataFrame([[0] * len(columns)], columns=columns), TREE)


def test_encode_frame_of_paths_with_named_columns_reads_paths():
    frame = pd.DataFrame({"group": ["a", "b"], "species": ["x", None]})
    assert encode(frame, TREE).form.kind == "paths"


@given(hierarchies(), st.data())
def test_lists_there_and_back(hierarchy, data):
    y = data.draw(label_lists(hierarchy, 3))
    edges = set(hierarchy.edges())
    expected = [sorted(oracle.own(edges, labels), key=hierarchy.position) for labels in y]
    assert there_and_back(y, hierarchy) == expected


@given(hierarchies(), st.data())
def test_indicators_there_and_back(hierarchy, data):
    y = data.draw(indicators(hierarchy, 3))
    closed = hierarchy.close(y)
    assert (there_and_back(y, hierarchy) != closed).nnz == 0
    assert np.array_equal(there_and_back(y.toarray(), hierarchy), closed.toarray())


@given(hierarchies(), st.data())
def test_every_form_gives_the_same_indicator(hierarchy, data):
    y = data.draw(st.lists(st.sampled_from(hierarchy.names), min_size=1, max_size=4))
    expected = encode(y, hierarchy).indicator
    for form in ([[label] for label in y], np.array(y), expected, expected.toarray(), pd.Series(y)):
        assert (encode(form, hierarchy).indicator != expected).nnz == 0
    assert there_and_back(y, hierarchy).tolist() == y


@pytest.mark.parametrize("form", [LabelForm("lists"), LabelForm("single", "str"), LabelForm("paths", width=2)])
def test_no_documents(form):
    assert len(decode(csr_array((0, 4), dtype=bool), form, TREE)) == 0
    assert encode([], TREE).indicator.shape == (0, 4)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (["x", "z"], r"document 1: the label 'z'.*not in.*hierarchy"),
        ([["x"], ["b", "z"]], r"document 1: the label 'z'.*not in.*hierarchy"),
        ([1], r"document 0: the label 1.*not in.*hierarchy"),
        (np.array([["a", "z"]]), r"document 0: the label 'z'.*not in.*hierarchy"),
        ([[["x"]]], r"document 0: the labels \[\['x'\]\] are lists in a list; write one list"),
        ([["x"], "x"], r"document 1: the labels 'x'.*not a list.*\['x'\]"),
        ("x", "are one string, 'x'"),
        (None, "requires y to be passed, but the target y is None"),
        (3, "labels have 0 dimensions"),
        (np.zeros((1, 1, 1)), "labels have 3 dimensions"),
        (csr_array((1, 3)), "the indicator has 3 columns for 4 categories"),
        (csr_array([[0, 2, 0, 0]]), "the indicator holds values other than 0 and 1"),
        (csr_array([[0.5, 0, 0, 0]]), "values other than 0 and 1"),
        (np.array([[2, 0, 0, 0]]), r"document 0: the label 2.*not in.*hierarchy"),
        (np.array([[True, False]]), r"document 0: the label True.*not in.*hierarchy"),
    ],
)
def test_refusals(y, message):
    with pytest.raises(ValueError, match=message):
        encode(y, TREE)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([[["x"]]], "in a list"),
        ([(["x"],)], "in a list"),
        ([], "no document has a label; give at least one, or a hierarchy"),
        ([None, None], r"no document.*label"),
        ([[], []], r"no document.*label"),
        (["ROOT", "x"], r"'ROOT'.*name.*root"),
        (np.array([["a", "", "x"]]), "has a gap"),
        (np.array([0.5, 1.5]), "Unknown label type: continuous"),
        (np.array([1.0, np.nan]), "y contains NaN"),
        (np.array([1.0, np.inf]), "y contains infinity"),
    ],
)
def test_refusals_without_a_hierarchy(y, message):
    with pytest.raises(ValueError, match=message):
        encode(y)


def test_one_column_is_one_label_a_document_as_in_scikit_learn():
    with pytest.warns(UserWarning, match="column-vector y was passed"):
        labels = encode(np.array([["x"], ["b"]]))
    assert labels.form.kind == "single"


def test_an_answer_of_several_labels_does_not_fit_into_one():
    several = csr_array([[False, True, True, False]])
    for form in (LabelForm("single", "str"), LabelForm("paths", width=2)):
        with pytest.raises(ValueError, match="exactly one label a document is needed; ask for lists"):
            decode(several, form, TREE)
        assert decode(several, form.as_lists, TREE) == [["b", "x"]]
    indicator = LabelForm("indicator", "|b1")
    assert indicator.as_lists is indicator


@pytest.mark.parametrize("dtype", ["U9", "|S3", "V8", "i4,i4", "O", "<U0"])
def test_a_form_has_no_odd_types(dtype):
    with pytest.raises(ValueError, match="labels cannot have the type"):
        LabelForm("single", dtype)


def test_a_form_is_one_of_four():
    with pytest.raises(ValueError, match="labels have no form 'sets'; choose one of single, lists, paths, indicator"):
        LabelForm("sets")


@pytest.mark.parametrize("dtype", ["U9", "S3", "T", "O", "i4", "?", "f8"])
def test_a_type_is_named_so_that_it_can_be_made_again(dtype):
    name = dtype_name(np.dtype(dtype))
    assert np.dtype(name).kind == np.dtype(dtype).kind
    assert dtype_name(np.dtype(name)) == name
