"""AdaBoost.MH^KR: a committee of stumps a round (adaboost_mh_kr_2000, section 3)."""

from classmark.boosting.adaboost_mh import AdaBoostMH
from classmark.boosting.committee import Committee, CommitteeOfStumps, as_committee


class AdaBoostMHKR(AdaBoostMH):
    """AdaBoost.MH whose rounds take the mean of several of the best stumps (Equation 7).

    A committee of `"growing,step=1,every=20"` is the paper's K(s) = 1 + C ⌊(s - 1) / N⌋ with C = 1 and N = 20,
    `"steps,starts=1/21/61,sizes=1/2/4"` is 1, from round 21 on 2, and from round 61 on 4, in any number of intervals,
    `"constant,count=5"` always 5, `"near,distance=0.001"` all whose Z is within τ of the best, `"flat,slope=0.02"` as
    long as the curve of the ranked Z is flat. The latter two take at most `limit=50`.

    Attributes
    ----------
    pivots_ : array of int, (n_stumps,)
        The columns of the pivots of all rounds, one after the other.
    z_, n_estimators_
        As of `AdaBoostMH`.

    Examples
    --------
    >>> from classmark import AdaBoostMHKR
    >>> X = [[1, 0, 1], [1, 0, 0], [0, 1, 1], [0, 1, 0]]
    >>> model = AdaBoostMHKR(2, committee="constant,count=2").fit(X, ["owl", "owl", "gull", "gull"])
    >>> model.pivots_
    array([0, 1, 0, 1], dtype=int32)
    """

    committee: CommitteeOfStumps = "growing,step=1,every=20"

    def _policy(self) -> Committee:
        return as_committee(self.committee)

    def check(self) -> None:
        """Refuse parameters that cannot be, alone or together."""
        super().check()
        as_committee(self.committee)
