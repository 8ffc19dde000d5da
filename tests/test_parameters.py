"""Parameters declared once: what is made of a declaration."""

import inspect
from dataclasses import field
from typing import Annotated, Any

import pytest
from sklearn.base import BaseEstimator, clone

import classmark
from classmark.checks import BOOLEAN, choice, integer, optional, python_only, real
from classmark.parameters import Parameterized, parameters, read_settings

CLASSES = [
    one
    for one in (getattr(classmark, name) for name in classmark.__all__)
    if isinstance(one, type) and issubclass(one, Parameterized)
]


class Bird(Parameterized, BaseEstimator):
    """A bird.

    It sings.

    Attributes
    ----------
    heard_ : int
        How often.
    """

    name: Annotated[str, choice(["owl", "gull"]), "What it is."] = field(default="owl", kw_only=False)
    size: Annotated[float, real(gt=0), "How large it is."] = 1.0
    night: Annotated[bool, python_only(BOOLEAN), "Whether it flies at night."] = True
    heard_: int = field(default=0, init=False)


class Gull(Bird):
    """A gull."""

    size: Annotated[float, real(gt=0), "How large it is."] = 2.0
    eggs: Annotated[int | None, optional(integer(ge=1, le=9)), "How many eggs there are."] = None
    night: bool = field(default=False, init=False)


def test_the_constructor_takes_what_is_declared():
    assert str(inspect.signature(Bird)).startswith("(name: ")
    bird = Bird("gull", size=3)
    assert (bird.name, bird.size, bird.night, bird.heard_) == ("gull", 3, True, 0)
    with pytest.raises(TypeError, match="positional"):
        Bird("gull", 3)
    with pytest.raises(TypeError, match="unexpected keyword argument 'heard_'"):
        Bird(heard_=1)


def test_a_subclass_adds_changes_and_fixes():
    assert Gull().get_params() == {"name": "owl", "size": 2.0, "eggs": None}
    assert Gull().night is False
    assert list(parameters(Gull)) == ["name", "size", "eggs"]
    assert Gull(eggs=3) != Gull(eggs=3)


def test_estimators_are_cloned_and_shown_as_others():
    bird = clone(Gull("gull", eggs=2))
    assert repr(bird) == "Gull(eggs=2, name='gull')"


def test_the_docstring_has_the_parameters_before_what_is_learned():
    said = inspect.getdoc(Bird)
    assert "It sings.\n\nParameters\n----------\nname : one of owl, gull, default 'owl'\n    What it is.\n" in said
    assert said.index("Parameters") < said.index("Attributes")
    assert inspect.getdoc(Gull).endswith(
        "eggs : an integer >= 1 and <= 9, or None, default None\n    How many eggs there are."
    )


def test_wrong_values_are_refused_in_words():
    with pytest.raises(ValueError, match=r"^size=0: .*> 0$"):
        Bird(size=0).check()
    with pytest.raises(ValueError, match=r"^name='oak': .*owl, gull$"):
        Gull("oak").check()


def test_text_is_read():
    assert read_settings(parameters(Gull), {"size": "3", "eggs": "none"}, "a gull") == {"size": 3.0, "eggs": None}
    with pytest.raises(ValueError, match=r"^a gull, setting eggs=many: .*>= 1 and <= 9, or none$"):
        read_settings(parameters(Gull), {"eggs": "many"}, "a gull")
    with pytest.raises(ValueError, match=r"^a gull has no setting 'song'.*: name, size, eggs$"):
        read_settings(parameters(Gull), {"song": "long"}, "a gull")


@pytest.mark.parametrize("annotation", [int, Annotated[int, integer(ge=1)], Annotated[int, "How many."]])
def test_a_field_without_rule_and_sentence_is_a_mistake(annotation: Any):
    with pytest.raises(TypeError, match="count is not a parameter"):
        type("Nest", (Parameterized,), {"__annotations__": {"count": annotation}, "count": 1})


def test_there_are_classes_to_look_at():
    assert len(CLASSES) > 25


@pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.__name__)
def test_every_public_class_declares_all_of_its_parameters(kind):
    declared = parameters(kind)
    assert set(inspect.signature(kind).parameters) == set(declared)
    for name, one in declared.items():
        assert one.constraint.accepts(one.default)
        assert one.description[0].isupper() or not one.description[0].isalpha() or one.description.startswith("κ")
        assert one.description.endswith(".")
        assert f"\n    {name} : " in kind.__doc__
    own = [name for name in declared if name not in getattr(kind, "_shared_parameters", ())]
    assert kind.__doc__.count("\n    Parameters\n") == bool(own)
    assert kind.__doc__.count("\n    Other Parameters\n") == (len(own) < len(declared))
