"""The figures of a report that are drawn of answers: precision against recall, calibration, coverage.

Each gives nothing where the model or the documents do not let it be drawn. Of two models each has a line.
"""

from collections.abc import Sequence

import numpy as np

from classmark.arrays import Floats
from classmark.metrics import Calibration, Counts, Coverage, coverage_curve
from classmark.report.contents import Curve, Series
from classmark.service.confidences import confidence_for
from classmark.service.reporting.looking import Looked, PrecisionRecall
from classmark.service.reporting.naming import percent

POINTS = 100
"""So many points of a line are kept: more are not to be seen."""
SHARES = tuple(share / 20 for share in range(1, 21))
ENOUGH = 20
"""So many probabilities must be of a size for it to be said how many came true."""
AS_GOOD = 0.75
"""A threshold has to do so well beside the answers for scores of different documents to be compared."""
WANTED = 0.9
"""Of the labels given, the part that people often want to be right."""
CLOSE = 0.05
"""A probability that is off by less can be believed."""


def curves(looked: Sequence[Looked], names: Sequence[str]) -> list[Curve]:
    """Give the figures that can be drawn, of one model or two."""
    found = (draw(looked, names) for draw in (precision_recall, calibration, coverage))
    return [curve for curve in found if curve is not None]


def of_each(names: Sequence[str], says: Sequence[str]) -> str:
    """Put what is said about each model together, with its name where there are several."""
    if len(names) < 2:
        return " ".join(says)
    return " ".join(f"{name}: {one}" for name, one in zip(names, says, strict=True))


def precision_recall(looked: Sequence[Looked], names: Sequence[str]) -> Curve | None:
    """Draw what would come out if every category with a high enough score were given."""
    found = [_comparable(one) for one in looked]
    known = [one for one in found if one is not None]
    if len(known) < len(found):
        return None
    return Curve(
        name="precision-recall",
        title="Precision against recall",
        says=of_each(names, [_says_precision(one, each) for one, each in zip(looked, known, strict=True)]),
        x_axis="right labels that are given (recall)",
        y_axis="labels given that are right",
        series=[_line(name, *_thinned(each)) for name, each in zip(_named(names, "all labels"), known, strict=True)],
    )


def _comparable(looked: Looked) -> PrecisionRecall | None:
    """Give the curve, unless no threshold does nearly as well as the answers: scores cannot be compared then."""
    curve = looked.ranked.curve()
    if curve is None:
        return None
    ends = looked.model.classifier_.ends_
    own = looked.model.hierarchy_
    counts = Counts.overall(own.close(looked.judged.true)[:, ends], own.close(looked.judged.predicted)[:, ends])
    return curve if curve.f1.max() >= AS_GOOD * float(counts.f()[0]) else None


def _says_precision(looked: Looked, curve: PrecisionRecall) -> str:
    best = int(np.argmax(curve.f1))
    what = "probability" if looked.gives_probabilities else "score"
    high = np.flatnonzero(curve.precision >= WANTED)
    enough = f"{percent(curve.recall[high[-1]])} of the right labels" if high.size else "nothing"
    return (
        f"With one threshold for all categories, a {what} of {curve.thresholds[best]:.2f} gives the best balance: "
        f"precision {curve.precision[best]:.3f}, recall {curve.recall[best]:.3f}, F1 {curve.f1[best]:.3f}. "
        f"If {percent(WANTED)} of the labels given have to be right, {enough} can be had."
    )


def _thinned(curve: PrecisionRecall) -> tuple[Floats, Floats]:
    """Keep points that are evenly spread over the recall, the first and the last among them."""
    wanted = np.linspace(curve.recall[0], curve.recall[-1], POINTS)
    places = np.unique(np.append(np.searchsorted(curve.recall, wanted), 0))
    places = places[places < curve.recall.size]
    return curve.recall[places], curve.precision[places]


def calibration(looked: Sequence[Looked], names: Sequence[str]) -> Curve | None:
    """Draw how often probabilities come true."""
    known = [(name, one) for name, one in zip(names, looked, strict=True) if one.gives_probabilities]
    if not known:
        return None
    tables = [one.reliability.table() for _, one in known if one.reliability is not None]
    drawn = [name for name, _ in known]
    lines = []
    for name, table in zip(_named(drawn, "labels"), tables, strict=True):
        there = table.counts > 0
        lines.append(_line(name, table.predicted[there], table.observed[there]))
    return Curve(
        name="calibration",
        title="What probabilities are worth",
        says=of_each(drawn, [_says_calibration(table) for table in tables]),
        x_axis="the probability that was given",
        y_axis="how often that was right",
        series=lines,
        diagonal=True,
    )


def _says_calibration(table: Calibration) -> str:
    """Name the surest labels, and where probabilities are furthest from what comes true."""
    full = np.flatnonzero(table.counts >= ENOUGH)
    if not full.size:
        return "There are too few documents to say whether the probabilities can be believed."
    top, off = int(full[-1]), int(full[np.argmax(np.abs(table.observed - table.predicted)[full])])
    shown = f"{percent(table.observed[top])} are right"
    said = f"Of the labels with a probability of about {table.predicted[top]:.2f}, {shown}."
    if abs(table.observed[off] - table.predicted[off]) < CLOSE:
        return f"{said} Nowhere are the probabilities off by more than {CLOSE}: they can be believed."
    much = "too sure" if table.observed[off] < table.predicted[off] else "too careful"
    return (
        f"{said} The model is furthest off, {much}, where it says {table.predicted[off]:.2f}: "
        f"{percent(table.observed[off])} of these labels are right."
    )


def covered(looked: Looked) -> Coverage:
    """Measure the surest answers, more and more of them."""
    judged = looked.judged
    return coverage_curve(
        judged.true, judged.predicted, judged.first, looked.confidence, looked.model.hierarchy_, SHARES
    )


def coverage(looked: Sequence[Looked], names: Sequence[str]) -> Curve | None:
    """Draw how good the surest answers are, more and more of them."""
    found = [covered(one) for one in looked]
    shares = [[point.coverage for point in one.points] for one in found]
    right = [[point.accuracy for point in one.points] for one in found]
    lines = [
        Series(name=name, x=x, y=y) for name, x, y in zip(_named(names, "right in full"), shares, right, strict=True)
    ]
    if len(looked) == 1:
        lines.append(Series(name="hF", x=shares[0], y=[point.hf for point in found[0].points]))
    return Curve(
        name="coverage",
        title="The surest answers",
        says=of_each(names, [_says_coverage(one, each) for one, each in zip(looked, found, strict=True)]),
        x_axis="documents answered, the surest first",
        y_axis="of these, answers that are right",
        series=lines,
    )


def _says_coverage(looked: Looked, curve: Coverage) -> str:
    half = min(curve.points, key=lambda point: abs(point.coverage - 0.5))
    return (
        f"Of the surest half of the answers {percent(half.accuracy)} are right in full, of all of them "
        f"{percent(curve.points[-1].accuracy)}. How sure an answer is, is told by "
        f"{confidence_for(looked.model.classifier_).words}."
    )


def _named(names: Sequence[str], alone: str) -> Sequence[str]:
    return names if len(names) > 1 else [alone]


def _line(name: str, x: Floats, y: Floats) -> Series:
    return Series(name=name, x=[round(value, 5) for value in x.tolist()], y=[round(value, 5) for value in y.tolist()])
