"""A top-down model as plain data and arrays, and back."""

from typing import TYPE_CHECKING

import numpy as np

from classmark.errors import InputError
from classmark.persistence import State, all_below, checked_array
from classmark.selection import TermSelector, format_selection
from classmark.strategies.learners import (
    OWN_LEARNERS,
    learner_from_state,
    learner_to_state,
    own_from_state,
    own_to_state,
)
from classmark.strategies.topdown.descent import Structure
from classmark.strategies.topdown.linear_bank import LinearBank, LinearModel
from classmark.strategies.topdown.local_fit import LocalModel, MultiLabelModel

if TYPE_CHECKING:
    from classmark.strategies.topdown.classifier import TopDownClassifier

_ELSEWHERE = ("estimator", "hierarchy", "decision", "calibration", "n_jobs")
"""The parameters that are kept elsewhere, or say nothing about the model."""


def learned_state(model: "TopDownClassifier") -> State:
    """Give what a top-down model has learned, and its parameters."""
    structure = model.structure_
    given = model.get_params(deep=False).items()
    shared = {
        "learner": learner_to_state(getattr(model, "estimator", None)),
        "parameters": {
            name: format_selection(value) if isinstance(value, TermSelector) else value
            for name, value in given
            if name not in _ELSEWHERE
        },
        "normalised": model.normalised_,
        "problems": int(structure.parents.size),
        "parents": structure.parents,
        "starts": structure.starts,
        "slots": structure.slots,
    }
    if model.bank_ is not None:
        return shared | {"intercepts": model.bank_.intercepts, "weights": model.bank_.to_state()}
    return shared | {"models": [_model_state(one) for one in model.models_ or []]}


def restore(model: "TopDownClassifier", learned: State) -> None:
    """Take up what `learned_state` gave, refusing what cannot be it."""
    for name, value in learned["parameters"].items():
        if name not in model.get_params(deep=False) or name in _ELSEWHERE:
            raise InputError(f"the model has no parameter {name!r}")
        setattr(model, name, value)
    model.check()
    if "estimator" in model.get_params(deep=False):
        model.estimator = learner_from_state(learned["learner"])
    model.structure_ = _structure(learned, len(model.hierarchy_))
    model.normalised_ = bool(learned["normalised"])
    model.bank_ = model.models_ = None
    sizes = np.diff(model.structure_.starts).tolist()
    if "models" not in learned:
        intercepts = checked_array(learned, "intercepts", np.float64, (sum(sizes),))
        model.bank_ = LinearBank.from_state(learned["weights"], intercepts, model.n_features_in_)
        return
    if len(learned["models"]) != len(sizes):
        raise InputError("the model's local models are not as many as its local problems")
    models = zip(learned["models"], sizes, strict=True)
    model.models_ = [_model(one, size, model.n_features_in_) for one, size in models]


def _structure(learned: State, nodes: int) -> Structure:
    """Take up the local problems and their slots."""
    count = int(learned["problems"])
    parents = checked_array(learned, "parents", np.int32, (count,))
    starts = checked_array(learned, "starts", np.int32, (count + 1,))
    slots = checked_array(learned, "slots", np.int32, (int(starts[-1]) if starts.size else 0,))
    structure = Structure(parents, starts, slots, nodes)
    structure.check()
    return structure


def _model_state(model: LocalModel) -> State:
    if isinstance(model, LinearModel):
        return {"intercepts": model.intercepts}
    if not isinstance(model, MultiLabelModel):
        raise InputError("a model around a learner that is not linear cannot be saved")
    return {"columns": model.columns.astype(np.int32), "passed": model.passed, "model": own_to_state(model.classifier)}


def _model(state: State, size: int, features: int) -> LocalModel:
    if "intercepts" in state:
        intercepts = checked_array(state, "intercepts", np.float64, (size,))
        return LinearModel(np.empty(0, np.int32), np.zeros((0, size)), intercepts)
    columns = checked_array(state, "columns", np.int32, (None,))
    if not all_below(columns, features):
        raise InputError("the model's local columns lie outside its vocabulary")
    passed = checked_array(state, "passed", np.bool_, (size,))
    classifier = own_from_state(state["model"])
    if classifier.n_features_in_ != columns.size or len(classifier.hierarchy_) != size - passed.sum():
        raise InputError("a local model does not fit its columns or its categories")
    return MultiLabelModel(columns, classifier, passed)


def can_be_kept(model: LocalModel) -> bool:
    """Say whether a file can hold what was learned at a node."""
    return isinstance(model, LinearModel) or (
        isinstance(model, MultiLabelModel) and type(model.classifier).__name__ in OWN_LEARNERS
    )


def node_state(model: LocalModel) -> State:
    """Give what was learned at one node, with all its weights, as a checkpoint has it."""
    return model._asdict() if isinstance(model, LinearModel) else _model_state(model)


def taken_up(kept: State | None) -> list[LocalModel]:
    """Give the nodes of a checkpoint that `node_state` gave, none without one."""
    return [_kept_model(one) for one in ([] if kept is None else kept["nodes"])]


def _kept_model(node: State) -> LocalModel:
    if "model" not in node:
        return LinearModel(**{name: np.array(array) for name, array in node.items()})
    return MultiLabelModel(np.array(node["columns"]), own_from_state(node["model"]), np.array(node["passed"]))
