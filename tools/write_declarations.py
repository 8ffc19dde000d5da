"""Write `src/classmark/methods/declarations.json`: the settings of all methods, from the parameters of their classes.

    python tools/write_declarations.py

`classmark methods` and the completion of shells read it, and import nothing that learns. A test compares the file with
what this writes.
"""

import json

from classmark.methods import METHODS
from classmark.methods.declarations import FILE
from classmark.service.listing import described
from classmark.service.results import plain


def written() -> str:
    """Give the text of the file: a line for each setting."""
    methods = [f"{json.dumps(name)}: [{_lines(plain(described(method)))}]" for name, method in METHODS.items()]
    return "{\n" + ",\n".join(methods) + "\n}\n"


def _lines(settings: list[dict[str, object]]) -> str:
    lines = ",\n".join(json.dumps(setting, ensure_ascii=False) for setting in settings)
    return f"\n{lines}\n" if lines else ""


if __name__ == "__main__":
    FILE.write_text(written(), encoding="utf-8")
