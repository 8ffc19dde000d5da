"""Rounds in which every category has pivots of its own, the categories spread over workers.

A category asks nothing of the others but the normaliser Z, a sum over all of them. So a part has some categories with
all terms, and a round is two questions: the parts choose pivots under the normalised distribution, and take up how many
of them count; what their categories weigh then is put together in the order of the categories, and summed.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from classmark.arrays import Floats
from classmark.boosting.engine import Stumps, terms_at
from classmark.boosting.mp_engine import MPEngine, mp_rounds_in, normalisers
from classmark.parallel import Place, Range, Residents, even_ranges
from classmark.parallel.places import Call

Chosen = tuple[npt.NDArray[np.int64], Floats, npt.NDArray[np.int64]]


class MPPart(MPEngine):
    """An engine with some of the categories, those of a range."""

    def __init__(
        self,
        X: csr_array,
        weight: Floats,
        settings: dict[str, Any],
        labels: csr_array,
        span: Range,
        margins: Floats | None,
        base: dict[str, Floats],
    ) -> None:
        super().__init__(X, labels, weight, margins=margins, **settings)
        self.span = slice(*span)
        self.take_up(base)
        # The threads stay as long as the part does.
        self._kept = self.running()
        self._kept.__enter__()

    def _normalise(self) -> float:
        """Leave that to who knows all categories."""
        return np.nan

    def divide(self, divisors: Floats) -> None:
        """Normalise the distribution."""
        self.state.scales[:] /= divisors[self.span]

    def choose(self, divisors: Floats | None, count: int) -> Stumps:
        """Normalise the distribution, unless that is done, and find the best stumps of every category."""
        if divisors is not None:
            self.divide(divisors)
        return self.best(count)

    def absorb(self, columns: npt.NDArray[np.int64], answers: Floats, counts: npt.NDArray[np.int64]) -> Floats:
        """Multiply the distribution by what the mean of the first stumps says; give what each category weighs."""
        self._pivots = np.ascontiguousarray(terms_at(self.terms.columns, columns[:, self.span]))
        self._answers = np.ascontiguousarray(answers[:, :, self.span])
        self.apply(counts[self.span])
        return self.masses()


class MPSpreadEngine:
    """Boosting on parts of the categories, each where its worker is; see `MPEngine` for the parameters."""

    def __init__(
        self,
        place: Place,
        X: csr_array,
        labels: csr_array,
        weight: Floats,
        *,
        normalize: str = "pairs",
        margins: Floats | None = None,
        **settings: Any,
    ) -> None:
        self._place, self._labels, self._margins, self._normalise = place, labels, margins, normalize
        given = {**settings, "normalize": normalize, "n_in_all": labels.shape[1], "n_threads": place.n_threads}
        self._shared = X, weight, given
        self._spans = even_ranges(labels.shape[1], place.n_workers)
        widest = max(stop - start for start, stop in self._spans)
        self._needed = 9.0 * widest * X.shape[0] + 16.0 * widest * X.shape[1] + 48.0 * X.nnz
        self._base: dict[str, Floats] = {}
        self._log: list[Chosen] = []
        self._calls: list[Call] = []

    def _parts(self) -> list[tuple[Any, ...]]:
        """Give what each part is made of."""
        by_category = {"weights": 0, "tables": 1, "totals": 1, "peaks": 1, "scales": 1}

        def cut(array: Floats, axis: int, span: Range) -> Floats:
            return np.array(array.take(np.arange(*span), axis=axis))

        return [
            (
                csr_array(self._labels[:, span[0] : span[1]]),
                span,
                None if self._margins is None else cut(self._margins, 1, span),
                {name: cut(self._base[name], axis, span) for name, axis in by_category.items() if name in self._base},
            )
            for span in self._spans
        ]

    @contextmanager
    def running(self) -> Iterator[None]:
        """Keep the parts on their workers for the rounds inside the block."""
        self._calls, done, self._log = list[Call](), self._log, []
        with self._place.residents(MPPart, self._parts(), self._shared, self._since, self._needed) as parts:
            self._residents: Residents = parts
            # What one machine has left is normalised already.
            self._divisors = None if self._base else self._weighed(parts.ask("masses"))[1]
            for one in done:
                self._divide()
                self._take(one)
            yield

    def _since(self, part: int) -> list[Call]:
        """Give the calls that bring a new part to where the others are."""
        return self._calls

    def _weighed(self, masses: list[Floats]) -> tuple[float, Floats]:
        return normalisers(np.concatenate(masses), self._normalise)

    def _divide(self) -> None:
        """Normalise what is to be gone on from without choosing."""
        if self._divisors is not None:
            self._residents.ask("divide", self._divisors)
            self._calls.append(("divide", (self._divisors,)))
            self._divisors = None

    def _take(self, one: Chosen) -> float:
        """Let the parts take up what was chosen; give the normaliser."""
        z, self._divisors = self._weighed(self._residents.ask("absorb", *one))
        self._calls.append(("absorb", one))
        self._log.append(one)
        return z

    def best(self, count: int = 1) -> Stumps:
        """Find the best stumps of every category."""
        found = self._residents.ask("choose", self._divisors, count)
        if self._divisors is not None:
            self._calls.append(("divide", (self._divisors,)))
            self._divisors = None
        columns, answers, costs = (np.concatenate(arrays, axis=-1) for arrays in zip(*found, strict=True))
        self._chosen = Stumps(columns, answers, costs)
        return self._chosen

    def apply(self, count: int | npt.NDArray[np.int64] = 1) -> float:
        """Multiply the distribution by what the mean of the first stumps says; give its normaliser Z."""
        counts = np.array(np.broadcast_to(np.asarray(count, dtype=np.int64), self._labels.shape[1:]))
        most = int(counts.max())
        return self._take((self._chosen.columns[:most], self._chosen.answers[:most], counts))

    def to_state(self) -> dict[str, Any]:
        """Give the rounds, by which an engine of the same problem comes to where this one is."""
        if not self._log:
            return dict(self._base)
        return {
            **self._base,
            "sizes": np.array([len(columns) for columns, _, _ in self._log]),
            "columns": np.concatenate([columns for columns, _, _ in self._log]),
            "answers": np.concatenate([answers for _, answers, _ in self._log]),
            "counts": np.stack([counts for _, _, counts in self._log]),
        }

    def take_up(self, state: dict[str, Any]) -> None:
        """Go on from what `to_state` gave to an engine of the same problem, here or on one machine."""
        self._log = list(mp_rounds_in(state))
        self._base = {name: state[name] for name in ("weights", "tables", "totals", "peaks", "scales") if name in state}
