"""What can be chosen, for the help of options, out of the tables of the library.

A table is read in its source and not imported, for that would take numpy and scipy, and `--help` answers at once.
"""

import ast
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from classmark.wording import one_of

LIBRARY = Path(__file__).parent.parent


def names_in(file: str, table: str) -> list[str]:
    """Give the names in a table of a file: the keys of a dict, or the entries of a tuple.

    >>> names_in("probability/table.py", "CALIBRATIONS")
    ['platt', 'isotonic', 'softmax']
    """
    found = _tables(file)[table]
    return _texts(found.keys if isinstance(found, ast.Dict) else found.elts)


def names_within(file: str, table: str, argument: str) -> list[str]:
    """Give the keys of the dicts that the entries of a table are given as an argument.

    >>> names_within("metrics/table.py", "MEASURES", "choices")[:3]
    ['micro-f1', 'macro-f1', 'hf']
    """
    given = [one for entry in ast.walk(_tables(file)[table]) if isinstance(entry, ast.Call) for one in entry.keywords]
    dicts = [one.value for one in given if one.arg == argument and isinstance(one.value, ast.Dict)]
    return [name for one in dicts for name in _texts(one.keys)]


def _texts(nodes: Sequence[ast.expr | None]) -> list[str]:
    return [one.value for one in nodes if isinstance(one, ast.Constant) and isinstance(one.value, str)]


@cache
def _tables(file: str) -> dict[str, ast.Dict | ast.Tuple | ast.List]:
    """Give what is written as a dict, a tuple or a list at the top of a file, by name."""
    found = {}
    for statement in ast.parse((LIBRARY / file).read_bytes()).body:
        match statement:
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=ast.Dict() | ast.Tuple() | ast.List() as value)
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.Dict() | ast.Tuple() | ast.List() as value)
            ):
                found[name] = value
    return found


def choices(option: str) -> str:
    """List what an option of reading may be.

    >>> choices("empty_labels")
    'unlabelled or nowhere'
    """
    return one_of(choice_names(option))


def choice_names(option: str) -> Sequence[str]:
    """Give what an option of reading may be."""
    found: Sequence[str] = ast.literal_eval(_tables("data/options.py")["CHOICES"])[option]
    return found


DECISION_NAMES = [*names_in("decision/table.py", "DECISIONS"), *names_in("decision/table.py", "ALIASES")]
CALIBRATION_NAMES = names_in("probability/table.py", "CALIBRATIONS")
CRITERION_NAMES = names_in("selection/scores.py", "SCORES")
ENCODER_NAMES = names_in("text/encoders/kinds.py", "ENCODERS")
MEASURE_NAMES = names_within("metrics/table.py", "MEASURES", "choices")
SEARCH_NAMES = names_in("tuning/search.py", "SEARCHES")
SCORING_NAMES = names_in("index/scoring.py", "SCORINGS")
IDF_NAMES = sorted(names_in("index/scoring.py", "IDFS"))
SPLIT_NAMES = names_in("data/experiments.py", "SPLITS")

DECISIONS = one_of(DECISION_NAMES)
CALIBRATIONS = one_of(CALIBRATION_NAMES)
CRITERIA = one_of(CRITERION_NAMES)
ENCODERS = one_of(ENCODER_NAMES)
MEASURES = one_of(MEASURE_NAMES)
SEARCHES = one_of(SEARCH_NAMES)
SCORINGS = one_of(SCORING_NAMES)
IDFS = one_of(IDF_NAMES)
SPLITS = one_of(SPLIT_NAMES)
