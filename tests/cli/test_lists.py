"""The lists in the help are those of the tables, which are not imported to print it."""

import pytest

from classmark.cli import lists
from classmark.data.experiments import SPLITS
from classmark.data.options import CHOICES
from classmark.decision.table import ALIASES, DECISIONS
from classmark.index.scoring import IDFS, SCORINGS
from classmark.metrics.table import choices
from classmark.probability import CALIBRATIONS
from classmark.selection.scores import SCORES
from classmark.text.encoders.kinds import ENCODERS
from classmark.tuning import SEARCHES
from classmark.wording import one_of


@pytest.mark.parametrize(
    ("said", "names"),
    [
        (lists.DECISIONS, [*DECISIONS, *ALIASES]),
        (lists.CALIBRATIONS, CALIBRATIONS),
        (lists.CRITERIA, SCORES),
        (lists.ENCODERS, ENCODERS),
        (lists.MEASURES, choices()),
        (lists.SEARCHES, SEARCHES),
        (lists.SCORINGS, SCORINGS),
        (lists.IDFS, sorted(IDFS)),
        (lists.SPLITS, SPLITS),
        *((lists.choices(option), names) for option, names in CHOICES.items()),
    ],
)
def test_a_list_is_that_of_its_table(said, names):
    assert said == one_of(names)


def test_a_table_that_is_not_there():
    with pytest.raises(KeyError, match="NOTHING"):
        lists.names_in("decision/table.py", "NOTHING")
