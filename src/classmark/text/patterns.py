r"""Check token patterns: whether they are valid, and whether every match ends.

A pattern such as ``(?:a+)+b`` tries all ways to divide a run of letters, which takes longer than anyone has, while
``\w+(?:-\w+)*`` looks the same and is fast. A match cannot be interrupted, so its steps are counted beforehand: the
pattern becomes its position automaton (Glushkov, 1961), whose edges count in how many ways one character follows
another. The steps of a match are the paths of a text through the automaton that it tries until one of them ends in a
last character; they are counted on runs of the characters that the pattern distinguishes.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import product
from typing import NamedTuple

from classmark.errors import InputError

__all__ = ["check_pattern"]

ALLOWED = "give 'letters', 'words' or a regular expression"
UNSUPPORTED = "has a back reference, a condition or the flag x, which a token pattern cannot have"
MAX_STEPS = 2e6
"""Steps of all matches in a run: more than any pattern takes that is quadratic in the length of the run."""
MAX_ITEMS = 1000
"""Characters and groups of a pattern, those of repetitions counted as often as they are copied."""
MAX_EDGES = 5_000_000
"""Edges that are followed to count steps: about a second."""
MAX_COPIES = 64
"""A repetition of more is counted as unbounded."""
CHARACTERS = "aAbZ09 _-.,;:'\"/@#+*\t\u00df\u00e9\u0394\u0416\u4e2d"
"""Characters that every pattern is tried on, besides its own."""
RUN = 500
ATOM = re.compile(r"\[\^?\]?(?:\\.|[^\]\\])*\]|\\(?:N\{[^}]*\}|x..|u.{4}|U.{8}|0[0-7]{0,2}|[0-7]{3}|.)|.", re.DOTALL)
GROUP = re.compile(
    r"\((?:\?(?:P<\w+>|(?P<flags>[a-zA-Z-]+)(?P<end>[:)])|[:>]|(?P<look><?[=!])|(?P<comment>\#[^)]*\)))|(?!\?))"
)
REPETITION = re.compile(r"(?:([*+?])|\{(?!\})(\d*)(?:(,)(\d*))?\})([?+])?")
BOUNDS = {"*": (0, None), "+": (1, None), "?": (0, 1)}
ASSERTIONS = ("^", "$", r"\b", r"\B", r"\A", r"\Z", r"\z")

Ways = Mapping[int, float]
"""In how many ways a position is reached."""


class Fragment(NamedTuple):
    """A part of a pattern: the positions of its first and last characters, and in how many ways it is empty."""

    first: Ways
    last: Ways
    empty: float


EMPTY, NOTHING = Fragment({}, {}, 1.0), Fragment({}, {}, 0.0)


class Automaton:
    """The position automaton of a pattern that `re` compiles."""

    def __init__(self, pattern: str) -> None:
        self.pattern, self.flags, self.n_items = pattern, re.DOTALL, 0
        self.can_fail = False
        self.atoms: list[str] = []
        self.edges: defaultdict[int, dict[int, float]] = defaultdict(dict)
        # Edges and first positions are in the order in which a match tries them.
        self.whole, _ = self._alternatives(0)

    def _alternatives(self, at: int) -> tuple[Fragment, int]:
        """Read alternatives up to the end of their group; return them and the offset of the end."""
        earlier, current = NOTHING, EMPTY
        while at < len(self.pattern) and self.pattern[at] != ")":
            if self.pattern[at] == "|":
                earlier, current, at = _either(earlier, current), EMPTY, at + 1
            else:
                part, at = self._repeated(at)
                current = self._joined(current, part)
        return _either(earlier, current), at

    def _repeated(self, at: int) -> tuple[Fragment, int]:
        """Read an item with its repetition, each copy with positions of its own."""
        item, end = self._item(at)
        bounds = REPETITION.match(self.pattern, end)
        if bounds is None:
            return item, end
        sign, least, comma, most, lazy = bounds.groups()
        # A lazy repetition is tried in another order: no path of it is taken for the last one.
        self.can_fail |= lazy == "?"
        lower, upper = BOUNDS[sign] if sign else (int(least or 0), int(most) if most else None if comma else int(least))
        if max(lower, upper or 0) > MAX_COPIES:
            lower, upper = min(lower, MAX_COPIES), None
        copies = [item, *(self._item(at)[0] for _ in range((max(lower, 1) if upper is None else upper) - 1))]
        if upper is None:
            self._link(copies[-1].last, copies[-1].first)
        result = EMPTY
        for number in reversed(range(len(copies))):
            result = self._joined(copies[number], result)
            result = result if number < lower else _either(result, EMPTY)
        return EMPTY if upper == 0 else result, bounds.end()

    def _item(self, at: int) -> tuple[Fragment, int]:
        """Read a group or a character."""
        self.n_items += 1
        if self.n_items > MAX_ITEMS:
            raise InputError("is too long")
        if self.pattern[at] != "(":
            return self._character(at)
        opening = GROUP.match(self.pattern, at)
        if opening is None or "x" in (opening["flags"] or ""):
            raise InputError(UNSUPPORTED)
        self.flags |= re.IGNORECASE if "i" in (opening["flags"] or "") else 0
        if opening["comment"] or opening["end"] == ")":
            return EMPTY, opening.end()
        inside, end = self._alternatives(opening.end())
        if opening["look"]:
            self.can_fail = True
            # Its paths are tried, and then the match resumes where they began.
            inside = Fragment(inside.first, {}, 1.0)
        return inside, end + 1

    def _character(self, at: int) -> tuple[Fragment, int]:
        atom = ATOM.match(self.pattern, at)
        assert atom is not None
        if atom[0] in ASSERTIONS:
            self.can_fail = True
            return EMPTY, atom.end()
        if re.fullmatch(r"\\[1-9]", atom[0]):
            raise InputError(UNSUPPORTED)
        self.atoms.append(atom[0])
        position = {len(self.atoms) - 1: 1.0}
        return Fragment(position, position, 0.0), atom.end()

    def _joined(self, left: Fragment, right: Fragment) -> Fragment:
        self._link(left.last, right.first)
        first = _added(left.first, right.first, left.empty)
        return Fragment(first, _added(right.last, left.last, right.empty), left.empty * right.empty)

    def _link(self, last: Ways, first: Ways) -> None:
        for (start, ways), (end, others) in product(last.items(), first.items()):
            self.edges[start][end] = self.edges[start].get(end, 0.0) + ways * others


def _either(left: Fragment, right: Fragment) -> Fragment:
    first, last = _added(left.first, right.first, 1.0), _added(left.last, right.last, 1.0)
    return Fragment(first, last, left.empty + right.empty)


def _added(ways: Ways, others: Ways, factor: float) -> Ways:
    if not factor or not others:
        return ways
    return {position: ways.get(position, 0.0) + factor * others.get(position, 0.0) for position in {**ways, **others}}


class StepCounter:
    """Counts the steps of matches of an automaton in runs of characters."""

    def __init__(self, automaton: Automaton) -> None:
        self.first, self.edges = automaton.whole.first, automaton.edges
        self.last = {} if automaton.can_fail else automaton.whole.last
        self.alphabet = "".join(sorted({*automaton.pattern, *CHARACTERS}))
        sets = {atom: frozenset(re.findall(atom, self.alphabet, automaton.flags)) for atom in set(automaton.atoms)}
        # An atom that matches none of these characters may match any other.
        self.matched = [sets[atom] or frozenset(self.alphabet) for atom in automaton.atoms]
        self.n_edges = 0

    def exceeds(self) -> bool:
        """Return whether a run takes more than `MAX_STEPS`."""
        ways = [self.first, *self.edges.values()]
        if any(max(each.values(), default=0.0) > MAX_STEPS for each in ways):
            return True
        return any(self._steps(run) > MAX_STEPS or self.n_edges > MAX_EDGES for run in self._runs())

    def _runs(self) -> Iterator[str]:
        """Yield runs of each character that the pattern distinguishes, and of each two in alternation."""
        distinct = set(self.matched)
        characters = {tuple(char in atom for atom in distinct): char for char in self.alphabet}.values()
        yield from (char * RUN for char in characters)
        yield from ((one + other) * (RUN // 10) for one, other in product(characters, repeat=2) if one != other)

    def _steps(self, run: str) -> float:
        """Return the steps of the matches that begin at each character of a run, counted from its end."""
        total = 0.0
        steps: dict[int, float] = {}
        succeeds: dict[int, bool] = {}
        for char in reversed(run):
            positions = [position for position, matched in enumerate(self.matched) if char in matched]
            counted = {position: self._onward(self.edges[position], steps, succeeds) for position in positions}
            steps = {position: 1.0 + count for position, (count, _) in counted.items()}
            succeeds = {position: success or position in self.last for position, (_, success) in counted.items()}
            total += self._onward(self.first, steps, succeeds)[0]
            if total > MAX_STEPS or self.n_edges > MAX_EDGES:
                break
        return total

    def _onward(self, ways: Ways, steps: Ways, succeeds: Mapping[int, bool]) -> tuple[float, bool]:
        """Return the steps from some positions until one succeeds, and whether one does."""
        total = 0.0
        self.n_edges += len(ways)
        for position, count in ways.items():
            if position in steps:
                if succeeds[position]:
                    return total + steps[position], True
                total += count * steps[position]
        return total, False


@lru_cache(maxsize=256)
def check_pattern(pattern: str) -> None:
    """Raise a ValueError if a pattern is no regular expression, has several groups, or takes too long.

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
    try:
        too_slow = StepCounter(Automaton(pattern)).exceeds()
    except (ValueError, RecursionError) as error:
        raise InputError(f"token_pattern={pattern!r} {error}: write a simpler one") from None
    if too_slow:
        raise InputError(
            f"token_pattern={pattern!r} takes too long: it can match the same characters in too many ways; write it "
            "without a repetition inside another, such as a+ for (?:a+)+"
        )
