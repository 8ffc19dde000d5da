"""`write_corpus`, which writes a corpus in any format that has a writer.

A file holds documents alone. The hierarchy, and the names of the categories, then go into files beside it, so that
nothing is lost: `animals.csv` gets `animals.hierarchy.tsv` and `animals.nodes.tsv`.
"""

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from classmark.data.corpus import Corpus
from classmark.data.formats import FORMATS, Writer, check_path_columns, kind_of_target
from classmark.data.formats.dataset import (
    HIERARCHY_FILE,
    NODES_FILE,
    belongs,
    check_count,
    is_dataset,
    read_nodes,
    write_nodes,
)
from classmark.data.formats.output import with_path_names
from classmark.data.options import DEFAULT_OPTIONS, CorpusOptions
from classmark.errors import InputError
from classmark.hierarchy import Hierarchy
from classmark.persistence import check_writable, replacing


def write_corpus(
    corpus: Corpus,
    path: str | Path,
    *,
    kind: str | None = None,
    options: CorpusOptions = DEFAULT_OPTIONS,
    overwrite: bool = False,
    shards: int | None = None,
) -> list[Path]:
    """Write a corpus, whole or not at all.

    Parameters
    ----------
    corpus : Corpus
        The documents.
    path : str or Path
        Where to. The suffix tells the format; without a suffix it is a dataset folder.
    kind : str, optional
        The format, where the suffix does not tell it, such as `files`, `dataset-gz` or `dataset-parquet`.
    options : CorpusOptions
        The names of the columns and how labels are written: reading with the same options gives the same corpus.
    overwrite : bool
        Whether what is there may be replaced. Of folders, only one that holds nothing but a dataset ever is.
    shards : int, optional
        Write a dataset folder in so many shards, as many documents in each; no more shards than documents.

    Returns
    -------
    list of Path
        What was written, the documents first.

    Raises
    ------
    FileExistsError
        If something is there that may not be replaced.
    ValueError
        If the format cannot hold a document: one line that names it, and the remedy.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from classmark.data import read_corpus
    >>> corpus = Corpus(["1"], ["hoots"], [["owl"]], ["train"], hierarchy=None, source="an owl")
    >>> with TemporaryDirectory() as folder:
    ...     (file,) = write_corpus(corpus, Path(folder, "animals.csv"))
    ...     print(file.read_text())
    ...     read_corpus(file).labels
    id,text,labels,split
    1,hoots,owl,train
    <BLANKLINE>
    [['owl']]
    """
    target = Path(path)
    kind = kind_of_target(target, kind)
    check_path_columns(target, kind, options)
    check_sharded(target, kind, shards)
    check_target(target, kind, overwrite=overwrite)
    beside = {} if FORMATS[kind].recognise is not None else _beside(corpus, target)
    with _naming(target):
        if options.path_columns:
            corpus = with_path_names(corpus, options.tree_separator or "/")
        for name, file in beside.items():
            if not _is_same(file, name, corpus):
                check_free(file, overwrite)
        _write(corpus, target, _writer(kind, shards), options, beside)
    return [target, *beside.values()]


@contextmanager
def _naming(target: Path) -> Iterator[None]:
    """Put the target before what is said of a document."""
    try:
        yield
    except UnicodeEncodeError as error:
        raise InputError(
            f"{target}: {error.object[error.start]!a} in a text or name is half a character, which no file can"
            " hold; take it out"
        ) from None
    except ValueError as error:
        raise InputError(f"{target}: {error}") from None


def _beside(corpus: Corpus, target: Path) -> dict[str, Path]:
    """Name the files for what the documents' own file cannot hold."""
    plain = target.with_suffix("") if target.suffix.lower() == ".gz" else target
    there = {HIERARCHY_FILE: corpus.hierarchy is not None, NODES_FILE: bool(corpus.nodes)}
    return {name: plain.with_name(f"{plain.stem}.{name}") for name, needed in there.items() if needed}


