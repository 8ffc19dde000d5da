"""Names in the help are those of the tables, which are not imported to print it."""

import pytest

from classmark import names
from classmark.data.conversion import SPLITS
from classmark.decision.table import ALIASES, DECISIONS
from classmark.index.scoring import IDFS, SCORINGS
from classmark.metrics.table import choices
from classmark.probability import CALIBRATIONS
from classmark.selection.scores import SCORES
from classmark.text.encoders.kinds import ENCODERS


@pytest.mark.parametrize(
    ("known", "table"),
    [
        (names.DECISIONS, [*DECISIONS, *ALIASES]),
        (names.CALIBRATIONS, CALIBRATIONS),
        (names.CRITERIA, SCORES),
        (names.ENCODERS, ENCODERS),
        (names.MEASURES, choices()),
        (names.SCORINGS, SCORINGS),
        (names.IDFS, sorted(IDFS)),
        (names.SPLITS, SPLITS),
    ],
)
def test_names_are_those_of_the_table(known, table):
    assert known == tuple(table)
