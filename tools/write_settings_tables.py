"""Write the tables of settings in `docs/`, from what the classes declare.

    python tools/write_settings_tables.py

A table stands between `<!-- settings of NAME, NAME -->` and `<!-- end of settings -->`, the names those of methods, of
public classes, or `text` for what every method has. A test compares the pages with what this writes.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import classmark
from classmark.parameters import Parameter, parameters
from classmark.registry import METHODS
from classmark.text import TextSettings

PAGES = Path(__file__).parent.parent / "docs"
BLOCK = re.compile(r"(?<=<!-- settings of )([^>]+)( -->\n).*?(?=<!-- end of settings -->)", re.DOTALL)
HEAD = "| setting | default | what it may be | meaning |\n|---|---|---|---|\n"


def declared(name: str) -> Mapping[str, Parameter]:
    """Give what a method, a class or the text declares."""
    if name in METHODS:
        return METHODS[name].declared()
    return parameters(TextSettings if name == "text" else getattr(classmark, name))


def table(names: Sequence[str]) -> str:
    """Give the settings of some methods as one table, each setting once."""
    of_each = {name: declared(name) for name in names}
    settings = dict.fromkeys(setting for found in of_each.values() for setting in found)
    return HEAD + "".join(
        row({name: found[one] for name, found in of_each.items() if one in found}, names) for one in settings
    )


def row(having: Mapping[str, Parameter], names: Sequence[str]) -> str:
    """Give the row of a setting, by the methods that have it."""
    by_default: dict[str, list[str]] = {}
    for name, one in having.items():
        by_default.setdefault(shown(one.default), []).append(name)
    first, *others = sorted(by_default, key=lambda default: -len(by_default[default]))
    defaults = "; ".join([first, *(f"{default} for {listed(by_default[default])}" for default in others)])
    one = next(iter(having.values()))
    whose = "" if len(having) == len(names) else f" Not of {listed([name for name in names if name not in having])}."
    if len(having) < len(names) / 2:
        whose = f" Of {listed(having)} alone."
    return f"| `{one.name}` | {defaults} | {one.constraint.description} | {one.description}{whose} |\n"


def shown(default: Any) -> str:
    """Write a default as Python has it."""
    return f'`"{default}"`' if isinstance(default, str) else f"`{default!r}`"


def listed(names: Any) -> str:
    """Name some methods in a row."""
    *most, last = (f"`{name}`" for name in names)
    return f"{', '.join(most)} and {last}" if most else last


def written(page: str) -> str:
    """Give the text of a page with its tables as they are declared now."""
    return BLOCK.sub(lambda found: f"{found[1]}{found[2]}{table(found[1].split(', '))}", page)


if __name__ == "__main__":
    for path in sorted(PAGES.glob("*.md")):
        text = path.read_text(encoding="utf-8")
        if (new := written(text)) != text:
            path.write_text(new, encoding="utf-8")