def check_target(path: Path, kind: str, *, overwrite: bool) -> None:
    """Find out before the work, not after it, that a corpus cannot be written there."""
    if not path.name:
        raise InputError(f"{path}: not a name; give that of a new file or folder")
    if FORMATS[kind].recognise is None:
        check_writable(path)
        check_free(path, overwrite)
    else:
        check_no_file(path)
        _check_replaceable(path, overwrite)


def check_sharded(path: Path, kind: str, shards: int | None) -> None:
    """Refuse shards of what is no dataset folder, and a number of them that no folder has."""
    if shards is None:
        return
    check_count(shards)
    if FORMATS[kind].write_shards is None:
        raise InputError(
            f"{path}: shards are files of a dataset folder, and this is {kind}; give a name without a suffix,"
            " or write it as dataset, dataset-gz or dataset-parquet (--to, kind)"
        )


def check_no_file(folder: Path) -> None:
    """Refuse the name of a file for that of a folder; one that is there may be replaced, so its parent is looked at."""
    check_writable(folder.with_name(".new"))
    if os.path.lexists(folder) and not folder.is_dir():
        raise FileExistsError(f"{folder}: a file of that name is there; give the name of a folder")


def _check_replaceable(folder: Path, overwrite: bool) -> None:
    """Refuse to replace a folder that is not empty, unless it holds a dataset and nothing else."""
    if not folder.is_dir() or not any(folder.iterdir()):
        return
    if not is_dataset(folder) or not all(belongs(entry.name) for entry in folder.iterdir()):
        raise FileExistsError(f"{folder}: the folder holds more than a dataset; give another name, or empty it first")
    check_free(folder, overwrite)


def check_spared(output: str | Path, *inputs: Path) -> None:
    """Refuse to write over what is read: a file or folder that was given, or a file of a dataset folder on either side.

    Links are followed.
    """
    replaced = _with_files(Path(output))
    for path in inputs:
        if any(one.samefile(other) for one in _with_files(path) for other in replaced):
            raise InputError(f"{output}: would be read and then replaced; choose another name for what is written")


def _with_files(path: Path) -> list[Path]:
    """Give a file or folder that is there, and the files of a dataset folder."""
    inside = [file for file in path.iterdir() if belongs(file.name)] if path.is_dir() else []
    return [one for one in (path, *inside) if one.exists()]


def check_free(path: Path, overwrite: bool) -> None:
    """Refuse to replace what the user has not said may be replaced."""
    if os.path.lexists(path) and not overwrite:
        raise FileExistsError(f"{path}: already there; give another name, or say that it may be overwritten (--force)")


def _is_same(file: Path, name: str, corpus: Corpus) -> bool:
    """Say whether a file already holds what would be written into it, as after a conversion to a second format."""
    try:
        if name == NODES_FILE:
            return file.is_file() and read_nodes(file) == corpus.nodes
        return file.is_file() and Hierarchy.from_tsv(file) == corpus.hierarchy
    except ValueError:
        return False


def _writer(kind: str, shards: int | None) -> Writer | None:
    """Give what writes the documents of a format, in shards where they are asked for."""
    form = FORMATS[kind]
    if shards is None or form.write_shards is None:
        return form.write
    write = form.write_shards
    return lambda corpus, path, options: write(corpus, path, options, shards)


def _write(corpus: Corpus, target: Path, write: Writer | None, options: CorpusOptions, beside: dict[str, Path]) -> None:
    """Write everything under temporary names; they get their own when the last is complete."""
    with ExitStack() as stack:
        if HIERARCHY_FILE in beside and corpus.hierarchy is not None:
            corpus.hierarchy.to_tsv(stack.enter_context(replacing(beside[HIERARCHY_FILE])))
        if NODES_FILE in beside:
            write_nodes(corpus.nodes, stack.enter_context(replacing(beside[NODES_FILE])))
        if write is not None:
            write(corpus, target, options)
