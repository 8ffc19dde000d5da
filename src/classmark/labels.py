"""Every form in which a user has labels, to an indicator over the nodes and back.

Forms: a 1-D array of labels (`single`), lists of labels (`lists`), label paths as rows of a 2-D array (`paths`), and a
dense or sparse 0/1 matrix with a column for each node (`indicator`). `encode` recognises the form, `decode` answers in
it. A label set that is empty means *belongs nowhere*; `None` means *not labelled*.
"""

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, issparse
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import assert_all_finite, column_or_1d

from classmark.columns import LabelSets
from classmark.errors import InputError
from classmark.hierarchy import Hierarchy, Name
from classmark.hierarchy.build import is_missing
from classmark.hierarchy.indicator import canonical
from classmark.wording import meant

Kind: TypeAlias = Literal["single", "lists", "paths", "indicator"]


@dataclass(frozen=True)
class LabelForm:
    """How a user wrote labels, so that answers come back the same way."""

    kind: Kind
    dtype: str = "object"
    width: int = 0
    sparse: bool = False

    def __post_init__(self) -> None:
        if self.kind not in get_args(Kind):
            raise InputError(f"labels have no form {self.kind!r}; choose one of {', '.join(get_args(Kind))}")
        if self.dtype != dtype_name(np.dtype(self.dtype)):
            raise InputError(f"labels cannot have the type {self.dtype!r}")

    @property
    def as_lists(self) -> "LabelForm":
        """The form for answers that may hold any number of labels."""
        return replace(self, kind="lists") if self.kind in ("single", "paths") else self


@dataclass(frozen=True)
class Labels:
    """Label sets over the nodes of a hierarchy.

    Attributes
    ----------
    indicator : csr_array of bool, (n_documents, n_nodes)
        The labels as given, ancestors not added.
    labelled : array of bool
        False where a document is *not labelled* (`None`).
    """

    hierarchy: Hierarchy
    indicator: csr_array
    labelled: npt.NDArray[np.bool_]
    form: LabelForm


def encode(y: Any, hierarchy: Hierarchy | None = None) -> Labels:
    """Convert labels of any form to an indicator.

    Parameters
    ----------
    y : labels in any of the forms
        A sparse matrix, or a boolean or 0/1 array with one column per node, is an indicator; any other 2-D array is
        paths; sequences of sequences are lists of labels. The named columns of a data frame are matched to the
        categories by name.
    hierarchy : Hierarchy, optional
        Without one, a flat hierarchy over the labels seen, or the tree of the paths.

    Examples
    --------
    >>> encode([["a"], [], None]).labelled
    array([ True,  True, False])
    """
    if hierarchy is not None and not isinstance(hierarchy, Hierarchy):
        kind = type(hierarchy).__name__
        raise InputError(f"hierarchy is a {kind}; make a Hierarchy of it, as Hierarchy.from_nested does of a dict")
    if isinstance(y, LabelSets):
        return _from_label_sets(y, hierarchy)
    if issparse(y):
        matrix: Any = y
        return _from_indicator(matrix.tocoo(), hierarchy, sparse=True)
    values = _as_array(y, hierarchy)
    columns = _column_names(y) if values.ndim == 2 else None
    if columns is not None and _is_named_indicator(values, columns, hierarchy):
        return _from_named_columns(values, columns, hierarchy)
    if values.ndim == 2:
        return _from_table(values, hierarchy)
    if values.dtype == object and any(_is_list(v, hierarchy) for v in values):
        return _from_lists(values, hierarchy)
    return _from_single(values, hierarchy)


def decode(indicator: csr_array, form: LabelForm, hierarchy: Hierarchy) -> Any:
    """Answer in the user's form: own labels, or the closed set for an indicator."""
    return DECODED[form.kind](hierarchy.close(indicator), form, hierarchy)


def _as_indicator(closed: csr_array, form: LabelForm, hierarchy: Hierarchy) -> Any:
    return closed.astype(form.dtype) if form.sparse else closed.toarray().astype(form.dtype)


def _as_lists(closed: csr_array, form: LabelForm, hierarchy: Hierarchy) -> list[list[Name]]:
    own = hierarchy.own(closed)
    rows = np.split(own.indices, own.indptr[1:-1]) if own.shape[0] else []
    return [[hierarchy.names[node] for node in row] for row in rows]


def _as_names(closed: csr_array, form: LabelForm, hierarchy: Hierarchy) -> npt.NDArray[Any]:
    return np.asarray(name_array(hierarchy.names, form.dtype)[_one_each(closed, hierarchy)])


