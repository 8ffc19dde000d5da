"""A server with models that the page is tried with: tickets, categories of hostile names, and very many of them."""

import json
from pathlib import Path
from typing import Any

from classmark import Hierarchy, TextClassifier
from classmark.data import CorpusOptions, read_corpus
from classmark.service.dividing import held_out
from classmark.service.judging import evaluate_model
from classmark.service.results import plain

ROOT = Path(__file__).parents[2]
TICKETS = ROOT / "examples" / "tickets.csv"
READING = {"text_column": "body", "label_column": "category", "id_column": "ticket_id", "path_separator": "/"}
OPTIONS = " ".join(f"--{name.replace('_', '-')} {value}" for name, value in READING.items())
"""The same for the command line."""
INVOICE = "Please send the invoice with our VAT number; the invoice is for my accountant, and no refund is wanted."
HOSTILE = ["</div>", "<script>alert(1)</script>", "right\u202eto left", '"><img src=x onerror=alert(1)>', "x" * 300]
SEVERAL = 120
"""So many categories are below each of as many."""


def tickets(folder: Path) -> Path:
    """Train a model of tickets, and measure it."""
    corpus = read_corpus(TICKETS, options=CorpusOptions(**READING))
    path = folder / "tickets.classmark"
    rest, unseen = held_out(corpus, 0.3, 0)
    model = TextClassifier("linear-svm", hierarchy=corpus.hierarchy, calibration="platt")
    model.fit(rest.documents, rest.labels, ids=rest.ids).save(path)
    figures = plain(evaluate_model(model, unseen, categories=True))
    (folder / "figures.json").write_text(json.dumps(figures), "utf-8")
    return path


def hostile(folder: Path) -> Path:
    """Train a model whose categories are called what nobody would call them."""
    edges: list[tuple[Any, Any]] = [(None, HOSTILE[0]), *((HOSTILE[0], name) for name in HOSTILE[1:])]
    model = TextClassifier("nb", hierarchy=Hierarchy.from_edges(edges))
    texts = [f"{word} {word} <b>bold</b> \u202e" for word in ("alder", "birch", "cedar", "elder")]
    model.fit(texts, [[name] for name in HOSTILE[1:]]).save(folder / "hostile.classmark")
    return folder / "hostile.classmark"


def many(folder: Path) -> Path:
    """Train a model of very many categories."""
    tops = [f"branch {place:03}" for place in range(SEVERAL)]
    edges: list[tuple[Any, Any]] = [(None, top) for top in tops]
    edges += [(top, f"{top}, leaf {place:03}") for top in tops for place in range(SEVERAL)]
    hierarchy = Hierarchy.from_edges(edges)
    model = TextClassifier("knn-bm25", hierarchy=hierarchy)
    model.fit(["acorns of the wood", "waves of the sea"], [[hierarchy.names[-1]], [hierarchy.names[-2]]])
    model.save(folder / "many.classmark")
    return folder / "many.classmark"
