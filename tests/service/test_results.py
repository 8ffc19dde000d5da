"""Every result of the service becomes JSON, and is documented field by field."""

import ast
import json
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from importlib import import_module
from inspect import getmembers, getsource, isclass, isfunction
from itertools import pairwise
from pathlib import Path
from pkgutil import iter_modules
from types import SimpleNamespace
from typing import Any

import pytest

from classmark import service
from classmark.cli import commands
from classmark.data.sets import Fetched
from classmark.service import (
    answering,
    checking,
    checkup,
    comparing,
    converting,
    corpora,
    datasets,
    describing,
    diffing,
    estimating,
    explaining,
    indexing,
    judging,
    listing,
    predictions,
    recipes,
    reporting,
    retraining,
    storing,
    training,
    tuning,
)
from classmark.service.results import plain
from classmark.store import Store
from tests.service.animals import write_dataset

MODULES = [import_module(f"classmark.service.{module.name}") for module in iter_modules(service.__path__)]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """Documents, an index and a model of them, and a folder for what is made."""
    monkeypatch.chdir(tmp_path)
    data = write_dataset(tmp_path / "animals")
    animals = corpora.read(data)
    monkeypatch.setattr(training, "load_docstrings", lambda: animals)
    monkeypatch.setattr(datasets, "get", lambda name, **_: Fetched(tmp_path / name, is_new=True, unverified={}))
    training.train(data, "model.classmark")
    indexing.add_to_index("index", data)
    (tmp_path / "ids").write_text("train1\n")
    storing.add_to_store("store", data, "animals", model="model.classmark")
    with Store.open("store") as store:
        store.learn("animals", [("new", "an owl in the barn", ["owl"])], who="ann")
    storing.backup_store("store", "backup")
    return SimpleNamespace(data=data, model="model.classmark", folder=str(tmp_path))


ASKED = answering.Question(scores=True)
CASES: dict[Callable[..., Any], Callable[[SimpleNamespace], Any]] = {
    answering.predict: lambda place: answering.predict(place.model, place.data, ASKED),
    checking.check: lambda place: checking.check(place.data),
    comparing.compare: lambda place: comparing.compare(place.data, ["majority", "linear-svm"]),
    converting.convert: lambda place: converting.convert(place.data, "animals.csv", splits=["train"]),
    datasets.dataset_folder: lambda place: datasets.dataset_folder("animals"),
    datasets.get_dataset: lambda place: datasets.get_dataset("reuters21578"),
    datasets.list_datasets: lambda place: datasets.list_datasets(),
    diffing.diff: lambda place: diffing.diff(place.model, place.model, place.data),
    describing.info: lambda place: [describing.info(path, tree=True) for path in (place.data, place.model)],
    checkup.doctor: lambda place: checkup.doctor(test=False),
    estimating.estimate: lambda place: estimating.estimate(place.data),
    explaining.explain: lambda place: explaining.explain(place.model, "hoots"),
    explaining.explain_node: lambda place: explaining.explain_node(place.model, "owl", place.data),
    explaining.write_page: lambda place: explaining.write_page("why.html", "<!doctype html>", place.model),
    indexing.add_to_index: lambda place: indexing.add_to_index("index", place.data),
    indexing.compact_index: lambda place: indexing.compact_index("index"),
    indexing.create_index: lambda place: indexing.create_index("new"),
    indexing.delete_from_index: lambda place: indexing.delete_from_index("index", "ids"),
    indexing.index_info: lambda place: indexing.index_info("index"),
    indexing.pack_index: lambda place: indexing.pack_index("index", "packed.classmark"),
    indexing.search_index: lambda place: indexing.search_index("index", place.data, k=2),
    judging.evaluate: lambda place: judging.evaluate(
        place.model, place.data, everything=True, against=place.model, categories=True, errors="wrong.jsonl"
    ),
    listing.methods: lambda place: listing.methods(),
    predictions.write_predictions: lambda place: predictions.write_predictions(place.model, place.data, "answers"),
    reporting.report: lambda place: [
        reporting.report(*given, output="report.html", quick=True)
        for given in ([place.data], [place.model, place.data], [place.model, place.model, place.data])
    ],
    retraining.retrain: lambda place: retraining.retrain(place.model, place.data, "new.classmark", "store"),
    storing.add_to_store: lambda place: storing.add_to_store("store", place.data, "others", model=place.model),
    storing.backup_store: lambda place: storing.backup_store("store", "copy"),
    storing.export_store: lambda place: storing.export_store("store", "exported"),
    storing.forget_in_store: lambda place: storing.forget_in_store("store", name="train1", index="index"),
    storing.restore_store: lambda place: storing.restore_store("backup", "restored"),
    storing.store_info: lambda place: storing.store_info("store"),
    training.demo: lambda place: training.demo("demo.classmark"),
    training.train: lambda place: training.train(place.data, "trained.classmark", holdout="40%", feedback="store"),
    tuning.tune_and_train: lambda place: tuning.tune_and_train(
        place.data, "tuned.classmark", recipes.Recipe("nb"), tuning.Search(values={"smoothing": [0.1, 1.0]})
    ),
}


