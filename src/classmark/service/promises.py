"""What models promise of answers that are sure enough, in words."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from classmark.probability import Promised

NOT_MEASURED = (
    "the probabilities are taken as they are, and how often they come true was not measured; train with --calibration "
    "for that"
)
USUAL = 0.9
"""The promise that `train` speaks of."""


def in_words(promised: "Promised") -> str:
    """Say what became of held-out documents under a promise."""
    full, part, none = (f"{100 * share:.0f} %" for share in (promised.in_full, promised.in_part, promised.without))
    return (
        f"of {promised.documents:,} training documents held out {full} were answered in full, {part} higher up or in "
        f"part, {none} not at all; {100 * promised.right:.1f} % of the labels given were right, each with a "
        f"probability of at least {promised.probability:g}"
    )