def _as_paths(closed: csr_array, form: LabelForm, hierarchy: Hierarchy) -> npt.NDArray[Any]:
    paths = [_path_parts(hierarchy, int(node)) for node in _one_each(closed, hierarchy)]
    return _paths_array(paths, form, hierarchy)


def _one_each(closed: csr_array, hierarchy: Hierarchy) -> npt.NDArray[np.integer]:
    """Give the one own label of each document."""
    own = hierarchy.own(closed)
    if (np.diff(own.indptr) != 1).any():
        raise InputError("an answer with exactly one label a document is needed; ask for lists instead")
    return np.asarray(own.indices)


DECODED: dict[str, Callable[[csr_array, LabelForm, Hierarchy], Any]] = {
    "indicator": _as_indicator,
    "lists": _as_lists,
    "single": _as_names,
    "paths": _as_paths,
}
"""The form of labels → how closed label sets are given in it."""


def dtype_name(dtype: np.dtype[Any]) -> str:
    """Name the type of labels; a numpy string type without its width, which would cut a longer answer off."""
    return {"O": "object", "S": "S", "T": "T", "U": "str"}.get(dtype.kind, dtype.str)


def name_array(names: Iterable[Name], dtype: str = "object") -> npt.NDArray[Any]:
    """Give names as a 1-D array; tuples stay single elements."""
    listed = list(names)
    result = np.empty(len(listed), dtype=object)
    result[:] = listed
    return result.astype(dtype)


def _as_array(y: Any, hierarchy: Hierarchy | None) -> npt.NDArray[Any]:
    """Make an array of what came, without letting numpy turn mixed labels into strings or lists into a table."""
    if y is None:
        raise InputError("the estimator requires y to be passed, but the target y is None")
    if isinstance(y, str):
        raise InputError(f"the labels are one string, {y!r}; give one label, or one list of labels, a document")
    given = hasattr(y, "__array__") or np.isscalar(y)
    values = np.asarray(y) if given else _array_of_list(list(y), hierarchy)
    if values.dtype.kind == "f" and hasattr(y, "to_list") and not isinstance(y.dtype, np.dtype):
        # Whole numbers with some missing, of which numpy makes fractions.
        values = _array_of_list(y.to_list(), hierarchy)
    if values.ndim == 2 and values.shape[1] == 1 and hierarchy is None:
        values = column_or_1d(values, warn=True)
    if values.ndim not in (1, 2):
        raise InputError(f"labels have {values.ndim} dimensions; give a 1-D or 2-D array, or lists of labels")
    return values


def _array_of_list(listed: list[Any], hierarchy: Hierarchy | None) -> npt.NDArray[Any]:
    """Make an array of the type that all labels have, of objects where there are several, or lists or tuples."""
    several = len(set(map(type, listed))) != 1 or isinstance(listed[0], tuple) or _is_list(listed[0], hierarchy)
    return name_array(listed) if several else np.asarray(listed)


def _is_list(value: Any, hierarchy: Hierarchy | None) -> bool:
    """Say whether a document's entry is a collection of labels; a tuple that names a node is a label."""
    if isinstance(value, tuple) and hierarchy is not None and value in hierarchy:
        return False
    return isinstance(value, list | tuple | set | frozenset | np.ndarray)


def _is_labelled(value: Any) -> bool:
    """Say whether a document's entry is not None, which pandas writes as NaN or NA."""
    return isinstance(value, str) or not is_missing(value)


def _from_indicator(matrix: Any, hierarchy: Hierarchy | None, sparse: bool) -> Labels:
    hierarchy = hierarchy or Hierarchy.flat(range(matrix.shape[1]))
    if matrix.shape[1] != len(hierarchy):
        raise InputError(f"the indicator has {matrix.shape[1]} columns for {len(hierarchy)} categories")
    if matrix.nnz and not np.isin(matrix.data, (0, 1)).all():
        raise InputError("the indicator holds values other than 0 and 1")
    form = LabelForm("indicator", dtype=matrix.dtype.str, width=matrix.shape[1], sparse=sparse)
    return Labels(hierarchy, canonical(matrix), np.ones(matrix.shape[0], dtype=bool), form)


def _column_names(y: Any) -> list[Hashable] | None:
    """Return the column names of a data frame, or None for other input and for pandas' default names 0, 1, 2, ..."""
    names = getattr(y, "column_names", getattr(y, "columns", None))
    if names is None:
        return None
    columns = list(names)
    return None if columns == list(range(len(columns))) else columns


