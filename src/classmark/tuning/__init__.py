"""Finding settings on a validation cut of the training documents; the test documents are never seen.

`problem` cuts and measures, and `search` has the ways to look (one setting at a time, as in lshtc_knn_2014, section
"Validation", or successive halving) and makes a table and a plot of the trials.
"""

from classmark.tuning.problem import Record, Trial, TuningProblem, validation_cut
from classmark.tuning.search import check_plotting, plot_trials, table_of_trials, tune

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
