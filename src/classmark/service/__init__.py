"""What classmark does, on plain data: shared by the command line and the server.

A function takes paths, simple values and small dataclasses of them, such as a `Recipe`, and gives a frozen dataclass,
several of them, or one after the other where there may be many; `plain` makes JSON of any. Everything that a command
does is one call here, so a new command is its file in `cli/commands` and its function in a module of this package.

`corpora` finds and reads documents, `checking` says what is wrong with them, `training` and `tuning` make models out of
`recipes`, `estimating` says what that takes, `answering` and `predictions` use them, `judging`, `comparing`, `diffing`,
`explaining` and `reporting` look at them, `describing`, `listing`, and `datasets` tell what there is,
`converting`, `indexing` and `storing` write other things than models. The names below are imported when first used, so
that nobody waits for what is not needed; what works on fitted models and corpora is in the modules alone.
"""

from typing import TYPE_CHECKING

from classmark.lazy import names_of

if TYPE_CHECKING:
    from classmark.service.answering import Question as Question
    from classmark.service.answering import predict as predict
    from classmark.service.checking import check as check
    from classmark.service.checkup import doctor as doctor
    from classmark.service.comparing import compare as compare
    from classmark.service.converting import Change as Change
    from classmark.service.converting import convert as convert
    from classmark.service.datasets import dataset_folder as dataset_folder
    from classmark.service.datasets import get_dataset as get_dataset
    from classmark.service.datasets import list_datasets as list_datasets
    from classmark.service.describing import info as info
    from classmark.service.diffing import diff as diff
    from classmark.service.estimating import estimate as estimate
    from classmark.service.explaining import Asked as Asked
    from classmark.service.explaining import explain as explain
    from classmark.service.explaining import explain_node as explain_node
    from classmark.service.indexing import add_to_index as add_to_index
    from classmark.service.indexing import compact_index as compact_index
    from classmark.service.indexing import create_index as create_index
    from classmark.service.indexing import delete_from_index as delete_from_index
    from classmark.service.indexing import index_info as index_info
    from classmark.service.indexing import pack_index as pack_index
    from classmark.service.indexing import search_index as search_index
    from classmark.service.judging import evaluate as evaluate
    from classmark.service.listing import methods as methods
    from classmark.service.predictions import write_predictions as write_predictions
    from classmark.service.recipes import Recipe as Recipe
    from classmark.service.reporting import report as report
    from classmark.service.results import plain as plain
    from classmark.service.storing import add_to_store as add_to_store
    from classmark.service.storing import backup_store as backup_store
    from classmark.service.storing import export_store as export_store
    from classmark.service.storing import forget_in_store as forget_in_store
    from classmark.service.storing import restore_store as restore_store
    from classmark.service.storing import store_info as store_info
    from classmark.service.training import demo as demo
    from classmark.service.training import train as train
    from classmark.service.tuning import Search as Search
    from classmark.service.tuning import tune_and_train as tune_and_train

_HOMES = {
    "Asked": "service.explaining",
    "Change": "service.converting",
    "Question": "service.answering",
    "Recipe": "service.recipes",
    "Search": "service.tuning",
    "add_to_index": "service.indexing",
    "add_to_store": "service.storing",
    "backup_store": "service.storing",
    "check": "service.checking",
    "compact_index": "service.indexing",
    "compare": "service.comparing",
    "convert": "service.converting",
    "create_index": "service.indexing",
    "dataset_folder": "service.datasets",
    "delete_from_index": "service.indexing",
    "demo": "service.training",
    "diff": "service.diffing",
    "doctor": "service.checkup",
    "estimate": "service.estimating",
    "evaluate": "service.judging",
    "explain": "service.explaining",
    "explain_node": "service.explaining",
    "export_store": "service.storing",
    "forget_in_store": "service.storing",
    "get_dataset": "service.datasets",
    "index_info": "service.indexing",
    "info": "service.describing",
    "list_datasets": "service.datasets",
    "methods": "service.listing",
    "pack_index": "service.indexing",
    "plain": "service.results",
    "predict": "service.answering",
    "report": "service.reporting",
    "retrain": "service.retraining",
    "restore_store": "service.storing",
    "search_index": "service.indexing",
    "store_info": "service.storing",
    "train": "service.training",
    "tune_and_train": "service.tuning",
    "write_predictions": "service.predictions",
}

__all__ = sorted(_HOMES)

__getattr__ = names_of("classmark.service", _HOMES)
