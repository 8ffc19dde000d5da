"""What classmark does, on plain data: shared by the command line and the server.

Each function takes paths and simple values, and returns dicts and lists that can be printed or sent as JSON. `corpora`
finds and reads documents, `training` makes models, `answering` uses them, `judging` and `comparing` measure
them, `describing` tells what there is.
"""

from classmark.service.answering import documents_for, predict, read_lines, write_predictions
from classmark.service.comparing import compare, named_recipe
from classmark.service.corpora import check_same, read, read_for
from classmark.service.describing import info, methods
from classmark.service.judging import evaluate, evaluate_against, evaluate_all
from classmark.service.training import Recipe, demo, fit, train
from classmark.service.tuning import tune_and_train

__all__ = [
    "Recipe",
    "check_same",
    "compare",
    "demo",
    "documents_for",
    "evaluate",
    "evaluate_against",
    "evaluate_all",
    "fit",
    "info",
    "methods",
    "named_recipe",
    "predict",
    "read",
    "read_for",
    "read_lines",
    "train",
    "tune_and_train",
    "write_predictions",
]