def _is_named_indicator(values: npt.NDArray[Any], columns: list[Hashable], hierarchy: Hierarchy | None) -> bool:
    if _is_indicator(values, hierarchy):
        return True
    return hierarchy is not None and _is_indicator(values, None) and any(name in hierarchy for name in columns)


def _from_named_columns(values: npt.NDArray[Any], columns: list[Hashable], hierarchy: Hierarchy | None) -> Labels:
    """Match the columns of an indicator to the categories by name, whatever their order."""
    hierarchy = hierarchy or Hierarchy.flat(columns)
    unknown = [name for name in columns if name not in hierarchy]
    missing = set(hierarchy.names).difference(columns)
    if unknown:
        raise InputError(
            f"the indicator has the unknown column {unknown[0]!r}{meant(unknown[0], hierarchy)}; name each column after"
            " a category, or pass an array whose columns are in node order"
        )
    if missing:
        first = next(name for name in hierarchy.names if name in missing)
        raise InputError(f"the indicator has no column for {len(missing)} categories, such as {first!r}; add them")
    if len(columns) != len(hierarchy):
        twice = next(name for name in columns if columns.count(name) > 1)
        raise InputError(f"the indicator has several columns {twice!r}; keep one")
    ordered = values[:, np.argsort(hierarchy.positions(columns))]
    return _from_indicator(csr_array(ordered), hierarchy, sparse=False)


def _from_table(values: npt.NDArray[Any], hierarchy: Hierarchy | None) -> Labels:
    """Read a 2-D array: 0/1 with a column per node is an indicator, anything else is paths."""
    if _is_indicator(values, hierarchy):
        return _from_indicator(csr_array(values), hierarchy, sparse=False)
    hierarchy = hierarchy or Hierarchy.from_paths(values)
    form = LabelForm("paths", dtype=dtype_name(values.dtype), width=values.shape[1])
    by_path = any(isinstance(name, tuple) for name in hierarchy.names)
    sets = [_labels_of_path(row, by_path) for row in values]
    return Labels(hierarchy, _indicator(sets, hierarchy), np.ones(len(sets), dtype=bool), form)


def _is_indicator(values: npt.NDArray[Any], hierarchy: Hierarchy | None) -> bool:
    if values.dtype.kind not in "biuf" or (hierarchy is not None and values.shape[1] != len(hierarchy)):
        return False
    return bool(np.isin(values, (0, 1)).all())


def _labels_of_path(row: npt.NDArray[Any], by_path: bool) -> list[Name]:
    """Name the node at the end of a path: by the whole path where nodes are named so, else by each part."""
    parts = [part for part in row.tolist() if not is_missing(part)]
    return [tuple(parts)] if by_path and parts else parts


def _from_lists(values: npt.NDArray[Any], hierarchy: Hierarchy | None) -> Labels:
    sets = [_list_of(document, value) for document, value in enumerate(values)]
    labelled = np.array([names is not None for names in sets], dtype=bool)
    names = [names or [] for names in sets]
    hierarchy = hierarchy or _flat_over(set(chain.from_iterable(names)))
    return Labels(hierarchy, _indicator(names, hierarchy), labelled, LabelForm("lists"))


def _from_label_sets(sets: LabelSets, hierarchy: Hierarchy | None) -> Labels:
    """Look every name up once, however many documents have it."""
    used = np.unique(sets.codes)
    hierarchy = hierarchy or _flat_over({sets.names[code] for code in used.tolist()})
    nodes = np.full(len(sets.names), -1, dtype=np.int64)
    nodes[used] = hierarchy.positions(sets.names[code] for code in used.tolist())
    positions = nodes[sets.codes]
    if (positions < 0).any():
        return _from_lists(np.array([*sets, None], dtype=object)[:-1], hierarchy)
    shape = (len(sets), len(hierarchy))
    matrix = csr_array((np.ones(len(positions), bool), positions.astype(np.int32), sets.starts), shape=shape)
    matrix.sum_duplicates()
    return Labels(hierarchy, matrix, sets.labelled, LabelForm("lists"))


