"""Results of every method on the committed texts, as numbers: on any CPU they are those of `values.npz`."""

import inspect
import warnings

import numpy as np
import pytest

import classmark
from classmark.registry import METHODS
from tools import golden

SOLVERS = (
    *("auto", "blend", "global-svm", "hiercost", "linear-svm", "linear-svm-platt", "logistic", "rerank"),
    *("self-training", "topdown-logistic", "topdown-svm"),
)
"""Methods with an iterative solver, whose last step another version of a library may do differently.

With the kernels of OpenBLAS for Haswell, Nehalem and Prescott, and without the newer instructions of numpy and numba,
all methods but those with an encoder differ by less than 2e-11."""
ENCODERS = ("fine-tuned", "frozen-encoder")
"""float32 and Adam, which divides by what may be rounding errors: `frozen-encoder` differs by up to 6e-5."""
TOLERANCES = dict.fromkeys(SOLVERS, 1e-5) | dict.fromkeys(ENCODERS, 1e-3)
COMMITTED = golden.read(golden.VALUES)
CASES = golden.values_cases()


@pytest.mark.parametrize("key", COMMITTED)
def test_values_of_a_method_are_the_committed_ones(key):
    if not golden.installed(key):
        pytest.skip(f"{key} needs a package")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = CASES[key]()
    expected = {"own-scores": COMMITTED[key]["node-scores"]} | COMMITTED[key]
    tolerance = TOLERANCES.get(key.partition("/")[2], 1e-9)
    assert str(found["decision-kind"]) == str(expected["decision-kind"])
    for part in ("node-scores", "own-scores", "probabilities", "decision-numbers"):
        assert (part in found) == (part in expected)
        if part in expected:
            finite = np.abs(expected[part][np.isfinite(expected[part])])
            np.testing.assert_allclose(
                found[part], expected[part], rtol=tolerance, atol=tolerance * finite.max(initial=0.0), err_msg=part
            )
    differing = (found["sets"] != expected["sets"]).any(axis=1)
    assert not (differing & ~undecided(expected, tolerance)).any()


def undecided(expected, tolerance):
    """Return the documents of which a score is within the tolerance of a threshold, or of the best score."""
    kind, numbers = str(expected["decision-kind"]), expected["decision-numbers"]
    nodes, own = expected["node-scores"], expected["own-scores"]
    if kind in ("threshold", "node-thresholds"):
        distances = np.abs(nodes - (numbers[0] if kind == "threshold" else numbers[1:]))
        scale = np.abs(nodes[np.isfinite(nodes)]).max()
    elif kind == "best-path":
        ranked = np.sort(own, axis=1)
        distances, scale = ranked[:, -1:] - ranked[:, -2:-1], np.abs(own[np.isfinite(own)]).max()
    else:
        return np.zeros(len(nodes), dtype=bool)
    return (distances <= tolerance * scale).any(axis=1)


def test_every_method_and_every_public_classifier_has_cases():
    assert set(COMMITTED) == set(CASES)
    assert set(golden.METHODS) == set(METHODS)
    kinds = {name for name in classmark.__all__ if inspect.isclass(getattr(classmark, name))}
    classifiers = {name for name in kinds if hasattr(getattr(classmark, name), "predict_indicator")}
    assert {name for name, _ in golden.ALGORITHMS.values()} == classifiers - {"TextClassifier"}


def test_keys_of_cases_are_distinct():
    keys = [key for key, _ in golden.all_cases()]
    assert len(keys) == len(set(keys))


def test_difference_names_what_differs():
    before = {"node-scores": np.array([[1.0, -np.inf, np.nan]] * 2), "sets": np.eye(4, dtype=bool)}
    assert golden.difference(before, {name: values.copy() for name, values in before.items()}) == ""
    moved = before["node-scores"].copy()
    moved[0, 0] += 2**-40
    assert golden.difference(before, before | {"node-scores": moved}) == f"node-scores by {2**-40:.3g}"
    moved[0, 1] = 0.0
    assert golden.difference(before, before | {"node-scores": moved}) == "node-scores by inf"
    assert "sets" in golden.difference(before, {"node-scores": before["node-scores"]})
    # Negative zero is another number to a bit for bit comparison.
    assert golden.difference({"x": np.zeros(5)}, {"x": -np.zeros(5)})
