"""The boosting methods: stumps on the presence of terms."""

from typing import TYPE_CHECKING, Annotated, Literal

import msgspec
from msgspec import Meta

from classmark.methods.settings import LearnerSettings, Method
from classmark.text import TextSettings

if TYPE_CHECKING:
    from classmark.boosting import AdaBoostMH, AdaBoostMHKR, MPBoost, TreeBoostMH

# Porter's stemmer makes "v" of "vs", which then would be one with stray letters.
PRESENCE = TextSettings(weighting="binary", norm=None, min_length=2)


class BoostingSettings(LearnerSettings, frozen=True, kw_only=True):
    """What all boosting methods have in common."""

    n_rounds: Annotated[int, Meta(ge=1, description="how many rounds")] = 500
    prediction: Annotated[
        Literal["real", "abstaining", "discrete"], Meta(description="what a stump says, and where")
    ] = "real"
    smoothing: Annotated[float, Meta(gt=0, description="added to weights, in units of 1/(documents · categories)")] = (
        1.0
    )


class AdaBoostMHSettings(BoostingSettings, frozen=True, kw_only=True):
    """Settings of `adaboost-mh` and its other predictions."""

    choice: Annotated[Literal["z", "f1"], Meta(description="what a pivot is chosen by")] = "z"
    intervals: Annotated[int, Meta(ge=2, le=1000, description="into how many intervals a term's values are cut")] = 2
    validation_share: Annotated[
        Annotated[float, Meta(gt=0, lt=1)] | None, Meta(description="share of documents held out to say when to stop")
    ] = None
    patience: Annotated[int, Meta(ge=1, description="with that, rounds to wait for a gain")] = 20

    def build(self, random_state: int | None, n_jobs: int | None) -> "AdaBoostMH":
        """Give an AdaBoost.MH."""
        from classmark.boosting import AdaBoostMH

        return AdaBoostMH(**msgspec.structs.asdict(self), random_state=random_state, n_jobs=n_jobs)


class AdaBoostMHKRSettings(AdaBoostMHSettings, frozen=True, kw_only=True):
    """Settings of `adaboost-mh-kr`."""

    committee: Annotated[str, Meta(description="how many stumps a round takes")] = "growing,step=1,every=20"

    def build(self, random_state: int | None, n_jobs: int | None) -> "AdaBoostMHKR":
        """Give an AdaBoost.MH with committees."""
        from classmark.boosting import AdaBoostMHKR

        return AdaBoostMHKR(**msgspec.structs.asdict(self), random_state=random_state, n_jobs=n_jobs)


class MPBoostSettings(BoostingSettings, frozen=True, kw_only=True):
    """Settings of `mp-boost`."""

    n_rounds: Annotated[int, Meta(ge=1, description="how many rounds")] = 200
    committee: Annotated[str, Meta(description="how many stumps a category takes in a round")] = "constant,count=1"
    normalise: Annotated[Literal["pairs", "label"], Meta(description="what is made a distribution again")] = "pairs"
    validation_share: Annotated[
        Annotated[float, Meta(gt=0, lt=1)] | None, Meta(description="share of documents held out to say when to stop")
    ] = None
    patience: Annotated[int, Meta(ge=1, description="with that, rounds to wait for a gain")] = 20

    def build(self, random_state: int | None, n_jobs: int | None) -> "MPBoost":
        """Give an MP-Boost."""
        from classmark.boosting import MPBoost

        return MPBoost(**msgspec.structs.asdict(self), random_state=random_state, n_jobs=n_jobs)


class TreeBoostSettings(BoostingSettings, frozen=True, kw_only=True):
    """Settings of `treeboost-mh` and `treeboost-mp`."""

    pivots: Annotated[Literal["shared", "own"], Meta(description="own: a pivot for every category, as MP-Boost")] = (
        "shared"
    )
    committee: Annotated[str, Meta(description="how many stumps a round takes, as of adaboost-mh-kr")] = (
        "constant,count=1"
    )
    negatives: Annotated[
        Literal["siblings", "subtree", "level", "all", "exclusive"],
        Meta(description="which documents are negative for a category"),
    ] = "siblings"
    inner: Annotated[
        Literal["stay", "reach"], Meta(description="stay: learn which documents stay at an inner category")
    ] = "stay"
    descent: Annotated[Literal["filter", "greedy", "soft"], Meta(description="how margins become scores")] = "filter"
    selection: Annotated[
        Literal["full", "global", "glocal"], Meta(description="all terms, or selected once or for each node")
    ] = "full"
    selector: Annotated[str | None, Meta(description="how terms are selected, as --select; by default the paper's")] = (
        None
    )

    def build(self, random_state: int | None, n_jobs: int | None) -> "TreeBoostMH":
        """Give a TreeBoost.MH."""
        from classmark.boosting import TreeBoostMH

        return TreeBoostMH(**msgspec.structs.asdict(self), n_jobs=n_jobs)


BOOSTING = (
    Method("adaboost-mh", "AdaBoost.MH: a term a round, shared by all categories.", AdaBoostMHSettings(), PRESENCE),
    Method(
        "adaboost-mh-abstaining",
        "AdaBoost.MH that says nothing where the term is absent.",
        AdaBoostMHSettings(prediction="abstaining"),
        PRESENCE,
    ),
    Method(
        "adaboost-mh-discrete",
        "AdaBoost.MH with a sign a category and one strength a round.",
        AdaBoostMHSettings(prediction="discrete"),
        PRESENCE,
    ),
    Method(
        "adaboost-mh-kr",
        "AdaBoost.MH^KR: a growing committee of terms a round.",
        AdaBoostMHKRSettings(n_rounds=200),
        PRESENCE,
    ),
    Method("mp-boost", "MP-Boost: a term for every category in each round.", MPBoostSettings(), PRESENCE),
    Method("treeboost-mh", "TreeBoost.MH: AdaBoost.MH at each node, from the top down.", TreeBoostSettings(), PRESENCE),
    Method(
        "treeboost-mp",
        "TreeBoost over MP-Boost: a term for every category of a node.",
        TreeBoostSettings(n_rounds=200, pivots="own"),
        PRESENCE,
    ),
)
