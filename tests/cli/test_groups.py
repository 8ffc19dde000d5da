from functools import partial
from inspect import signature

from classmark.cli.groups import takes


def size(width: int = 2, height: int = 3) -> tuple[int, int]:
    return width, height


def test_a_group_stands_in_the_place_of_its_parameter():
    drawn = []

    @takes(area=size)
    def draw(name: str, *, area: tuple[int, int], colour: str = "red") -> None:
        """Draw something."""
        drawn.append((name, area, colour))

    assert list(signature(draw).parameters) == ["name", "width", "height", "colour"]
    assert draw.__annotations__ == {"name": str, "width": int, "height": int, "colour": str}
    assert draw.__doc__ == "Draw something."
    draw(name="owl", width=1, height=4, colour="blue")
    assert drawn == [("owl", (1, 4), "blue")]


def test_a_group_with_another_default():
    @takes(area=partial(size, height=9))
    def draw(*, area: tuple[int, int]) -> None: ...

    assert {name: one.default for name, one in signature(draw).parameters.items()} == {"width": 2, "height": 9}
