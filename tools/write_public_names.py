"""Write `src/classmark/__init__.py`: the public names, from the table of methods and the list below.

    python tools/write_public_names.py

A test compares the file with what this writes.
"""

import tomllib
from pathlib import Path

from classmark.methods.table import CLASSES

ROOT = Path(__file__).parent.parent
PLACE = ROOT / "src" / "classmark" / "__init__.py"
OTHERS = {
    "Analyser": "text.analyser",
    "Hierarchy": "hierarchy",
    "TermSelector": "selection",
    "TermWeighting": "text.weighting",
    "TextClassifier": "pipeline",
    "TextVectoriser": "text.vectoriser",
    "check_corpus": "inspection",
    "cluster": "parallel.cluster.connecting",
    "load_docstrings": "data",
    "make_report": "service.reporting",
    "read_corpus": "data",
}
"""What is public beside the classifiers of the table."""
TEMPLATE = '''"""classmark puts texts into a hierarchy of categories.

The public names are imported when first used, so that `import classmark` stays quick. This file is written by
`tools/write_public_names.py`.
"""

from typing import TYPE_CHECKING

from classmark.lazy import names_of

if TYPE_CHECKING:
{imports}

__version__ = "{version}"

_HOMES = {{
{homes}
}}

__all__ = [
{names}
]

__getattr__ = names_of("classmark", _HOMES)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
'''


def kind_of_name(name: str) -> tuple[int, str]:
    """Order names as the linter does: constants, classes, then the others."""
    return (0 if name.isupper() else 1 if name[0].isupper() else 2, name)


def written() -> str:
    """Give the text of the file."""
    homes = {name: home.partition(":")[0] for name, home in CLASSES.items()} | OTHERS
    by_home = sorted(homes, key=lambda name: (homes[name], kind_of_name(name)))
    return TEMPLATE.format(
        version=tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"],
        imports="\n".join(f"    from classmark.{homes[name]} import {name} as {name}" for name in by_home),
        homes="\n".join(f'    "{name}": "{homes[name]}",' for name in sorted(homes)),
        names="\n".join(f'    "{name}",' for name in sorted(homes, key=kind_of_name)),
    )


if __name__ == "__main__":
    PLACE.write_text(written())
