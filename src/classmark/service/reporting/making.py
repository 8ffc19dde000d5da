"""`make_report`: what a report says about a model, about documents alone, or about two models."""

from collections.abc import Sequence
from typing import Any

from classmark.data import Corpus
from classmark.errors import InputError
from classmark.pipeline import TextClassifier
from classmark.report.contents import Change, Report
from classmark.service.differences import Answered, by_figure
from classmark.service.diffing import check_hierarchies
from classmark.service.judging import check_labelled
from classmark.service.reporting import summary
from classmark.service.reporting.curves import curves
from classmark.service.reporting.data import Data, Table, never_learned
from classmark.service.reporting.destinations import destinations, missed_labels, pairs
from classmark.service.reporting.doubts import Doubted, doubted_by_model, doubted_out_of_fold, doubts
from classmark.service.reporting.errors import differences, examples
from classmark.service.reporting.learning import Learned, learned, learning_curve
from classmark.service.reporting.looking import Looked, look
from classmark.service.reporting.naming import Names, counted
from classmark.service.reporting.summary import facts_of_corpus, facts_of_model, facts_of_versions, figures_of
from classmark.service.reporting.words import speaking_words

EXAMPLES = 50
FIGURES = {"hf": "hF", "micro_f1": "micro F1, end categories", "macro_f1_present": "macro F1, end categories"}
"""What figures of two models are called; the last one is the share of documents that are right in full."""


def make_report(
    model: TextClassifier | Corpus,
    corpus: Corpus | None = None,
    *,
    other: TextClassifier | None = None,
    splits: Sequence[str] | None = None,
    examples: int = EXAMPLES,
    quick: bool = False,
    names: tuple[str, str] = ("A", "B"),
    title: str | None = None,
) -> Report:
    """Gather what there is to say about a model and its errors, about documents, or about two models.

    Parameters
    ----------
    model : TextClassifier or Corpus
        A fitted model; or documents, which are then described alone.
    corpus : Corpus, optional
        Labelled documents to evaluate the model on. Where they have a split `test`, that is evaluated on; a split
        `train` then shows what more documents would bring.
    other : TextClassifier, optional
        A second fitted model of the same hierarchy, to be compared with the first.
    splits : sequence of str, optional
        The splits to evaluate on instead.
    examples : int
        How many errors to show.
    quick : bool
        Leave out what learns models: the learning curve, and doubts about training documents.
    names : pair of str
        What two models are called.
    title : str, optional
        The title.

    Returns
    -------
    Report
        Plain data; `classmark.report.page.write_page` makes a page of it.

    Raises
    ------
    ValueError
        If no document is labelled, or if the hierarchies of models and documents differ.

    Examples
    --------
    >>> from classmark import load_docstrings, make_report, TextClassifier
    >>> corpus = load_docstrings()
    >>> train = corpus.select(["train"])
    >>> model = TextClassifier("nb", hierarchy=corpus.hierarchy).fit(train.documents, train.labels)
    >>> report = make_report(model, corpus, quick=True)
    >>> [curve.name for curve in report.curves], len(report.errors)
    (['precision-recall', 'calibration', 'coverage'], 50)
    """
    if examples < 0:
        raise InputError(f"examples={examples}: must be an integer >= 0")
    if isinstance(model, Corpus):
        if corpus is not None or other is not None:
            raise InputError("a corpus stands first, where a model is expected; give the model first, then the corpus")
        return _of_corpus(model, quick, title)
    if corpus is None:
        raise InputError("a model alone says nothing of its errors; give labelled documents too")
    if other is not None:
        check_hierarchies(model, other, "the two models")
    making = _Making(model, corpus, other, splits, names if other is not None else ("",))
    return making.report(examples, quick, title)


def _of_corpus(corpus: Corpus, quick: bool, title: str | None) -> Report:
    """Describe documents alone."""
    data = Data.of(corpus)
    title = title or f"The documents of {corpus.source}"
    facts = [*facts_of_corpus(corpus if data is None else data.corpus), *facts_of_versions()]
    if data is None:
        said = [f"{counted(len(corpus), 'document')} and no category: none has a label, and nothing names categories."]
        return Report(title=title, summary=said, facts=facts, nodes=[])
    table = Table(data.hierarchy, data.titles)
    table.put_counts("documents", data.closed())
    _add_training(table, data)
    _add_words(table, data)
    asked = None if quick else doubted_out_of_fold(data.corpus, data.hierarchy)
    doubted, by = doubts([(asked, data.corpus)], data.hierarchy)
    empty = data.empty()
    alike = [] if data.words is None else data.words.alike()
    names = Names(data.hierarchy.names, data.titles)
    return Report(
        title=title,
        summary=[*summary.about_documents(data), *summary.about_categories(empty, alike, names, len(doubted))],
        facts=facts,
        figures=summary.figures_of_corpus(data),
        nodes=table.nodes(),
        findings=data.findings,
        doubts=doubted,
        doubts_by=by,
        alike=alike,
        empty=empty,
    )


def _add_training(table: Table, data: Data) -> None:
    if data.splits["train"]:
        table.put_counts("training", data.closed("train"))


