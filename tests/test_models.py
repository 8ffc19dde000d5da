"""Model files that were made once: whatever becomes of the code, they load and answer the same."""

import json

import numpy as np
import pytest

from classmark import TextClassifier
from tests.encoders import FOLDER as ENCODER
from tests.encoders import NEEDS, every_method
from tests.models.make import ASKED, FOLDER


@every_method
def test_it_answers_as_it_did(method, monkeypatch):
    # A frozen encoder is found by its name, which is that of a folder here.
    monkeypatch.chdir(ENCODER.parent)
    model = TextClassifier.load(FOLDER / f"{method}.classmark")
    answers = json.loads((FOLDER / f"{method}.json").read_text())
    assert list(model.classifier_.predict(model.transform(ASKED))) == answers["predicted"]
    scores = np.array([[-np.inf if score is None else score for score in row] for row in answers["scores"]])
    # Encoders compute in single numbers, whose last digits are the processor's.
    near = 1e-3 if method in NEEDS else 1e-6
    assert model.node_scores(ASKED) == pytest.approx(scores, rel=near, abs=near)
