"""What is mutated: model files and index folders of a few documents, as names and bytes, and what is asked of them."""

import warnings
from pathlib import Path
from typing import Any

from classmark import Hierarchy, TextClassifier
from classmark.explain import explain, to_json
from classmark.index import LiveIndex
from classmark.service.indexing import pack_index
from tests.encoders import settings_for

TREE = Hierarchy.from_nested({"animal": {"bird": ["owl", "gull"], "fish": ["cod"]}, "plant": ["oak"]})
DOCUMENTS = [
    ("hoots at night in the barn", "owl"),
    ("silent wings at night", "owl"),
    ("cries over the sea", "gull"),
    ("white wings above the harbour and the sea", "gull"),
    ("swims in cold deep water", "cod"),
    ("a grey fish of the cold sea", "cod"),
    ("grows acorns in the forest", "oak"),
    ("a tall tree of the forest", "oak"),
]
QUESTIONS = ["who hoots at night?", "wings over the cold sea", "acorns", "nothing known"]
MODEL = "model.classmark"
FEW_METHODS = ("linear-svm", "knn-bm25-hier", "adaboost-mh")
METHODS = (
    *FEW_METHODS,
    *("logistic", "majority", "adaboost-mh-kr", "mp-boost", "treeboost-mh", "global-svm", "hiercost"),
    *("nb", "nbmc", "tdnb", "wdnb", "pcnb", "em-plus", "topdown-svm", "knn-overlap", "knn-bm25-paper"),
)
SETTINGS: dict[str, dict[str, Any]] = {
    name: {"n_estimators": 5} for name in ("adaboost-mh", "adaboost-mh-kr", "mp-boost", "treeboost-mh")
} | {name: settings_for(name) for name in ("frozen-encoder", "fine-tuned")}
CALIBRATED = ("logistic", "knn-bm25-paper")
Files = dict[str, bytes]


def write(files: Files, folder: Path) -> None:
    """Put files into a new folder."""
    folder.mkdir()
    for name, content in files.items():
        (folder / name).write_bytes(content)


def read(folder: Path) -> Files:
    """Give the files of a folder."""
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def make_model(method: str, folder: Path) -> Files:
    """Train a model, and give its file."""
    calibration = "platt" if method in CALIBRATED else None
    model = TextClassifier(method, hierarchy=TREE, settings=SETTINGS.get(method), calibration=calibration)
    texts, labels = zip(*DOCUMENTS, strict=True)
    folder.mkdir()
    model.fit(texts, labels, ids=[f"d{number}" for number in range(len(texts))]).save(folder / MODEL)
    return read(folder)


def make_index(folder: Path, scoring: str) -> Files:
    """Make an index of two segments with a deleted document, and give its files."""
    index = LiveIndex.create(folder, scoring=scoring)
    for name, of_these in (("a", DOCUMENTS), ("b", DOCUMENTS[:2])):
        ids = [f"{name}{number}" for number in range(len(of_these))]
        index.add(ids, [text for text, _ in of_these], [[label] for _, label in of_these])
    index.delete(["a3"])
    return read(folder)


def make_subjects(folder: Path, *, few: bool) -> dict[str, Files]:
    """Make everything that is mutated."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = {name: make_model(name, folder / name) for name in (FEW_METHODS if few else METHODS)}
        return found | {f"index-{name}": make_index(folder / f"index-{name}", name) for name in ("okapi", "overlap")}


def ask(folder: Path) -> list[Any]:
    """Ask everything of a model or an index, and write to it as its owner would."""
    return ask_model(folder / MODEL) if (folder / MODEL).exists() else ask_index(folder)


def ask_model(path: Path) -> list[Any]:
    """Load a model, and give its answers and explanations."""
    model = TextClassifier.load(path)
    with warnings.catch_warnings():
        # One of the questions has no known term.
        warnings.filterwarnings("ignore", "guessed the labels", UserWarning)
        found = [model.predict(QUESTIONS), model.node_scores(QUESTIONS)]
    if hasattr(model, "predict_proba"):
        found.append(model.predict_proba(QUESTIONS))
    told = [to_json(explain(model, question, top=3)) for question in QUESTIONS]
    model.save(path)
    return [*map(plain, found), told]


def ask_index(folder: Path) -> list[Any]:
    """Open an index, search it, write to it, and pack it."""
    before = LiveIndex.open(folder).search(QUESTIONS, 5)
    index = LiveIndex.open(folder)
    added = index.add([None, "a1"], ["an owl in the tree", "wings"], [["owl"], None])
    between = index.search(QUESTIONS, 5)
    index.delete(["a2"])
    index.compact()
    pack_index(str(folder), str(folder / MODEL))
    return [before, added, between, index.search(QUESTIONS, 5), list(index.documents()), ask_model(folder / MODEL)]


def plain(values: Any) -> Any:
    """Give arrays as lists, which can be compared."""
    return values.tolist() if hasattr(values, "tolist") else values