def _add_words(table: Table, data: Data, model: TextClassifier | None = None) -> None:
    if data.words is not None:
        table.put("words", speaking_words(data.words, model))


class _Making:
    """Gathers what there is to say about one model, or two."""

    def __init__(
        self,
        model: TextClassifier,
        corpus: Corpus,
        other: TextClassifier | None,
        splits: Sequence[str] | None,
        names: Sequence[str],
    ) -> None:
        check_labelled(corpus)
        data = Data.of(corpus, model)
        assert data is not None
        self.data = data
        self.names = names
        self.evaluated = data.to_evaluate(splits)
        check_labelled(self.evaluated)
        models = [model, *([] if other is None else [other])]
        self.looked: list[Looked] = [look(one, self.evaluated, data.hierarchy) for one in models]
        self.called = Names(data.hierarchy.names, data.titles)

    def report(self, most: int, quick: bool, title: str | None) -> Report:
        """Put everything together."""
        first, data = self.looked[0], self.data
        pairs_of_names = zip(self.looked, self.names, strict=True)
        facts = [fact for one, name in pairs_of_names for fact in facts_of_model(one.model, name)]
        missed = missed_labels(first.true, first.predicted, first.hierarchy)
        table = self._table()
        grown = [] if quick else self._learned()
        drawn = [*curves(self.looked, self.names), *filter(None, [learning_curve(grown)])]
        wrong, n_errors = self._examples(missed, most)
        doubted, by = doubts(self._doubted(quick), data.hierarchy)
        found: dict[str, Any] = {
            "nodes": table.nodes(),
            "destinations": destinations(missed, data.hierarchy),
            "pairs": pairs(missed),
            "curves": drawn,
            "errors": wrong,
            "n_errors": n_errors,
            "findings": data.findings,
            "doubts": doubted,
            "doubts_by": by,
            "alike": [] if data.words is None else data.words.alike(),
            "empty": never_learned(first.model),
            "changes": self._changes(),
            "names": self.names if len(self.looked) > 1 else (),
        }
        return Report(
            title=title or self._title(),
            summary=self._summary(found, grown),
            facts=[*facts, *facts_of_corpus(data.corpus, first.corpus), *facts_of_versions()],
            figures=figures_of(first.figures()) if len(self.looked) == 1 else (),
            **found,
        )

    def _table(self) -> Table:
        table = Table(self.data.hierarchy, self.data.titles)
        table.put_figures(self.looked[0].true, self.looked[0].predicted)
        if len(self.looked) > 1:
            table.put_other(self.looked[1].true, self.looked[1].predicted)
        _add_training(table, self.data)
        _add_words(table, self.data, self.looked[0].model)
        return table

    def _learned(self) -> list[Learned]:
        training = self.data.to_learn_from(self.evaluated)
        return [] if training is None else learned(self.looked, [name or "hF" for name in self.names], training)

    def _examples(self, missed: Any, most: int) -> Any:
        if len(self.looked) == 1:
            return examples(self.looked[0], missed, self.called, most)
        first, second = self.looked
        return differences(first, second, self.called, self.names, most)

    def _doubted(self, quick: bool) -> list[tuple[Doubted | None, Corpus]]:
        """Ask the model about what it has not seen, and a quick method about the other documents."""
        by_model = doubted_by_model(self.looked[0])
        found: list[tuple[Doubted | None, Corpus]] = [(by_model, self.looked[0].corpus)]
        others = self.data.to_learn_from(self.evaluated) if by_model is not None else self.data.corpus
        if not quick and others is not None:
            found.append((doubted_out_of_fold(others, self.data.hierarchy), others))
        return found

    def _changes(self) -> list[Change]:
        """Give the figures of both models, and how probable so large a difference is by chance."""
        if len(self.looked) == 1:
            return []
        first, second = self.looked
        answered = Answered(self.data.hierarchy, first.true, first.predicted, second.predicted)
        return [
            Change(name=FIGURES.get(one.name, "right in full"), first=one.first, second=one.second, chance=one.p_value)
            for one in by_figure(answered)
        ]

    def _title(self) -> str:
        method = self.looked[0].model.method
        models = method if isinstance(method, str) else type(method).__name__
        return f"{' and '.join(self.names) if len(self.looked) > 1 else models} on {self.data.corpus.source}"

    def _summary(self, found: dict[str, Any], grown: Sequence[Learned]) -> list[str]:
        first, flat = self.looked[0], self.data.hierarchy.depth == 1
        nodes, named = found["nodes"], self.called
        seen = [
            line
            for one, name in zip(self.looked, self.names, strict=True)
            for line in summary.too_good(one, name or "The model")
        ]
        good = [summary.how_good(one.figures(), name) for one, name in zip(self.looked, self.names, strict=True)]
        if len(self.looked) > 1:
            better = summary.which_is_better(found["changes"], self.names)
            about = [better, *good, *summary.what_changes(self.looked, nodes, named, self.names)]
        else:
            about = [
                *good,
                *summary.where_errors_go(found["destinations"], flat),
                *summary.best_and_worst(nodes, named),
                *summary.how_sure(first),
            ]
        return [*seen, *about, *summary.about_the_data(found["findings"]), *summary.what_next(grown, nodes, named)]
