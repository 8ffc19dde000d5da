"""What can be chosen, for the help of options, out of the tables of the library.

A table is read in its source and not imported, for that would take numpy and scipy, and `--help` answers at once.
"""

import ast
from functools import cache
from pathlib import Path

from classmark.wording import one_of

LIBRARY = Path(__file__).parent.parent


def names_in(file: str, table: str) -> list[str]:
    """Give the names in a table of a file: the keys of a dict, or the entries of a tuple.

    >>> names_in("probability/table.py", "CALIBRATIONS")
    ['platt', 'isotonic', 'softmax']
    """
    return _names(_tables(file)[table])


def names_under(file: str, table: str, argument: str) -> list[str]:
    """Give the names that the entries of a table have under an argument.

    >>> names_under("metrics/table.py", "MEASURES", "choices")[:2]
    ['micro-f1', 'macro-f1']
    """
    given = (one for one in ast.walk(_tables(file)[table]) if isinstance(one, ast.keyword) and one.arg == argument)
    return [name for one in given for name in _names(one.value)]


def choices(option: str) -> str:
    """List what an option of reading may be.

    >>> choices("empty_labels")
    'unlabelled or nowhere'
    """
    return one_of(ast.literal_eval(_tables("data/options.py")["CHOICES"])[option])


@cache
def _tables(file: str) -> dict[str, ast.expr]:
    """Give what is assigned at the top of a file, by name."""
    found = {}
    for statement in ast.parse((LIBRARY / file).read_bytes()).body:
        match statement:
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=ast.expr() as value)
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
            ):
                found[name] = value
    return found


def _names(table: ast.expr) -> list[str]:
    match table:
        case ast.Dict(keys=names) | ast.Tuple(elts=names):
            return [one.value for one in names if isinstance(one, ast.Constant) and isinstance(one.value, str)]
    raise ValueError(f"a table is a dict or a tuple, not {ast.unparse(table)}")


DECISIONS = one_of([*names_in("decision/table.py", "DECISIONS"), *names_in("decision/table.py", "ALIASES")])
CALIBRATIONS = one_of(names_in("probability/table.py", "CALIBRATIONS"))
CRITERIA = one_of(names_in("selection/scores.py", "SCORES"))
ENCODERS = one_of(names_in("text/encoders/kinds.py", "ENCODERS"))
MEASURES = one_of(names_under("metrics/table.py", "MEASURES", "choices"))
SEARCHES = one_of(names_in("tuning/search.py", "SEARCHES"))
SCORINGS = one_of(names_in("index/scoring.py", "SCORINGS"))
IDFS = one_of(sorted(names_in("index/scoring.py", "IDFS")))
SPLITS = one_of(names_in("data/experiments.py", "SPLITS"))
