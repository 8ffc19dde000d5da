"""Answers on their way into a file, of the format that its name ends in, or into a folder, a file a shard."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from classmark.data import CorpusOptions
from classmark.persistence import check_writable
from classmark.pipeline import TextClassifier
from classmark.service.answer_formats import Answers, Layout, check_names, writer_for
from classmark.service.answer_shards import is_folder, shards_of, write_shards
from classmark.service.answering import Question, classify, documents_for
from classmark.service.corpora import check_spared
from classmark.service.results import plain


@dataclass(frozen=True, kw_only=True)
class Written:
    """Answers that were written."""

    output: str
    """The file, or the folder of several."""
    documents: int
    """How many answers it holds."""
    shards: int | None = None
    """How many files there are in a folder."""


def write_predictions(
    model: str,
    data: str,
    output: str,
    question: Question | None = None,
    *,
    splits: Sequence[str] | None = None,
    options: CorpusOptions | None = None,
) -> Written:
    """Classify documents by a model file, as `predict` does, and write the answers into a file, whole or not at all.

    The suffix of `output` tells its format, and without one it is JSON Lines; several labels in a cell of a table have
    the label separator of the options between them.

    Where `output` is a folder, or ends in `/`, the documents must be in shards, and there is a file of answers for each
    of them, of the same name and format: one after the other they are what would stand in one file. On a cluster a
    worker reads, answers and writes a shard at a time.
    """
    options, question = options or CorpusOptions(), question or Question()
    if is_folder(output):
        shards = shards_of(data, output, options)
        check_spared(output, data, model)
        loaded = TextClassifier.load(model)
        documents = write_shards(loaded, data, shards, Path(output), question, splits, options)
        return Written(output=output, documents=documents, shards=len(shards))
    loaded = TextClassifier.load(model)
    answers = classify(loaded, documents_for(loaded, data, options, splits), question)
    layout = Layout(question.columns, options.label_separator)
    return write_answers(map(plain, answers), output, data, model, names=loaded.hierarchy_.names, layout=layout)


def write_answers(
    answers: Answers, output: str, *inputs: str, names: Sequence[object] = (), layout: Layout | None = None
) -> Written:
    """Write answers as plain data into a file, whole or not at all.

    Parameters
    ----------
    answers : iterable of dict
        Nothing is asked of it before the file is known to be one that can be written.
    output : str
        The file; its suffix tells the format, and without one it is JSON Lines.
    *inputs : str
        What the answers are made from, which must not be the file that is written.
    names : sequence
        The categories that there are, so that one that a cell cannot hold is refused before the work.
    layout : Layout, optional
        The columns of a table, and what stands between the labels in a cell.
    """
    path, layout = Path(output), layout or Layout()
    check_writable(path)
    check_spared(output, *inputs)
    write, in_cells = writer_for(path)
    if in_cells:
        check_names(path, names, layout.separator)
    return Written(output=output, documents=write(answers, path, layout))
