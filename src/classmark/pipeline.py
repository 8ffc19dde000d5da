"""`TextClassifier`: analyser, vocabulary, weighting, classifier and decision as one object."""

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, field
from pathlib import Path
from typing import Annotated, Any, Self

import msgspec
import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from classmark.base import Calibration, Categories, DecisionTaken, HierarchicalClassifier, Jobs, Seed
from classmark.checkpoints import check_checkpoint
from classmark.checks import instance, optional
from classmark.data.frames import documents_in, labels_in
from classmark.errors import InputError
from classmark.hierarchy import Hierarchy, Name
from classmark.hierarchy.formats import NodeText
from classmark.limits import Estimate
from classmark.parameters import Parameterized, check_parameters, read_settings
from classmark.parted import Rows, by_rows, columns_of, mapped
from classmark.persistence import State, checked_array, is_index, load, save
from classmark.portrait import Facts, HTMLReprMixin, estimator_html, facts_of, written
from classmark.reader import (
    Reader,
    Readings,
    Vectoriser,
    Weigher,
    numbers_by,
    own_reading,
    restored_way,
    tokenisers_of,
    way_state,
)
from classmark.registry import Searching, find_class, find_method, saved_name, text_settings
from classmark.seen import Seen, row_numbers
from classmark.selection import TermSelector, format_selection, parse_selection
from classmark.strategies.parts import parts_in_words
from classmark.text import TermWeighting, TextSettings, TextVectoriser
from classmark.text.encoders.features import (
    WITH_TERMS,
    TextEncoder,
    VectorsAndTerms,
)
from classmark.text.encoders.kinds import check_encoder, find_folder
from classmark.text.parts import TextsOfParts
from classmark.text.vectoriser import Document

FEWEST_TO_REPEAT = 10
"""Among fewer documents it is usual that no term occurs twice."""
TEXTS_OF_CATEGORIES = ("titles", "uris", "notations")


def _gives_probabilities(model: "TextClassifier") -> bool:
    """Ask the classifier, whose error says why not."""
    classifier = model.classifier_ if hasattr(model, "classifier_") else model.parts()[0]
    return callable(classifier.predict_proba)


def _without_times(search: Any) -> Any:
    """Leave out what differs between two searches that find the same."""
    if isinstance(search, list):
        return [_without_times(one) for one in search]
    if isinstance(search, dict):
        return {name: _without_times(value) for name, value in search.items() if name != "seconds"}
    return search


def _by_category(texts: Any, hierarchy: Hierarchy) -> dict[Name, str] | None:
    """Give what a model file says of the categories, in node order, by their names."""
    if texts is None:
        return None
    pairs = zip(hierarchy.names, msgspec.convert(texts, list[str | None]), strict=True)
    return {name: text for name, text in pairs if text is not None}


def _warn_of_unrepeated_terms(counts: csr_array, terms: Sequence[str]) -> None:
    """Warn if no term occurs in two documents, so that nothing carries over from one document to another."""
    documents, n_terms = counts.shape
    # More entries than terms: one of them occurs twice.
    if documents < FEWEST_TO_REPEAT or counts.nnz > n_terms:
        return
    if np.bincount(counts.indices, minlength=n_terms).max(initial=0) < 2:
        warnings.warn(
            f"none of the {n_terms:,} terms of {documents:,} documents occurs in two of them, such as {terms[0]!r};"
            " check the text column (--text-column) and how text is read",
            stacklevel=2,
        )


def _cleared(labels: Any, rows: npt.NDArray[np.bool_]) -> Any:
    """Return labels, lists or an indicator, with some rows emptied."""
    if isinstance(labels, list):
        return [[] if empty else own for own, empty in zip(labels, rows.tolist(), strict=True)]
    if isinstance(labels, csr_array):
        labels.data[np.repeat(rows, np.diff(labels.indptr))] = 0
        labels.eliminate_zeros()
    elif rows.any():
        labels[rows] = 0
    return labels


def _restored_text(state: State) -> TextSettings:
    """Give the settings of text of a model file, which may ask for no more than a user may."""
    parts = [TextSettings(**part) for part in state.get("parts", ())]
    for text in parts or [TextSettings(**state)]:
        check_parameters(text)
        text.vectoriser().check()
        text.term_weighting().check()
    return TextsOfParts.of(parts) if parts else TextSettings(**state)