def _list_of(document: int, value: Any) -> list[Any] | None:
    """Give a document's labels, None where it is not labelled; refuse what is no list of names."""
    if not _is_list(value, None):
        if _is_labelled(value):
            raise InputError(f"document {document}: the labels {value!r} are not a list; write [{value!r}]")
        return None
    if any(isinstance(name, list | set | dict | np.ndarray) for name in value):
        raise InputError(f"document {document}: the labels {value!r} are lists in a list; write one list")
    return list(value)


def _from_single(values: npt.NDArray[Any], hierarchy: Hierarchy | None) -> Labels:
    labelled = np.ones(len(values), dtype=bool)
    if values.dtype == object:
        labelled[:] = [_is_labelled(value) for value in values]
    names = values[labelled].tolist()
    _check_targets(values, names, hierarchy is None)
    hierarchy = _flat_over(set(names)) if hierarchy is None else hierarchy
    sets = [[value] if known else [] for value, known in zip(values.tolist(), labelled, strict=True)]
    form = LabelForm("single", dtype=dtype_name(values.dtype))
    return Labels(hierarchy, _indicator(sets, hierarchy), labelled, form)


def _check_targets(values: npt.NDArray[Any], names: list[Any], free: bool) -> None:
    """Refuse numbers that are no classes, as scikit-learn does; objects where no hierarchy says what there is."""
    numbers = values.dtype.kind in "fc"
    if numbers:
        missing = np.flatnonzero(np.isnan(values))
        if missing.size:
            raise InputError(
                f"Input y contains NaN: document {missing[0]} has no label; leave it out, or give objects with None in"
                " its place, such as y.astype(object), where it is not labelled"
            )
        assert_all_finite(values, input_name="y")
    if numbers or (free and values.dtype == object and len(set(map(type, names))) == 1):
        check_classification_targets(np.asarray(names))


def _flat_over(names: set[Any]) -> Hierarchy:
    """Give a flat hierarchy over labels, sorted as numpy would, mixed types by the type's name first."""
    if not names:
        raise InputError("no document has a label; give at least one, or a hierarchy")
    if len(set(map(type, names))) == 1:
        return Hierarchy.flat(sorted(names))
    return Hierarchy.flat(sorted(names, key=lambda name: (type(name).__name__, name)))


def _indicator(sets: Sequence[Sequence[Hashable]], hierarchy: Hierarchy) -> csr_array:
    """Return the indicator of label sets; raise ValueError at an unknown label."""
    sizes = np.fromiter(map(len, sets), dtype=np.int64, count=len(sets))
    nodes = hierarchy.positions(chain.from_iterable(sets))
    unknown = np.flatnonzero(nodes < 0)
    if unknown.size:
        document = int(np.searchsorted(np.cumsum(sizes), unknown[0], side="right"))
        name = next(name for name in sets[document] if name not in hierarchy)
        raise InputError(
            f"document {document}: the label {name!r} is not in the hierarchy{meant(name, hierarchy)};"
            " add it there or drop it"
        )
    starts = np.concatenate([[0], np.cumsum(sizes)])
    matrix = csr_array((np.ones(len(nodes), bool), nodes, starts), shape=(len(sets), len(hierarchy)))
    matrix.sum_duplicates()
    return matrix


def _path_parts(hierarchy: Hierarchy, node: int) -> list[Any]:
    """Give the parts of the path to a node, by its first parents in a DAG."""
    name = hierarchy.names[node]
    if isinstance(name, tuple):
        return list(name)
    return list(hierarchy.path(name))


def _paths_array(paths: list[list[Any]], form: LabelForm, hierarchy: Hierarchy) -> npt.NDArray[Any]:
    """Pad paths to one width, with "" or, for numbers, the largest type's NaN."""
    width = max([form.width, *map(len, paths)])
    numbers = np.dtype(form.dtype).kind in "iuf"
    if numbers and any(len(path) != width for path in paths):
        return np.array(_padded(paths, width, np.nan), dtype=float)
    table = np.empty((len(paths), width), dtype=object)
    for row, path in enumerate(_padded(paths, width, "")):
        table[row] = path
    if form.dtype != "str":
        return table.astype(form.dtype)
    return table.astype(f"U{_longest_part(hierarchy)}")


def _padded(paths: list[list[Any]], width: int, filler: Any) -> list[list[Any]]:
    return [path + [filler] * (width - len(path)) for path in paths]


def _longest_part(hierarchy: Hierarchy) -> int:
    """Count the letters of the longest part of all paths, so that a width does not depend on the batch."""
    parts = (part for name in hierarchy.names for part in (name if isinstance(name, tuple) else (name,)))
    return max(len(str(part)) for part in parts)
