"""Options that belong together and that several commands share, as one argument of a command."""

import inspect
from collections.abc import Callable, Iterator
from functools import wraps
from typing import Any, TypeAlias

Group: TypeAlias = Callable[..., Any]
"""What makes one value of some options; its parameters are their declaration."""


def takes(**groups: Group) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the options of groups: each takes the place of the parameter that it is called by.

    The command gets what the group makes of the options as this parameter.
    """

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        @wraps(command)
        def run(**given: Any) -> None:
            command(**dict(_made(groups, given)))

        own = inspect.signature(command).parameters.values()
        parameters = [
            one.replace(kind=inspect.Parameter.KEYWORD_ONLY)
            for parameter in own
            for one in (_declared(groups[parameter.name]).values() if parameter.name in groups else [parameter])
        ]
        # What typer looks at: the signature for the defaults, the annotations for the rest.
        run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        run.__annotations__ = {one.name: one.annotation for one in parameters}
        return run

    return decorate


def _made(groups: dict[str, Group], given: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Give the arguments of a command: what its groups make of their options, and the other options as they are."""
    for name, group in groups.items():
        yield name, group(**{option: given.pop(option) for option in _declared(group)})
    yield from given.items()


def _declared(group: Group) -> dict[str, inspect.Parameter]:
    """Give the options of a group."""
    return dict(inspect.signature(group).parameters)