class TextClassifier(HTMLReprMixin, Parameterized, ClassifierMixin, BaseEstimator):
    """From texts to categories with any method of the table.

    Attributes
    ----------
    vectoriser_, weighting_, classifier_
        The fitted parts; no weighting where an encoder makes vectors of texts.
    text_ : TextSettings
        How they read text.
    trained_on_ : array of uint64
        Numbers of the training documents, by which they are known again.
    search_ : dict or None
        What was tried, chosen and is expected, where the method is `auto`.

    Examples
    --------
    >>> from classmark import Hierarchy, TextClassifier
    >>> tree = Hierarchy.from_nested({"animal": ["owl", "gull"], "plant": ["oak"]})
    >>> texts = ["hoots at night", "cries over the sea", "grows acorns"]
    >>> model = TextClassifier(hierarchy=tree).fit(texts, ["owl", "gull", "oak"])
    >>> model.predict(["it hoots"])
    array(['owl'], dtype='<U6')
    """

    method: Annotated[
        str | HierarchicalClassifier,
        instance(
            (str, HierarchicalClassifier), "a name of the table or an estimator such as FlatClassifier(LinearSVC())"
        ),
        "A name from `classmark methods`, or an estimator of classmark's.",
    ] = field(default="linear-svm", kw_only=False)
    settings: Annotated[
        Mapping[str, Any] | None,
        optional(instance(Mapping, 'a mapping, such as {"C": 10, "ngrams": 2}')),
        "The method's and the text's settings that differ from the method's defaults.",
    ] = None
    hierarchy: Categories = None
    titles: Annotated[
        Mapping[Name, str] | None,
        optional(instance(Mapping, "a mapping from categories to readable names")),
        "Readable names of categories that are codes, to show beside them.",
    ] = None
    uris: Annotated[
        Mapping[Name, str] | None,
        optional(instance(Mapping, "a mapping from categories to addresses")),
        "Addresses of categories that are not called by them, to name them by to others; nothing is learned from them.",
    ] = None
    notations: Annotated[
        Mapping[Name, str] | None,
        optional(instance(Mapping, "a mapping from categories to notations")),
        "Notations of categories, such as class marks, to tell others; nothing is learned from them.",
    ] = None
    descriptions: Annotated[
        Mapping[Name, str] | None,
        optional(instance(Mapping, "a mapping from categories to words about them")),
        "Words about categories, which methods with an encoder begin with, beside the names; not in the model file.",
    ] = None
    selection: Annotated[
        TermSelector | str | None,
        optional(instance((str, TermSelector), "a TermSelector, or words such as 'chi-square,share=0.1'")),
        'Which terms to keep, such as `"information-gain,per_category=60"`; all by default.',
    ] = None
    decision: DecisionTaken = None
    calibration: Calibration = None
    random_state: Seed = 0
    n_jobs: Jobs = None

    def fit(
        self,
        documents: Iterable[Document],
        labels: Any,
        sample_weight: npt.ArrayLike | None = None,
        *,
        ids: Sequence[str] | None = None,
        checkpoint: str | Path | None = None,
        resume: bool = False,
        client: Any = None,
    ) -> Self:
        """Learn vocabulary, weights and classifier from documents and their labels, in any form of labels.

        Documents may be a frame of pandas, polars or `datasets` with a column `text`, and labels then the name of
        another column, or a list of names: indicator columns, matched to the categories by name, or the levels of a
        path. Methods that keep the documents, neighbours, keep their `ids` too, and explanations name them. Methods
        that learn in rounds, iterations, nodes or epochs keep what they have reached in the file `checkpoint`, `auto`
        its trials in such a folder, and `resume` goes on from it. With a `client` of Dask's, or the address of a
        scheduler, the work is done on that [cluster](cluster.md), as inside a block `with classmark.cluster(client)`.
        """
        if client is not None:
            from classmark.parallel.cluster.connecting import cluster

            with cluster(client):
                return self.fit(documents, labels, sample_weight, ids=ids, checkpoint=checkpoint, resume=resume)
        documents, labels = documents_in(documents), labels_in(documents, labels)
        if self._searching() is None:
            return self._learn(documents, labels, sample_weight, ids, checkpoint, resume)
        self.check()
        from classmark.auto.chosen import learn_best

        learn_best(self, documents, labels, sample_weight, ids, checkpoint, resume)
        return self

    def _searching(self) -> Searching | None:
        """Give the method, where it is a search for another."""
        method = find_method(self.method) if isinstance(self.method, str) else None
        return method if isinstance(method, Searching) else None

    def _learn(
        self,
        documents: Iterable[Document],
        labels: Any,
        sample_weight: npt.ArrayLike | None,
        ids: Sequence[str] | None,
        checkpoint: str | Path | None = None,
        resume: bool = False,
        tell: Callable[[HierarchicalClassifier], None] | None = None,
    ) -> Self:
        """Learn from documents; whoever knows more than they say may tell the classifier first."""
        classifier, text = self._checked()
        self.search_: dict[str, Any] | None = None
        if tell is not None:
            tell(classifier)
        if resume and not has_fit_parameter(classifier, "resume"):
            raise InputError(f"{self._name_of(classifier)} learns in one go: there is nothing to resume; leave it out")
        if has_fit_parameter(classifier, "checkpoint"):
            check_checkpoint(checkpoint, resume=resume)
        own = own_reading(self._taken_up(classifier), text)
        wanted = {"ids": ids, "checkpoint": checkpoint, "resume": resume}
        with Reader.learning(text, documents, own) as read:
            self._learn_from(
                classifier, *self._select(*read, labels, classifier.hierarchy), labels, sample_weight, wanted
            )
        return self

    def _learn_from(
        self,
        classifier: HierarchicalClassifier,
        reader: Reader,
        counts: Rows,
        labels: Any,
        sample_weight: npt.ArrayLike | None,
        wanted: Mapping[str, Any],
    ) -> None:
        """Fit the classifier on the terms of documents; pass it those of the `wanted` arguments that it takes."""
        if reader.text.by_terms and isinstance(counts, csr_array):
            _warn_of_unrepeated_terms(counts, reader.vectoriser.vocabulary_)
        X, weigher = reader.weigh(counts)
        self.text_: TextSettings = reader.text
        self.vectoriser_: Vectoriser | Readings = reader.vectoriser
        self.weighting_: TermWeighting | None = weigher.weighting
        self.trained_on_: npt.NDArray[np.uint64] = np.unique(by_rows(X, numbers_by(reader.vectoriser)))
        names, columns = self._read_names(reader, weigher), getattr(reader.vectoriser, "columns", None)
        wanted = {**wanted, "names": names, "columns": columns}
        named = {name: value for name, value in wanted.items() if value and has_fit_parameter(classifier, name)}
        self.classifier_: HierarchicalClassifier = classifier.fit(X, labels, sample_weight, **named)

    def estimate(self, documents: Iterable[Document], labels: Any) -> Estimate:
        """Estimate the memory and the time that learning takes, once terms are counted; nothing is learned.

        >>> found = TextClassifier("nb").estimate(["hoots at night", "grows acorns"], ["owl", "oak"])
        >>> found.terms, found.categories, found.fits
        (4, 2, True)
        """
        classifier, text = self._checked()
        if self._searching() is not None:
            raise InputError("auto keeps to its budget, and estimates every trial before it begins; estimate a method")
        own = own_reading(classifier, text)
        reader, counts = self._select(*Reader.learn(text, documents, own), labels, classifier.hierarchy)
        X, _ = reader.weigh(counts)
        columns = getattr(reader.vectoriser, "columns", None)
        return classifier.estimate(X, labels, **({} if columns is None else {"columns": columns}))

    def _taken_up(self, classifier: HierarchicalClassifier) -> Any:
        """Give a classifier what the last one has learned, where it goes on from there."""
        before = getattr(self, "classifier_", None)
        if getattr(classifier, "warm_start", False) and type(before) is type(classifier):
            vars(classifier).update({name: value for name, value in vars(before).items() if name.endswith("_")})
        return classifier

    def _read_names(self, reader: Reader, weigher: Weigher) -> Callable[[Hierarchy], csr_array]:
        """Give what reads the names and descriptions of categories as documents are read."""
        titles, descriptions = self.titles or {}, self.descriptions or {}
        nodes = {
            name: NodeText(titles.get(name, ""), descriptions.get(name, "")) for name in {**titles, **descriptions}
        }
        return reader.names(weigher, nodes)

    def check(self) -> None:
        """Refuse settings that `fit` would refuse, before there is a document."""
        self._checked()

    def _checked(self) -> tuple[HierarchicalClassifier, TextSettings]:
        """Give the unfitted classifier and the text settings, all of them checked."""
        classifier, text = self.parts()
        classifier.check()
        for part in text.parts if isinstance(text, TextsOfParts) else (text,):
            part.for_documents(()).vectoriser().check()
            part.term_weighting().check()
        for part in (classifier, *classifier.inside()):
            if part.reads_texts:
                find_folder(part.encoder)
        if isinstance(self.selection, str):
            parse_selection(self.selection)
        if self.selection is not None and self._searching() is not None:
            raise InputError("auto chooses how text is read by itself; leave the selection of terms out")
        return classifier, text

    def parts(self) -> tuple[HierarchicalClassifier, TextSettings]:
        """Give the unfitted classifier and the text settings."""
        check_parameters(self)
        if isinstance(self.method, str):
            learner, text = find_method(self.method).configure(self.settings or {})
            classifier = learner.build(self.random_state, self.n_jobs)
        else:
            whose = f"method {type(self.method).__name__!r}"
            classifier = clone(self.method)
            own = {"encoder": classifier.encoder} if classifier.reads_texts else {}
            known = text_settings(reads_texts=classifier.reads_texts)
            text = TextSettings(**own | read_settings(known, self.settings or {}, whose))
        given = {"hierarchy": self.hierarchy, "decision": self.decision, "calibration": self.calibration}
        if isinstance(text, TextsOfParts):
            if self.selection is not None:
                name = self._name_of(classifier)
                raise InputError(f"{name} reads texts in several ways: there are no terms to select; leave it out")
            for part, of_it in zip(classifier.inside(), text.parts, strict=True):
                self._check_reading(part, of_it)
        else:
            self._check_reading(classifier, text)
        return classifier.set_params(**{key: value for key, value in given.items() if value is not None}), text

    def _check_reading(self, classifier: HierarchicalClassifier, text: TextSettings) -> None:
        """Let a classifier know how it reads, and refuse what it cannot."""
        if classifier.reads_texts:
            if self.selection is not None:
                name = self._name_of(classifier)
                raise InputError(f"{name} reads texts itself: there are no terms to select; leave the selection out")
            classifier.set_params(encoder=text.encoder)
        elif not text.by_terms:
            self._check_vectors(classifier, text.encoder)

    def _check_vectors(self, classifier: HierarchicalClassifier, encoder: str) -> None:
        """Refuse vectors for what counts or selects terms, before anything is read."""
        if classifier.counts_terms:
            name = self._name_of(classifier)
            raise InputError(f"setting encoder={encoder}: {name} counts terms, not vectors; set encoder=terms")
        if self.selection is not None:
            raise InputError(f"setting encoder={encoder}: there are no terms to select; leave the selection out")
        check_encoder(encoder.removesuffix(WITH_TERMS))

    def _name_of(self, classifier: HierarchicalClassifier) -> str:
        return self.method if isinstance(self.method, str) else type(classifier).__name__

    def _select(self, reader: Reader, counts: Rows, labels: Any, hierarchy: Hierarchy | None) -> tuple[Reader, Rows]:
        """Keep the selected terms alone, in the vocabulary too: nothing of the others is left in the model."""
        if self.selection is None:
            return reader, counts
        selector = parse_selection(self.selection) if isinstance(self.selection, str) else clone(self.selection)
        selector.set_params(hierarchy=hierarchy or selector.hierarchy).fit(counts, labels)
        kept = selector.support_
        return reader.selected(kept), mapped(counts, columns_of, kept, n_columns=len(kept))

    def transform(self, documents: Iterable[Document]) -> csr_array:
        """Give the matrix that the classifier sees: weighted terms, or vectors."""
        check_is_fitted(self)
        documents = self.text_.prepared(documents_in(documents))
        return Weigher(self.weighting_)(csr_array(self.vectoriser_.transform(documents)))

    def seen(self) -> Seen:
        """Give what counts the training documents among the rows of documents."""
        check_is_fitted(self)
        return Seen(self.trained_on_, numbers_by(self.vectoriser_))

    def lacks_known_terms(self, X: csr_array) -> npt.NDArray[np.bool_]:
        """Return which rows of `transform` have no known term: what the model says of them is a guess.

        None has if the model reads texts by an encoder, which knows other words than those of the training documents.
        """
        check_is_fitted(self)
        parts = self.text_.parts if isinstance(self.text_, TextsOfParts) else (self.text_,)
        if self.classifier_.reads_texts or not all(part.by_terms for part in parts):
            return np.zeros(X.shape[0], dtype=bool)
        # Terms of deleted documents keep their columns in a live index.
        used = getattr(self.classifier_, "terms_there_", None)
        return np.asarray(np.diff((X if used is None else X[:, used]).indptr) == 0)

    def predict(self, documents: Iterable[Document]) -> Any:
        """Return the labels in the form that `fit` was given.

        A document without a known term gets no label. Where each document must have one, its label is a guess, and a
        warning says how many there are.
        """
        X = self.transform(documents)
        lacking, labels = self.lacks_known_terms(X), self.classifier_.predict(X)
        if lacking.any() and self.classifier_.form_.kind in ("single", "paths"):
            warnings.warn(
                f"guessed the labels of {int(lacking.sum()):,} of {lacking.size:,} documents, which have no known term",
                stacklevel=2,
            )
            return labels
        return _cleared(labels, lacking)

    def predict_sure(self, documents: Iterable[Document], min_precision: float) -> Any:
        """Give labels of which at least this share are right: each one, or its deepest ancestors that are sure enough.

        The answers are lists, for a document may be left without a label; one without a known term is.
        """
        X = self.transform(documents)
        return _cleared(self.classifier_.predict_sure(X, min_precision), self.lacks_known_terms(X))

    def predict_indicator(self, documents: Iterable[Document]) -> csr_array:
        """Give the label sets, ancestors included, as a boolean indicator over the nodes."""
        X = self.transform(documents)
        return self.classifier_.predict_indicator(X)

    def node_scores(self, documents: Iterable[Document]) -> npt.NDArray[np.float64]:
        """Score every node of the hierarchy for every document, in node order."""
        X = self.transform(documents)
        return self.classifier_.node_scores(X)

    def decision_function(self, documents: Iterable[Document]) -> npt.NDArray[np.float64]:
        """Score in scikit-learn's shapes."""
        X = self.transform(documents)
        return self.classifier_.decision_function(X)

    @available_if(_gives_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(self, documents: Iterable[Document]) -> npt.NDArray[np.float64]:
        """Give the probability of every node, in node order and never above its parents'."""
        X = self.transform(documents)
        return np.asarray(self.classifier_.predict_proba(X))

    def score(self, documents: Iterable[Document], labels: Any, sample_weight: npt.ArrayLike | None = None) -> float:
        """Give the micro-averaged hF of the predictions."""
        X = self.transform(documents)
        return self.classifier_.score(X, labels_in(documents, labels), sample_weight)

    @property
    def classes_(self) -> npt.NDArray[Any]:
        """The nodes' names in node order."""
        check_is_fitted(self)
        return self.classifier_.classes_

    @property
    def hierarchy_(self) -> Hierarchy:
        """The hierarchy learned with."""
        check_is_fitted(self)
        return self.classifier_.hierarchy_

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "classifier_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        return tags

    def _learned_html(self) -> str | None:
        if not hasattr(self, "classifier_"):
            return None
        facts: Facts = [
            ("settings", written(self.settings or {})),
            (
                "selection",
                self.selection if isinstance(self.selection, str | None) else format_selection(self.selection),
            ),
            ("trained on", f"{self.trained_on_.size:,} documents" if self.trained_on_.size else None),
            ("terms", f"{len(self.vectoriser_.vocabulary_):,}"),
            ("language", self.text_.language),
            ("parts", parts_in_words(self.classifier_)),
            *facts_of(self.classifier_),
        ]
        return estimator_html(
            f"TextClassifier: {self._name_of(self.classifier_)}", facts, self.classifier_, self.titles
        )

    def save(self, path: str | Path) -> None:
        """Write the model to one file atomically; raise ValueError if `load` could not read it."""
        save(path, self.to_state())

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read a model from a file, or take a live index for one; nothing is executed, everything is checked."""
        if is_index(path):
            from classmark.neighbours.live import Live

            return cls._over(Live.open(path))
        state = load(path)
        try:
            return cls._from_state(state)
        except (KeyError, TypeError, AttributeError, ValueError, msgspec.ValidationError) as error:
            raise InputError(f"{path}: not a model that this version of classmark can read ({error})") from None

    @classmethod
    def _over(cls, live: Any) -> Self:
        """Let the documents of a live index vote, as they are now."""
        index = live.index
        model = cls(
            live.method,
            settings=live.settings,
            hierarchy=live.hierarchy,
            decision=live.decision,
            **live.told,
        )
        classifier, text = model.parts()
        try:
            model.classifier_ = classifier.over(index.index, *index.slots)
        except InputError as error:
            raise InputError(f"{index.folder}: {error}") from None
        counts = csr_array(index.counts()[index.index.live])
        model.text_, model.search_ = text, None
        model.vectoriser_ = TextVectoriser.from_vocabulary(index.terms, text.analyser())
        model.weighting_ = text.fitted_weighting(counts, None)
        model.trained_on_ = row_numbers(counts)
        return model

    def to_state(self) -> State:
        """Give everything learned as plain data and arrays."""
        check_is_fitted(self)
        # A search is over: the file has what it found.
        search = self.search_ or {"method": self.method, "settings": self.settings}
        return {
            "method": search["method"] if isinstance(self.method, str) else None,
            "settings": dict(search["settings"] or {}),
            "search": _without_times(self.search_),
            "random_state": self.random_state,
            "selection": self.selection if isinstance(self.selection, str | None) else format_selection(self.selection),
            **{name: self._by_node(getattr(self, name)) for name in TEXTS_OF_CATEGORIES},
            "text": asdict(self.text_),
            **self._reading_state(),
            "trained_on": self.trained_on_,
            "classifier_class": saved_name(self.classifier_),
            "classifier": self.classifier_.to_state(),
        }

    def _by_node(self, texts: Mapping[Name, str] | None) -> list[str | None] | None:
        """Return the texts of categories in node order, or None if there are none."""
        for name, text in (texts or {}).items():
            if not isinstance(text, str):
                raise InputError(f"category {name!r} has {text!r} where a model file needs a string")
        return [texts.get(name) for name in self.hierarchy_.names] if texts else None

    def _reading_state(self) -> State:
        """Give what turns documents into the matrix."""
        if isinstance(self.vectoriser_, Readings):
            return {"readings": self.vectoriser_.to_state()}
        state = way_state(self.vectoriser_, self.weighting_)
        return {"encoder": state} if isinstance(self.vectoriser_, TextEncoder | VectorsAndTerms) else state

    def _restore_reading(self, state: State, classifier: Any) -> None:
        self.text_ = text = _restored_text(state["text"])
        if isinstance(text, TextsOfParts):
            self.vectoriser_ = Readings.from_state(text, tokenisers_of(classifier), state["readings"])
            self.weighting_ = None
            return
        tokeniser = classifier.tokeniser_ if classifier.reads_texts else None
        kept = state if tokeniser is not None or text.by_terms else state["encoder"]
        self.vectoriser_, self.weighting_ = restored_way(text, tokeniser, kept)

    @classmethod
    def _from_state(cls, state: State) -> Self:
        classifier = find_class(state["classifier_class"])().from_state(state["classifier"])
        method = state["method"] or clone(classifier)
        settings = msgspec.convert(state["settings"], dict[str, Any])
        model = cls(method, settings=settings, random_state=state["random_state"])
        model._restore_reading(state, classifier)
        if classifier.n_features_in_ != len(model.vectoriser_.vocabulary_):
            raise InputError("the vocabulary and the classifier differ in size")
        model.classifier_ = classifier
        model.search_ = msgspec.convert(state["search"], dict[str, Any] | None)
        model.trained_on_ = checked_array(state, "trained_on", np.uint64, (None,))
        model.hierarchy = model.classifier_.hierarchy
        # What was chosen for these documents is chosen again for others.
        model.decision = "auto" if classifier.decision_reason_ is not None else classifier.decision_
        model.calibration = model.classifier_.calibration
        model.selection = msgspec.convert(state["selection"], str | None)
        if model.selection is not None:
            parse_selection(model.selection)
        for name in TEXTS_OF_CATEGORIES:
            setattr(model, name, _by_category(state[name], classifier.hierarchy_))
        return model
