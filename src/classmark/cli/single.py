"""Commands that reject a repeated option."""

from typing import Any

import typer
from typer.core import TyperCommand

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
