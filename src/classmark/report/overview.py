"""The top of the page: what a reader should take home, the main figures, what they are of, and two models compared."""

from collections.abc import Iterable

from classmark.markup import text
from classmark.report.contents import Change, Fact, Report
from classmark.report.elements import fitting, name, row, section, sentence, share, table

SURE = 0.05
"""A difference that chance makes less often than this is called clear."""


def summary(report: Report) -> str:
    """Give what the report says, in sentences: the first is large."""
    said = fitting(report.summary, lambda one: f"<p>{sentence(one)}</p>", 20, 30_000)
    figures = "".join(fitting(report.figures, _figure, 12, 10_000))
    return section(
        "summary",
        "Summary",
        f'<div class="said">{"".join(said)}</div>',
        f'<dl class="figures">{figures}</dl>' if figures else "",
    )


def facts(report: Report) -> str:
    """Give what the report is of."""
    known = "".join(fitting(report.facts, _fact, 60, 40_000))
    return section("facts", "What this is about", f'<dl class="facts">{known}</dl>') if known else ""


def changes(report: Report) -> str:
    """Compare two models, figure by figure."""
    if not report.changes:
        return ""
    first, second = names(report)
    header = ["Figure", first, second, "Difference", "By chance?"]
    rows = fitting(report.changes, _change, 40, 40_000)
    said = (
        f"{second} against {first}. The last column is how often chance alone would make a difference as large as this."
    )
    columns = range(1, 5)
    return section(
        "changes",
        "Two models compared",
        f"<p>{said}</p>",
        table("Figures of both models", header, rows, numeric=columns),
    )


def names(report: Report) -> tuple[str, str]:
    """Give what two models are called, as HTML."""
    first, second, *_ = [*report.names, "first model", "second model"][: max(len(report.names), 2)]
    return name(first), name(second)


def not_shown(report: Report, cut: Iterable[str]) -> str:
    """Say what the page does not have, and why."""
    said = list(cut)
    if report.left_out:
        said.insert(0, f"{report.left_out:,} categories with the fewest documents are not in this report")
    return f'<p class="quiet note">So that the page stays small, {"; ".join(said)}.</p>' if said else ""


def _figure(figure: Fact) -> str:
    return f"<div><dt>{text(figure.name)}</dt><dd>{text(figure.value)}</dd></div>"


def _fact(fact: Fact) -> str:
    return f"<div><dt>{text(fact.name)}</dt><dd>{name(fact.value, 600)}</dd></div>"


def _change(change: Change) -> str:
    difference = change.second - change.first
    kind = "same" if abs(difference) < 5e-4 else "better" if difference > 0 else "worse"
    return row(
        text(change.name),
        share(change.first),
        share(change.second),
        f'<span class="{kind}">{SIGNS[kind]}{share(abs(difference))}</span>',
        _by_chance(change.chance),
        numeric=range(1, 5),
    )


SIGNS = {"same": "± ", "better": "+ ", "worse": "− "}


def _by_chance(chance: float | None) -> str:
    if chance is None:
        return "–"
    shown = "below 0.001" if chance < 0.001 else share(chance)
    return f"{shown} <span class=quiet>({'clear' if chance < SURE else 'may be chance'})</span>"
