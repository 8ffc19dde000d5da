"""What classmark does, on plain data: shared by the command line and the server.

Each function takes paths and simple values, and returns dicts and lists that can be printed or sent as JSON. `corpora`
finds and reads documents, `training` makes models, `answering` uses them, `judging` and `comparing` measure
them, `describing` and `listing` tell what there is. The names are imported when first used, so that a command waits
for nothing that it does not need.
"""

from typing import TYPE_CHECKING

from classmark.lazy import names_of

if TYPE_CHECKING:
    from classmark.service.answering import documents_for as documents_for
    from classmark.service.answering import predict as predict
    from classmark.service.answering import read_lines as read_lines
    from classmark.service.comparing import compare as compare
    from classmark.service.comparing import named_recipes as named_recipes
    from classmark.service.corpora import check_same as check_same
    from classmark.service.corpora import check_spared as check_spared
    from classmark.service.corpora import read as read
    from classmark.service.corpora import read_for as read_for
    from classmark.service.describing import info as info
    from classmark.service.judging import evaluate as evaluate
    from classmark.service.listing import methods as methods
    from classmark.service.predictions import write_predictions as write_predictions
    from classmark.service.training import Recipe as Recipe
    from classmark.service.training import demo as demo
    from classmark.service.training import fit as fit
    from classmark.service.training import train as train
    from classmark.service.tuning import tune_and_train as tune_and_train

_HOMES = {
    "Recipe": "service.training",
    "check_same": "service.corpora",
    "check_spared": "service.corpora",
    "compare": "service.comparing",
    "demo": "service.training",
    "documents_for": "service.answering",
    "evaluate": "service.judging",
    "fit": "service.training",
    "info": "service.describing",
    "methods": "service.listing",
    "named_recipes": "service.comparing",
    "predict": "service.answering",
    "read": "service.corpora",
    "read_for": "service.corpora",
    "read_lines": "service.answering",
    "train": "service.training",
    "tune_and_train": "service.tuning",
    "write_predictions": "service.predictions",
}

__all__ = [
    "Recipe",
    "check_same",
    "check_spared",
    "compare",
    "demo",
    "documents_for",
    "evaluate",
    "fit",
    "info",
    "methods",
    "named_recipes",
    "predict",
    "read",
    "read_for",
    "read_lines",
    "train",
    "tune_and_train",
    "write_predictions",
]

__getattr__ = names_of("classmark.service", _HOMES)
