"""Groups of options that several commands share, and commands that reject a repeated option."""

import inspect
from collections.abc import Callable, Iterator
from functools import wraps
from typing import Any, TypeAlias

import typer
from typer.core import TyperCommand


def command_group(help: str) -> typer.Typer:
    """Return a group of commands that prints its help if no command is named."""
    app = typer.Typer(rich_markup_mode=None)

    @app.callback(invoke_without_command=True, help=help)
    def show_help(context: typer.Context) -> None:
        if context.invoked_subcommand is None:
            typer.echo(context.get_help())

    return app


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


UsageError: Any = typer.BadParameter.__bases__[0]
"""Some versions of typer bring their own copy of click, so its classes are only to be had through typer."""


class SingleOptionCommand(TyperCommand):
    """A command whose options are given once, unless repetition means several values; flags may be repeated.

    The parser of click silently takes the last value.
    """

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments; raise a usage error that names a repeated option."""
        if not ctx.resilient_parsing:
            order: list[Any] = list(self.make_parser(ctx).parse_args(args=list(args))[2])
            for option in order:
                times = order.count(option)
                if times > 1 and not (option.multiple or option.is_flag or option.count):
                    several = "; separate several values by commas" if "commas" in (option.help or "") else ""
                    raise UsageError(f"{option.opts[0]} is given {times} times; give it once{several}", ctx)
        return super().parse_args(ctx, args)
