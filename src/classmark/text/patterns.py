r"""Token patterns that nobody knows: whether they are valid, and whether they ever end.

An expression such as ``(?:a+)+b`` tries all ways to divide a run of letters, which takes longer than anyone has.
Python cannot stop it from within, and nothing in the expression tells: ``\w+(?:-\w+)*`` looks the same and is quick.
So another process tries the expression on runs of the characters that occur in it.
"""

import re
import subprocess
import sys
from functools import lru_cache

from classmark.errors import InputError

__all__ = ["check_pattern"]

SECONDS = 5.0
PROBE = """
import re, sys
pattern = sys.stdin.buffer.read().decode("utf-8", "surrogatepass")
find = re.compile(pattern).findall
characters = sorted(set(pattern) | set("aA0 -_.'"))
runs = [character * size for character in characters for size in (60, 2000)]
runs += [(first + second) * 30 for first in characters for second in characters]
for run in runs:
    find(run), find(run + "\\0")
"""
ALLOWED = "give 'letters', 'words' or a regular expression"


@lru_cache(maxsize=256)
def check_pattern(pattern: str) -> None:
    """Refuse what is no regular expression, has several groups, or takes too long.

    Examples
    --------
    >>> check_pattern("[a-z]+(?:-[a-z]+)*")
    >>> check_pattern("[a-z")
    Traceback (most recent call last):
    classmark.errors.InputError: token_pattern='[a-z' is no regular expression (unterminated character set at ...
    """
    try:
        n_groups = re.compile(pattern).groups
    except (re.error, OverflowError, RecursionError) as error:
        raise InputError(f"token_pattern={pattern!r} is no regular expression ({error}): {ALLOWED}") from None
    if n_groups > 1:
        raise InputError(f"token_pattern={pattern!r} has {n_groups} groups: give one at most, (?:...) for others")
    if not sys.executable:
        return  # a program with Python inside it: nothing to try the expression with
    given = pattern.encode("utf-8", "surrogatepass")
    try:
        subprocess.run([sys.executable, "-I", "-S", "-c", PROBE], input=given, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        raise InputError(
            f"token_pattern={pattern!r} takes too long: it can match the same characters in too many ways; write it "
            "without a repetition inside another, such as a+ for (?:a+)+"
        ) from None
