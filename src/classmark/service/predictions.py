"""Predictions on their way into a file, of the format that its name ends in, or into a folder, a file a shard.

Of shards, what takes all documents to see is looked at first: ids, labels, and which documents the splits choose. Then
a shard is a task, which reads the shard, classifies some documents at a time, writes the file, and returns their
number. So the answers to a shard are never in one memory, and on a cluster they stay on the workers.
"""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, cast

from classmark.data import CorpusOptions, StoredDocuments
from classmark.data.formats import FORMATS, kind_of
from classmark.data.formats.dataset import belongs, is_shard, read_shard
from classmark.data.formats.json import AskedKeys
from classmark.data.sets import resolve
from classmark.data.sharded import State
from classmark.data.writing import check_no_file
from classmark.errors import InputError
from classmark.parallel import elsewhere, in_order
from classmark.persistence import check_writable
from classmark.pipeline import TextClassifier
from classmark.progress import track
from classmark.service.answer_formats import Answers, Layout, check_names, writer_for
from classmark.service.answering import INPUT_NAME, Question, answers_to, classify, documents_for, least_for
from classmark.service.corpora import EMBEDDED, check_spared, read_for
from classmark.service.results import plain
from classmark.text.vectoriser import Document


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


class ToAnswer(NamedTuple):
    """A shard whose documents are known by now.

    Attributes
    ----------
    file : Path
        The shard, which all who work see under this path.
    state : State
        What it was then, so that a shard that has changed is noticed.
    documents : int
        How many documents stand in it.
    rows : list of int
        The positions of those to answer, which rise.
    ids : sequence of str
        Their ids.
    """

    file: Path
    state: State
    documents: int
    rows: list[int]
    ids: Sequence[str]


def is_folder(output: str) -> bool:
    """Say whether an output is a folder, or is to become one.

    >>> is_folder("answers/"), is_folder("answers")
    (True, False)
    """
    return output.endswith(("/", os.sep)) or Path(output).is_dir()


def shards_of(data: str, output: str, options: CorpusOptions) -> list[Path]:
    """Give the shards that documents are in; where they are in none, the output cannot be a folder."""
    shards: list[Path] = []
    if data != INPUT_NAME and (data != EMBEDDED or Path(data).exists()):
        place = Path(resolve(data))
        kind = kind_of(place, options.kind)
        shards = [file for file in FORMATS[kind].files(place) if is_shard(file.name) and place.is_dir()]
    if not shards:
        raise IsADirectoryError(
            f"{output}: a folder, for a file of answers to each shard, but {data} is no folder of shards"
            " (docs-*.jsonl, docs-*.parquet); give the name of a file"
        )
    return shards


def write_shards(
    model: TextClassifier,
    data: str,
    files: Sequence[Path],
    folder: Path,
    question: Question,
    splits: Sequence[str] | None,
    options: CorpusOptions,
) -> int:
    """Answer the documents of shards, a file each in a folder, and give how many there are."""
    _check_folder(folder, {file.name for file in files}, data)
    least = least_for(model, question)
    shards = _chosen(model, data, files, splits, options)
    folder.mkdir(exist_ok=True)
    check_writable(folder / files[0].name)
    shared = (model, question, least, options, folder.absolute())
    tasks = ((shard,) for shard in shards)
    if elsewhere() is None or not model.classifier_.answers_anywhere:
        counts: Iterator[int] = (_write_shard(*shared, *task) for task in tasks)
    else:
        counts = in_order(_write_shard, tasks, shared=shared)
    return sum(track(counts, "shards", len(files)))


def _check_folder(folder: Path, names: set[str], data: str) -> None:
    """Refuse a folder that cannot be made, or that has what would be taken for answers."""
    check_no_file(folder)
    for entry in sorted(folder.iterdir()) if folder.is_dir() else ():
        if belongs(entry.name) and entry.name not in names:
            raise FileExistsError(f"{entry}: is no answer to a shard of {data}; move it away, or give another folder")


def _chosen(
    model: TextClassifier, data: str, files: Sequence[Path], splits: Sequence[str] | None, options: CorpusOptions
) -> Iterator[ToAnswer]:
    """Read all documents once, and give what is to be answered of each shard."""
    states = {file.name: State.of(file) for file in files}
    corpus = read_for(model, data, options, splits, stored=True)
    return _in_shards(cast("StoredDocuments", corpus.documents), corpus.ids, states)


def _in_shards(documents: StoredDocuments, ids: Sequence[str], states: dict[str, State]) -> Iterator[ToAnswer]:
    start = 0
    for file, count, rows in documents.in_files():
        # Workers may have been started in another folder.
        yield ToAnswer(file.absolute(), states[file.name], count, rows, ids[start : start + len(rows)])
        start += len(rows)


def _write_shard(
    model: TextClassifier,
    question: Question,
    least: float | None,
    options: CorpusOptions,
    folder: Path,
    shard: ToAnswer,
) -> int:
    """Answer the documents of one shard, wherever that is done."""
    write, _ = writer_for(shard.file)
    answers = answers_to(model, _documents(shard, options), question, least)
    return write(map(plain, answers), folder / shard.file.name, Layout(question.columns))


def _documents(shard: ToAnswer, options: CorpusOptions) -> Iterator[tuple[str, Document]]:
    """Read the documents to answer, with their ids; they must be what they were at the first reading."""
    if State.of(shard.file) != shard.state:
        raise _changed(shard)
    if not shard.rows:
        return
    wanted, seen = dict(zip(shard.rows, shard.ids, strict=True)), 0
    for seen, record in enumerate(read_shard(shard.file, options, AskedKeys(options)), 1):
        name = wanted.get(seen - 1)
        if name is not None:
            if record.id not in (None, name):
                raise _changed(shard)
            yield name, record.document
    if seen != shard.documents:
        raise _changed(shard)


def _changed(shard: ToAnswer) -> InputError:
    return InputError(f"{shard.file}: has changed since the first reading; start again, and let nothing write there")
