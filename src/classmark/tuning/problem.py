"""A validation cut, and what a method's settings are worth on it.

`Record` keeps every trial as a line of a file, from which an interrupted search resumes.
"""

import time
import zlib
from collections.abc import Mapping, Sequence
from copy import copy
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array
from sklearn.utils.validation import has_fit_parameter

from classmark.data import Corpus
from classmark.data.names import name_documents
from classmark.errors import InputError
from classmark.hierarchy import Hierarchy, Name
from classmark.labels import encode
from classmark.logs import add_to_log, begin_log, read_log
from classmark.metrics.evaluation import Evaluation
from classmark.metrics.table import check_measure, chosen_figure
from classmark.reader import Reader, own_reading
from classmark.registry import find_method
from classmark.selection import parse_selection
from classmark.text import TextSettings

Rows = npt.NDArray[np.intp]


class Trial(msgspec.Struct, frozen=True):
    """What settings were worth: the score, on how many training documents, and the processor's seconds it took."""

    settings: dict[str, Any]
    documents: int
    score: float
    seconds: float

    @property
    def key(self) -> str:
        """What two trials of the same thing have in common."""
        return trial_key(self.settings, self.documents)


def trial_key(settings: Mapping[str, Any], documents: int) -> str:
    """Name a trial, whatever the order of its settings.

    >>> trial_key({"k": 5, "alpha": 1.0}, 9)
    '[9,{"alpha":1.0,"k":5}]'
    """
    return msgspec.json.encode([documents, dict(settings)], order="deterministic").decode()


def validation_cut(labels: csr_array, size: int, seed: int = 0) -> tuple[Rows, Rows]:
    """Draw documents to validate on, and give the others and them, both in order.

    A document whose label no other one has stays: nothing could be learned of it from the others.

    Examples
    --------
    >>> labels = csr_array([[1, 0], [1, 0], [0, 1]])
    >>> learned, held_out = validation_cut(labels, 2)
    >>> learned.size, held_out.size, 2 in learned
    (2, 1, True)
    """
    left = np.bincount(labels.indices, minlength=labels.shape[1])
    held_out: list[int] = []
    for row in np.random.default_rng(seed).permutation(labels.shape[0]):
        own = labels.indices[labels.indptr[row] : labels.indptr[row + 1]]
        if len(held_out) < size and (left[own] > 1).all():
            left[own] -= 1
            held_out.append(int(row))
    chosen = np.sort(np.array(held_out, dtype=np.intp))
    return np.setdiff1d(np.arange(labels.shape[0]), chosen), chosen


