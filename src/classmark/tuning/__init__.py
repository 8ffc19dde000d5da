"""Finding settings on a validation cut of the training documents; the test documents are never seen.

`problem` cuts and measures, `search` has the ways to look (one setting at a time, as in lshtc_knn_2014, section
"Validation", or successive halving), `record` keeps every trial in a file so that a search can be taken up again, and
`showing` makes a table and a plot of them.
"""

from classmark.tuning.problem import Trial, TuningProblem, validation_cut
from classmark.tuning.record import Record
from classmark.tuning.search import tune
from classmark.tuning.showing import check_plotting, plot_trials, table_of_trials

__all__ = [
    "Record",
    "Trial",
    "TuningProblem",
    "check_plotting",
    "plot_trials",
    "table_of_trials",
    "tune",
    "validation_cut",
]
