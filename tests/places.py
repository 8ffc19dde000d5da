"""Places on this machine that note what is sent, that forget, and that are interrupted; and matrices in parts there."""

from contextlib import contextmanager
from itertools import pairwise

from classmark.parallel import Here
from classmark.parallel.places import nothing_yet
from classmark.parted import MatrixParts, PartedMatrix, RowsPart


class Residents:
    """Parts that note every call that changes one of them, and forget the next one where that is asked for."""

    def __init__(self, place, make, parts, shared, since):
        self.place, self.make, self.arguments, self.shared, self.since = place, make, parts, shared, since
        self.parts = [None] * len(parts)
        for part in range(len(parts)):
            self.begin(part)

    def begin(self, part):
        self.parts[part] = self.make(*self.shared, *self.arguments[part])
        for method, arguments in self.since(part):
            self.call(part, method, arguments)

    def call(self, part, method, arguments):
        if method == self.place.interrupted:
            self.place.interrupted = None
            getattr(self.parts[part], method)(*arguments)
            raise KeyboardInterrupt
        self.place.calls.append((part, method, arguments))
        return getattr(self.parts[part], method)(*arguments)

    def ask(self, method, *arguments):
        return self.ask_each(method, [arguments] * len(self.parts))

    def ask_each(self, method, arguments):
        return [self.answer(part, method, given) for part, given in enumerate(arguments)]

    def ask_one(self, part, method, *arguments):
        return self.answer(part, method, arguments)

    def answer(self, part, method, arguments):
        if self.place.forgets:
            self.begin(part)
        return self.call(part, method, arguments)


class Noting(Here):
    """A place that notes all calls of parts; where it forgets, a part is lost before every question.

    `interrupted` is the method in whose next call somebody presses Ctrl-C, once it is done.
    """

    def __init__(self, n_workers=1, *, forgets=False):
        super().__init__(n_workers)
        self.calls, self.forgets, self.interrupted = [], forgets, None
        self.opened = []

    @contextmanager
    def residents(self, make, parts, shared=(), since=nothing_yet, needed=0.0):
        made = Residents(self, make, parts, shared, since)
        self.opened.append(made)
        yield made
        self.opened.remove(made)

    def taken(self):
        """Give for each piece that was sent since the last time the part, and the number of documents and entries."""
        calls = [(part, given[1]) for part, method, given in self.calls if method == "take"]
        self.calls.clear()
        return [(part, len(rows.starts) - 1, len(rows.terms)) for part, rows in calls]


class Told(RowsPart):
    """Rows that a part is told."""

    def __init__(self, n_columns):
        super().__init__()
        self.n_columns = n_columns

    def take(self, rows):
        self.store.append(rows)


def in_parts(X, cuts, place=None):
    """Give a matrix in parts, cut between the rows before the given ones."""
    bounds = [0, *cuts, X.shape[0]]
    parts = MatrixParts(place or Noting(), Told, [(X.shape[1],)] * (len(bounds) - 1), ())
    parts.tell("take", [(X[start:stop],) for start, stop in pairwise(bounds)])
    return PartedMatrix.all_of(parts, parts.residents.ask("sizes"), X.shape[1])
