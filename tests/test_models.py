"""Model files that were made once: whatever becomes of the code, they load and answer the same."""

import json

import numpy as np
import pytest

from classmark import TextClassifier
from classmark.methods import METHODS
from tests.models.make import ASKED, FOLDER


@pytest.mark.parametrize("name", METHODS)
def test_it_answers_as_it_did(name):
    model = TextClassifier.load(FOLDER / f"{name}.classmark")
    answers = json.loads((FOLDER / f"{name}.json").read_text())
    assert list(model.predict(ASKED)) == answers["predicted"]
    scores = np.array([[-np.inf if score is None else score for score in row] for row in answers["scores"]])
    assert model.node_scores(ASKED) == pytest.approx(scores, rel=1e-6, abs=1e-6)
