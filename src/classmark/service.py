"""What classmark does, on plain data: shared by the command line and the server.

Each function takes paths and simple values, and returns dicts and lists that can be printed or sent as JSON.
"""

import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

import msgspec
import numpy as np

from classmark.data import Corpus, CorpusOptions, load_docstrings, read_corpus
from classmark.data.formats.jsonl import read_object
from classmark.data.formats.records import BYTE_ORDER_MARK
from classmark.decision import format_decision, parse_decision
from classmark.explain import explain
from classmark.hierarchy import Hierarchy
from classmark.labels import encode
from classmark.methods import METHODS, find_method
from classmark.metrics import summarise
from classmark.persistence import check_writable, read_header, replacing
from classmark.pipeline import TextClassifier
from classmark.progress import track
from classmark.text.vectoriser import Document

DOCUMENTS_IN_A_BATCH = 1000
DEMO_SENTENCE = "Find the shortest path between two nodes of a sparse graph."


def train(
    data: str,
    output: str,
    *,
    method: str = "linear-svm",
    settings: Mapping[str, Any] | None = None,
    hierarchy: str | None = None,
    splits: Sequence[str] | None = None,
    decision: str | None = None,
    seed: int = 0,
    jobs: int | None = None,
    options: CorpusOptions | None = None,
) -> dict[str, Any]:
    """Train a method on the training documents of a corpus and save the model."""
    find_method(method).configure(settings or {})
    if decision is not None:
        parse_decision(decision)
    if jobs == 0:
        raise ValueError("jobs is 0; give a number of processes from 1, or -1 for one a core")
    check_writable(Path(output))
    corpus = read_corpus(data, hierarchy=hierarchy, options=options or CorpusOptions()).part(splits, "train")
    model, seconds = fit(corpus, method, settings, decision, seed, jobs)
    model.save(output)
    return {
        "model": output,
        "method": method,
        "documents": len(corpus),
        "categories": len(model.hierarchy_),
        "terms": len(model.vectoriser_.vocabulary_),
        "decision": format_decision(model.classifier_.decision_),
        "seconds": seconds,
        "bytes": Path(output).stat().st_size,
    }


def fit(
    corpus: Corpus,
    method: str,
    settings: Mapping[str, Any] | None = None,
    decision: str | None = None,
    seed: int = 0,
    jobs: int | None = None,
) -> tuple[TextClassifier, float]:
    """Fit a method on every document of a corpus; give the model and the seconds it took."""
    model = TextClassifier(
        method,
        settings=settings,
        hierarchy=corpus.hierarchy,
        decision=decision,
        random_state=seed,
        n_jobs=jobs,
    )
    start = time.perf_counter()
    model.fit(track(corpus.documents, "documents", len(corpus)), corpus.labels)
    return model, time.perf_counter() - start


def predict(
    model: TextClassifier,
    documents: Iterable[tuple[str, Document]],
    *,
    leaves: bool = False,
    scores: bool = False,
    top: int | None = None,
) -> Iterator[dict[str, Any]]:
    """Classify documents, given with their ids, one dict a document.

    Parameters
    ----------
    leaves : bool
        Give the most specific labels alone instead of all of them, ancestors included.
    scores : bool
        Give the scores of the labels too, or of the `top` best categories.
    top : int, optional
        Give the so many best categories, whatever the decision says, best first.
    """
    names = model.hierarchy_.names
    pending = iter(documents)
    while batch := list(islice(pending, DOCUMENTS_IN_A_BATCH)):
        ids, texts = zip(*batch, strict=True)
        found = model.classifier_.node_scores(X := model.transform(texts))
        labels = model.classifier_.predict_indicator(X)
        labels = model.hierarchy_.own(labels) if leaves else labels
        for row, name in enumerate(ids):
            nodes = labels.indices[labels.indptr[row] : labels.indptr[row + 1]]
            if top is not None:
                ends = model.classifier_.ends_
                nodes = ends[np.argsort(-found[row, ends], kind="stable")[:top]]
            answer: dict[str, Any] = {"id": name, "labels": [names[node] for node in nodes]}
            if scores:
                answer["scores"] = {str(names[node]): float(found[row, node]) for node in nodes}
            yield answer


def write_predictions(answers: Iterable[dict[str, Any]], output: str | None) -> None:
    """Write answers as JSON lines, to standard output or to a file, the file whole or not at all."""
    if output is None:
        _write_lines(answers, sys.stdout.buffer)
        return
    with replacing(Path(output)) as temporary, temporary.open("wb") as file:
        _write_lines(answers, file)


def _write_lines(answers: Iterable[dict[str, Any]], file: BinaryIO) -> None:
    for answer in answers:
        file.write(msgspec.json.encode(answer) + b"\n")


def evaluate(model: TextClassifier, corpus: Corpus) -> dict[str, Any]:
    """Compare a model's answers with the labels of a corpus; documents that are not labelled are left out."""
    labels = encode([list(one) if one is not None else None for one in corpus.labels], model.hierarchy_)
    rows = np.flatnonzero(labels.labelled)
    if not rows.size:
        raise ValueError(f"{corpus.source}: no labelled document to evaluate on")
    documents = track([corpus.documents[row] for row in rows], "documents", rows.size)
    X = model.transform(documents)
    predicted = model.classifier_.predict_indicator(X)
    first = model.classifier_.predict_first(X)
    result = summarise(labels.indicator[rows], predicted, first, model.hierarchy_)
    left_out = len(corpus) - rows.size
    return result | ({"left_out": left_out} if left_out else {})


