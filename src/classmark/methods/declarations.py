"""The settings of all methods as they are declared, written down: to be listed without importing what learns.

`declarations.json` is written by `tools/write_declarations.py` from the parameters of the classes, and a test compares
the two. A method that is not in it, because it is being written, has its class asked.
"""

import json
from functools import cache
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("declarations.json")


@cache
def declarations() -> dict[str, list[dict[str, Any]]]:
    """Give the settings of each method by its name.

    >>> declarations()["linear-svm"][0]["name"]
    'C'
    """
    found: dict[str, list[dict[str, Any]]] = json.loads(FILE.read_bytes())
    return found
