"""The one table of methods: name → what it is, its settings, how it is built, how it likes its text."""

from classmark.methods.boosting import BOOSTING
from classmark.methods.consistent import CONSISTENT
from classmark.methods.embedding import EMBEDDING
from classmark.methods.flat import FLAT
from classmark.methods.generative import GENERATIVE
from classmark.methods.linear import LINEAR
from classmark.methods.neighbours import NEIGHBOURS
from classmark.methods.self_training import SELF_TRAINING
from classmark.methods.settings import Method

FAMILIES = (FLAT, BOOSTING, CONSISTENT, GENERATIVE, EMBEDDING, LINEAR, NEIGHBOURS, SELF_TRAINING)
METHODS: dict[str, Method] = {method.name: method for family in FAMILIES for method in family}


def find_method(name: str) -> Method:
    """Look a method up by its name."""
    if name not in METHODS:
        raise ValueError(f"method {name!r} does not exist; choose one of {', '.join(METHODS)}")
    return METHODS[name]
