"""AdaBoost.MH^KR: a committee of stumps a round (adaboost_mh_kr_2000, section 3)."""

from collections.abc import Callable
from typing import ClassVar

from classmark.boosting.adaboost_mh import AdaBoostMH
from classmark.boosting.booster import Round
from classmark.boosting.committee import COMMITTEE, Committee, as_committee
from classmark.checks import Allowed
from classmark.decision import Decision
from classmark.hierarchy import Hierarchy


class AdaBoostMHKR(AdaBoostMH):
    """AdaBoost.MH whose rounds take the mean of several of the best stumps (Equation 7).

    Parameters
    ----------
    n_rounds : int
        How many rounds.
    committee : str or Committee
        How many stumps a round takes: `"growing,step=1,every=20"` is the paper's K(s) = 1 + C ⌊(s - 1) / N⌋ with C = 1
        and N = 20, `"steps,starts=1/21/61,sizes=1/2/4"` is 1, from round 21 on 2, and from round 61 on 4, in any number
        of intervals, `"constant,count=5"` always 5, `"near,distance=0.001"` all whose Z is within τ of the best,
        `"flat,slope=0.02"` as long as the curve of the ranked Z is flat. The latter two take at most `limit=50`.
    **parameters
        All others are those of `AdaBoostMH`.

    Attributes
    ----------
    pivots_ : array of int, (n_stumps,)
        The columns of the pivots of all rounds, one after the other.
    z_, n_rounds_
        As of `AdaBoostMH`.

    Examples
    --------
    >>> from classmark import AdaBoostMHKR
    >>> X = [[1, 0, 1], [1, 0, 0], [0, 1, 1], [0, 1, 0]]
    >>> model = AdaBoostMHKR(2, committee="constant,count=2").fit(X, ["owl", "owl", "gull", "gull"])
    >>> model.pivots_
    array([0, 1, 0, 1], dtype=int32)
    """

    allowed: ClassVar[Allowed] = {**AdaBoostMH.allowed, "committee": COMMITTEE}

    def __init__(
        self,
        n_rounds: int = 200,
        *,
        committee: str | Committee = "growing,step=1,every=20",
        prediction: str = "real",
        smoothing: float = 1.0,
        choice: str = "z",
        intervals: int = 2,
        hierarchy: Hierarchy | None = None,
        decision: Decision | str | None = None,
        calibration: str | None = None,
        validation_share: float | None = None,
        patience: int = 20,
        warm_start: bool = False,
        callback: Callable[[Round], object] | None = None,
        n_jobs: int | None = None,
        random_state: int | None = 0,
    ) -> None:
        super().__init__(
            n_rounds,
            prediction=prediction,
            smoothing=smoothing,
            choice=choice,
            intervals=intervals,
            hierarchy=hierarchy,
            decision=decision,
            calibration=calibration,
            validation_share=validation_share,
            patience=patience,
            warm_start=warm_start,
            callback=callback,
            n_jobs=n_jobs,
            random_state=random_state,
        )
        self.committee = committee

    def _policy(self) -> Committee:
        return as_committee(self.committee)

    def check(self) -> None:
        """Refuse parameters that cannot be, alone or together."""
        super().check()
        as_committee(self.committee)
