"""How messages name what they speak of: lists that end, no codes of terminals, and what was probably meant."""

import re
from collections.abc import Iterable
from difflib import SequenceMatcher, get_close_matches
from itertools import islice

from classmark.errors import InputError

LISTED = 12
"""So many names are listed at most."""
LONGEST_NAME = 40
"""So many characters of a listed name are shown."""
LONGEST_LINE = 1000
"""So many characters of a message are shown."""
COMPARED = 200_000
"""So many names are compared at most with one that is unknown."""
LONGEST_COMPARED = 200
NEAR = 0.7
"""From this likeness on, of 1, a name is probably the one that was meant."""
FEW_NAMES = 20
"""Number of names up to which a message lists all of them beside those that are similar."""
HIDDEN = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""What a terminal obeys instead of showing it: controls, line breaks, turns of the direction; halves of characters."""


def visible(text: str) -> str:
    r"""Give a text with control characters, among them the codes that terminals obey, written out.

    >>> print(visible("\x1b[31mred\x1b[0m"))
    \x1b[31mred\x1b[0m
    """
    return HIDDEN.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def in_a_line(message: str) -> str:
    """Give a message as one line, its middle left out where it is too long: the end says what to do.

    >>> len(in_a_line("x" * 50_000))
    1000
    """
    line = visible(" ".join(message.split()))
    if len(line) <= LONGEST_LINE:
        return line
    end = LONGEST_LINE // 4
    return f"{line[: LONGEST_LINE - end - 3]} … {line[-end:]}"


def listed(names: Iterable[object]) -> str:
    """List names as far as anybody reads them.

    >>> listed(range(50_000))
    '0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 and 49,988 more'
    """
    known = [str(name) for name in names]
    cut = (f"{name[:LONGEST_NAME]}…" if len(name) > LONGEST_NAME else name for name in known[:LISTED])
    shown = visible(", ".join(cut))
    return f"{shown} and {len(known) - LISTED:,} more" if len(known) > LISTED else shown


def one_of(names: Iterable[str]) -> str:
    """List names to choose from.

    >>> one_of(["owl", "gull", "emu"]), one_of(["owl"])
    ('owl, gull or emu', 'owl')
    """
    *others, last = names
    return f"{', '.join(others)} or {last}" if others else last


def meant(name: object, known: Iterable[object]) -> str:
    """Ask whether a known name was meant, where one is near; otherwise say nothing.

    >>> meant("splitt", ["id", "text", "split"]), meant("Owl ", ["owl", "gull"]), meant("emu", ["owl", "gull"])
    (" (did you mean 'split'?)", " (did you mean 'owl'?)", '')
    """
    if not isinstance(name, str) or len(name) > LONGEST_COMPARED:
        return ""
    names = (one for one in islice(known, COMPARED) if isinstance(one, str) and len(one) <= LONGEST_COMPARED)
    plain = {_plain(one): one for one in names}
    near = get_close_matches(_plain(name), plain, n=1, cutoff=NEAR)
    return f" (did you mean {plain[near[0]]!r}?)" if near else ""


def nearest(name: str, known: Iterable[str], limit: int = 3) -> list[str]:
    """Return the known names most similar to one that is unknown, as a whole or in one of their parts.

    >>> nearest("svm", ["auto", "linear-svm", "logistic", "topdown-svm"]), nearest("emu", ["owl", "gull"])
    (['linear-svm', 'topdown-svm'], [])
    """

    def similarity(candidate: str) -> tuple[float, float]:
        whole, *parts = (
            SequenceMatcher(None, _plain(name), part).ratio() for part in (candidate, *candidate.split("-"))
        )
        return max(whole, *parts), whole

    ranked = [candidate for candidate in known if similarity(candidate)[0] >= NEAR]
    return sorted(ranked, key=similarity, reverse=True)[:limit]


def unknown_name(kind: str, name: str, known: Iterable[str]) -> InputError:
    """Return the error for a name that no table has, with the most similar names and, if they are few, all names.

    >>> unknown_name("decision", "treshold", ["auto", "threshold"])
    InputError("unknown decision 'treshold'. Did you mean threshold? Choose one of auto, threshold")
    >>> unknown_name("decision", "best", ["auto", "threshold"])
    InputError("unknown decision 'best'. Choose one of auto, threshold")
    """
    names = list(known)
    similar = nearest(name, names)
    hint = f" Did you mean {one_of(similar)}?" if similar else ""
    choices = "" if similar and len(names) > FEW_NAMES else f" Choose one of {', '.join(names)}"
    return InputError(f"unknown {kind} {name!r}.{hint}{choices}")


def _plain(name: str) -> str:
    return " ".join(name.casefold().split())
