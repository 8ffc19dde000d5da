"""What there is: models and corpora."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from classmark.data import CorpusOptions
from classmark.decision import format_decision
from classmark.hierarchy import Hierarchy, Name
from classmark.persistence import read_header
from classmark.pipeline import TextClassifier
from classmark.service.corpora import read


def info(path: str, options: CorpusOptions | None = None, *, tree: bool = False) -> dict[str, Any]:
    """Describe a model file or a corpus, with its hierarchy drawn under `tree` where that is asked for."""
    described, hierarchy, titles = _model_info(path) if _is_model(Path(path)) else _corpus_info(path, options)
    drawn = {"tree": hierarchy.draw(titles=titles)} if tree and hierarchy is not None else {}
    return described | drawn


def _corpus_info(path: str, options: CorpusOptions | None) -> tuple[dict[str, Any], Hierarchy | None, dict[Name, str]]:
    corpus = read(path, options=options)
    splits = {str(name): corpus.splits.count(name) for name in dict.fromkeys(corpus.splits) if name is not None}
    described = {
        "corpus": path,
        "documents": len(corpus),
        "unlabelled": corpus.labels.count(None),
        "belonging nowhere": corpus.labels.count([]),
        "splits": splits,
        "hierarchy": repr(corpus.hierarchy) if corpus.hierarchy is not None else None,
    }
    return described, corpus.hierarchy, {node: text.name for node, text in corpus.nodes.items() if text.name}


def _is_model(path: Path) -> bool:
    """Say whether a file is meant to be a model: by its suffix, or by its first bytes, the length of its header."""
    if not path.is_file() or path.suffix == ".classmark":
        return path.is_file()
    with path.open("rb") as file:
        # Read as a number, eight characters of text are far more than any file's length.
        return 0 < int.from_bytes(file.read(8), "little") < path.stat().st_size


def _model_info(path: str) -> tuple[dict[str, Any], Hierarchy, Mapping[Name, str]]:
    model = TextClassifier.load(path)
    header = read_header(path)
    described = {
        "model": path,
        "method": header.state["method"],
        "settings": header.state["settings"],
        "text": header.state["text"],
        "selection": header.state["selection"],
        "decision": format_decision(model.classifier_.decision_),
        **({"because": reason} if (reason := model.classifier_.decision_reason_) else {}),
        "hierarchy": repr(model.hierarchy_),
        "terms": len(model.vectoriser_.vocabulary_),
        "seed": header.state["random_state"],
        "format": header.format,
        "libraries": header.libraries,
        "bytes": Path(path).stat().st_size,
    }
    return described, model.hierarchy_, model.titles or {}
