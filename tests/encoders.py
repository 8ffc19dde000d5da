"""A tiny encoder for the methods that have one, so that they go through the tests of all methods."""

from importlib.util import find_spec
from pathlib import Path

import pytest

from classmark.registry import METHODS

FOLDER = Path(__file__).parent / "models" / "encoder"
"""Made by `tests.models.make`."""
QUICK = {"fine-tuned": {"epochs": 15, "learning_rate": 0.03, "device": "cpu"}, "frozen-encoder": {}}
FEW: dict[str, dict[str, object]] = {"auto": {"methods": "nb-plus", "budget": "none"}}
"""A search that is over soon, and not by the clock."""
NEEDS = {"fine-tuned": ("torch", "transformers", "tokenizers"), "frozen-encoder": ("tokenizers",)}


def settings_for(method: str) -> dict[str, object]:
    """Give the settings under which a method is tested: its defaults, but encoders are tiny, and a search is short."""
    if method not in NEEDS:
        return dict(FEW.get(method, {}))
    return {"encoder": f"sentence:{FOLDER}", **QUICK[method]}


def _marks(method: str) -> list[pytest.MarkDecorator]:
    missing = [name for name in NEEDS.get(method, ()) if find_spec(name) is None]
    return [pytest.mark.skip(reason=f"{method} needs {missing[0]}")] if missing else []


every_method = pytest.mark.parametrize("method", [pytest.param(one, marks=_marks(one)) for one in METHODS])
"""All methods; those whose packages are not there are skipped, saying so."""