class TuningProblem:
    """A method, labelled documents, and the cut that its settings are measured on.

    Parameters
    ----------
    corpus : Corpus
        The training documents; those that are not labelled are left out.
    method : str
        A name of the table of methods.
    measure : str
        What to choose by, a name of `metrics.table.choices`.
    size : int, optional
        How many documents to validate on; by default a tenth, and at most 3,000, as in the paper.
    fixed : mapping, optional
        Settings that differ from the method's defaults in every trial.
    decision : str, optional
        How scores become label sets, where the measure asks for them.
    selection : str, optional
        Which terms are kept, selected in every trial from its own documents.
    names : bool
        Learn from the categories' names too, in every trial.
    seed : int
        What the cut, the method and a random search are drawn by.

    Examples
    --------
    >>> from classmark import load_docstrings
    >>> problem = TuningProblem(load_docstrings().select(["train"]), "knn-bm25")
    >>> 8 < problem.learned.size / problem.held_out.size < 10
    True
    >>> 0 < problem.trial({"k": 3}).score < 1
    True
    """

    def __init__(
        self,
        corpus: Corpus,
        method: str,
        *,
        measure: str = "hf",
        size: int | None = None,
        fixed: Mapping[str, Any] | None = None,
        decision: str | None = None,
        selection: str | None = None,
        names: bool = False,
        seed: int = 0,
        n_jobs: int | None = None,
    ) -> None:
        check_measure(measure)
        rows = [row for row, labels in enumerate(corpus.labels) if labels is not None]
        if len(rows) < 2:
            raise InputError(f"{corpus.source}: {len(rows)} labelled document(s); tuning cuts them in two")
        self.method = find_method(method)
        self.fixed = dict(fixed or {})
        self.method.configure(self.fixed)
        self.measure, self.decision, self.seed, self.n_jobs = measure, decision, seed, n_jobs
        self.selection = selection
        self.ids = [corpus.ids[row] for row in rows]
        self.documents = [corpus.documents[row] for row in rows]
        self.labels = [list(corpus.labels[row] or []) for row in rows]
        encoded = encode(self.labels, corpus.hierarchy)
        self.hierarchy: Hierarchy = encoded.hierarchy
        self.truth = self.hierarchy.own(self.hierarchy.close(encoded.indicator))
        wanted = min(3000, max(1, len(rows) // 10)) if size is None else size
        self.learned, self.held_out = validation_cut(self.truth, wanted, seed)
        if not self.held_out.size:
            raise InputError(f"{corpus.source}: every document has a label that no other has; nothing to validate on")
        self.names = names
        titles: dict[Name, str] = {node: text.name for node, text in corpus.nodes.items() if text.name}
        learned = _take(self.labels, self.learned)
        self.extra, self.extra_labels = name_documents(self.hierarchy, learned, titles) if names else ([], [])
        self.nodes = corpus.nodes
        self._texts: dict[tuple[TextSettings, int | None], tuple[Reader, csr_array, csr_array]] = {}

    def alone(self) -> "TuningProblem":
        """Give a copy whose trials keep to one core, and that has read nothing yet."""
        other = copy(self)
        other.n_jobs, other._texts = 1, {}
        return other

    def fingerprint(self) -> dict[str, Any]:
        """Say what makes trials comparable; a record of another problem is not taken up."""
        digest = zlib.crc32(msgspec.json.encode([self.ids, self.labels]))
        return {
            "method": self.method.name,
            "measure": self.measure,
            "decision": self.decision,
            "names": self.names,
            "selection": self.selection,
            "fixed": {name: str(value) for name, value in self.fixed.items()},
            "seed": self.seed,
            "validation": int(self.held_out.size),
            "documents": digest,
        }

    def trial(self, settings: Mapping[str, Any], documents: int | None = None) -> Trial:
        """Train with some settings, on the first so many of the shuffled documents, and measure on the cut."""
        learner, text = self.method.configure(self.fixed | dict(settings))
        start = time.process_time()
        count = self.learned.size if documents is None else min(documents, self.learned.size)
        seen = np.sort(np.random.default_rng(self.seed).permutation(self.learned.size)[:count])
        classifier = learner.build(self.seed, self.n_jobs).set_params(hierarchy=self.hierarchy)
        reader, counts, asked = self._read(text, classifier)
        if self.decision is not None:
            classifier.set_params(decision=self.decision)
        # The names come after the documents, and belong to every part of them.
        rows = np.append(seen, self.learned.size + np.arange(len(self.extra)))
        labels = [*_take(self.labels, self.learned[seen]), *self.extra_labels]
        counts = csr_array(counts[rows])
        if self.selection is not None:
            kept = parse_selection(self.selection).set_params(hierarchy=self.hierarchy).fit(counts, labels).support_
            reader, counts, asked = reader.selected(kept), csr_array(counts[:, kept]), csr_array(asked[:, kept])
        learned, weigh = reader.weigh(counts)
        known = {"names": reader.names(weigh, self.nodes), "columns": getattr(reader.vectoriser, "columns", None)}
        called = {name: value for name, value in known.items() if has_fit_parameter(classifier, name)}
        classifier.fit(learned, labels, **called)
        X = weigh(asked)
        predicted, first = classifier.predict_both(X)
        found = Evaluation(self.truth[self.held_out], predicted, self.hierarchy, first=first)
        score = chosen_figure(self.measure, found)
        return Trial(dict(settings), int(seen.size), score, time.process_time() - start)

    def _read(self, text: TextSettings, classifier: Any) -> tuple[Reader, csr_array, csr_array]:
        """Read both parts as a classifier would, once for each way to read text."""
        if classifier.reads_texts:
            classifier.set_params(encoder=text.encoder)
        own = own_reading(classifier, text)
        way = text, getattr(own, "max_tokens", None)
        if way not in self._texts:
            reader, counts = Reader.learn(text, [*_take(self.documents, self.learned), *self.extra], own)
            self._texts[way] = reader, counts, reader.rows(_take(self.documents, self.held_out))
        return self._texts[way]


def _take(values: Sequence[Any], rows: Rows) -> list[Any]:
    return [values[row] for row in rows]


class Record:
    """The trials of one problem, in memory and, where a path is given, in a file of JSON lines.

    The first line says which problem it is; each further one is a trial, written when it is done. A last line that
    was cut off is passed over, and written again.

    Examples
    --------
    >>> record = Record(None, {"method": "knn-bm25"})
    >>> record.add(Trial({"k": 5}, 90, 0.5, 0.1))
    >>> record.find({"k": 5}, 90).score
    0.5
    """

    def __init__(self, path: str | Path | None, fingerprint: dict[str, Any]) -> None:
        self.path = None if path is None else Path(path)
        self.trials: list[Trial] = []
        self._by_key: dict[str, Trial] = {}
        if self.path is None:
            return
        if self.path.is_file() and self.path.stat().st_size:
            for trial in read_log(self.path, fingerprint, Trial):
                self._keep(trial)
        else:
            begin_log(self.path, fingerprint)

    def find(self, settings: dict[str, Any], documents: int) -> Trial | None:
        """Give the trial of these settings, if there was one."""
        return self._by_key.get(Trial(settings, documents, 0.0, 0.0).key)

    def add(self, trial: Trial) -> None:
        """Keep a trial."""
        self._keep(trial)
        if self.path is not None:
            add_to_log(self.path, trial)

    def _keep(self, trial: Trial) -> None:
        self.trials.append(trial)
        self._by_key[trial.key] = trial