def called_by_commands() -> Iterator[Callable[..., Any]]:
    """Give the functions of the service that commands call, by their sources."""
    for name in commands.names():
        parsed = ast.parse(Path(commands.__path__[0], f"{name}.py").read_text(encoding="utf-8"))
        for found in ast.walk(parsed):
            if isinstance(found, ast.ImportFrom) and (found.module or "").startswith("classmark.service"):
                for one in found.names:
                    yield from called(import_module(found.module), one.name, parsed)


def called(package: Any, name: str, parsed: ast.Module) -> Iterator[Callable[..., Any]]:
    """Give what is imported, or what is used of a module that is."""
    if package is not service:
        yield getattr(package, name)
        return
    module = import_module(f"classmark.service.{name}")
    for found in ast.walk(parsed):
        if isinstance(found, ast.Attribute) and isinstance(found.value, ast.Name) and found.value.id == name:
            yield getattr(module, found.attr)


def test_every_command_calls_the_service_and_every_call_has_a_case():
    functions = {one for one in called_by_commands() if isfunction(one) and one is not plain}
    assert functions == set(CASES)


@pytest.mark.filterwarnings("ignore:the .*model was trained on")
@pytest.mark.parametrize("function", CASES, ids=lambda function: function.__name__)
def test_a_result_becomes_json(function, place, monkeypatch):
    monkeypatch.setenv("CLASSMARK_DATA", place.folder)
    result = CASES[function](place)
    written = plain(list(result) if isinstance(result, Iterator) else result)
    assert written
    assert json.loads(json.dumps(written)) == written


def test_a_field_without_news_is_left_out():
    nothing = judging.Evaluated(documents=3, figures={"hamming_loss": 0.5})
    assert plain(nothing) == {"documents": 3, "hamming_loss": 0.5}
    assert list(plain(judging.Evaluated(documents=3, figures={}, left_out=1, errors=0))) == [
        "documents",
        "left_out",
        "errors",
    ]


RESULTS = {
    name: one
    for module in MODULES
    for name, one in getmembers(module, isclass)
    if is_dataclass(one) and one.__module__ == module.__name__
}


@pytest.mark.parametrize("name", RESULTS)
def test_a_dataclass_of_the_service_is_frozen_and_every_field_has_its_sentence(name):
    kind = RESULTS[name]
    assert kind.__dataclass_params__.frozen
    described = {name for one in kind.__mro__ if is_dataclass(one) for name in with_sentences(one)}
    assert described == {one.name for one in fields(kind)}


def with_sentences(kind: type) -> Iterator[str]:
    """Give the fields of a class that have a string below them."""
    (parsed,) = ast.parse(getsource(kind)).body
    for above, below in pairwise(parsed.body):
        match above, below:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str())):
                yield name