def read_for(model: TextClassifier, data: str, options: CorpusOptions, splits: Sequence[str] | None) -> Corpus:
    """Read documents to use a model on: the hierarchy must be the one it was trained with."""
    own_hierarchy = Path(data).is_dir() and (Path(data) / "hierarchy.tsv").is_file()
    corpus = read_corpus(data, hierarchy=None if own_hierarchy else model.hierarchy_, options=options)
    if own_hierarchy and corpus.hierarchy is not None:
        check_same(model.hierarchy_, corpus.hierarchy, data)
    return corpus.part(splits, "test")


def documents_for(
    model: TextClassifier, data: str, options: CorpusOptions, splits: Sequence[str] | None
) -> Iterator[tuple[str, Document]]:
    """Give the documents to classify with their ids; `-` reads JSON or plain lines from standard input."""
    if data == "-":
        yield from read_lines(sys.stdin.buffer, options)
        return
    corpus = read_for(model, data, options, splits)
    yield from track(zip(corpus.ids, corpus.documents, strict=True), "documents", len(corpus))


def read_lines(lines: Iterable[bytes], options: CorpusOptions) -> Iterator[tuple[str, Document]]:
    """Read a document a line: a JSON object as in a dataset folder, or else plain text."""
    for number, line in enumerate(lines, 1):
        line = line.removeprefix(BYTE_ORDER_MARK) if number == 1 else line
        if not line.strip():
            continue
        if line.lstrip().startswith(b"{"):
            record = read_object(line, number, "standard input", options)
            yield record.id or str(number), record.document
        else:
            try:
                yield str(number), line.decode("utf-8").rstrip("\r\n")
            except UnicodeDecodeError:
                raise ValueError(f"standard input:{number}: not UTF-8; convert it first") from None


def check_same(trained: Hierarchy, found: Hierarchy, source: str) -> None:
    """Refuse a hierarchy that changed since training, naming what changed."""
    if trained == found:
        return
    changes = []
    for what, edges in (
        ("new", set(found.edges()) - set(trained.edges())),
        ("gone", set(trained.edges()) - set(found.edges())),
    ):
        if edges:
            parent, child = min(edges, key=repr)
            changes.append(f"{len(edges)} edge(s) {what}, such as {parent or 'ROOT'} → {child}")
    raise ValueError(f"{source}: the hierarchy changed since training: {'; '.join(changes)}; train again")


def info(path: str) -> tuple[dict[str, Any], Hierarchy | None]:
    """Describe a model file or a corpus, and give its hierarchy."""
    if _is_model(Path(path)):
        return _model_info(path)
    corpus = read_corpus(path)
    splits = {str(name): corpus.splits.count(name) for name in dict.fromkeys(corpus.splits) if name is not None}
    described = {
        "corpus": path,
        "documents": len(corpus),
        "unlabelled": corpus.labels.count(None),
        "belonging nowhere": corpus.labels.count([]),
        "splits": splits,
        "hierarchy": repr(corpus.hierarchy) if corpus.hierarchy is not None else None,
    }
    return described, corpus.hierarchy


def _is_model(path: Path) -> bool:
    """Say whether a file is meant to be a model: by its suffix, or by its first bytes, the length of its header."""
    if not path.is_file() or path.suffix == ".classmark":
        return path.is_file()
    with path.open("rb") as file:
        # Read as a number, eight characters of text are far more than any file's length.
        return 0 < int.from_bytes(file.read(8), "little") < path.stat().st_size


def _model_info(path: str) -> tuple[dict[str, Any], Hierarchy]:
    model = TextClassifier.load(path)
    header = read_header(path)
    described = {
        "model": path,
        "method": header.state["method"],
        "settings": header.state["settings"],
        "text": header.state["text"],
        "decision": format_decision(model.classifier_.decision_),
        "hierarchy": repr(model.hierarchy_),
        "terms": len(model.vectoriser_.vocabulary_),
        "seed": header.state["random_state"],
        "format": header.format,
        "libraries": header.libraries,
        "bytes": Path(path).stat().st_size,
    }
    return described, model.hierarchy_


def methods(name: str | None = None) -> list[dict[str, Any]]:
    """List the methods, or one of them, with their settings."""
    return [
        {
            "name": method.name,
            "summary": method.summary,
            "settings": _settings(method.learner) + _settings(method.text),
        }
        for method in (METHODS.values() if name is None else [find_method(name)])
    ]


def _settings(settings: msgspec.Struct) -> list[dict[str, Any]]:
    declared = msgspec.json.schema(type(settings))["$defs"][type(settings).__name__]["properties"]
    return [
        {
            "name": name,
            "default": getattr(settings, name),
            "description": declared[name].get("description", ""),
        }
        for name in settings.__struct_fields__
    ]


def demo(output: str) -> dict[str, Any]:
    """Train, evaluate and use a classifier on the embedded corpus."""
    check_writable(Path(output))
    corpus = load_docstrings()
    model, seconds = fit(corpus.select(["train"]), "linear-svm")
    model.save(output)
    baseline, _ = fit(corpus.select(["train"]), "majority")
    test = corpus.select(["test"])
    return {
        "corpus": repr(corpus),
        "documents": len(corpus),
        "hierarchy": corpus.hierarchy,
        "seconds": seconds,
        "evaluation": evaluate(model, test),
        "baseline": evaluate(baseline, test),
        "sentence": DEMO_SENTENCE,
        "explanation": explain(model, DEMO_SENTENCE, top=5),
        "model": output,
    }
