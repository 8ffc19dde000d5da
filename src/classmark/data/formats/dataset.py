"""The dataset folder, classmark's own format: `docs.jsonl[.gz]`, and perhaps `hierarchy.tsv` and `nodes.tsv`."""

from collections.abc import Iterator
from pathlib import Path

from classmark.data.corpus import Corpus
from classmark.data.folders import making
from classmark.data.formats.jsonl import read_jsonl, write_jsonl
from classmark.data.formats.nodes import write_nodes
from classmark.data.formats.records import Record
from classmark.data.options import DEFAULT_OPTIONS, CorpusOptions

DOCUMENT_FILES = ("docs.jsonl", "docs.jsonl.gz")
HIERARCHY_FILE = "hierarchy.tsv"
NODES_FILE = "nodes.tsv"
FILES = frozenset([*DOCUMENT_FILES, HIERARCHY_FILE, NODES_FILE])


def is_dataset(folder: Path) -> bool:
    """Say whether a folder holds a dataset."""
    return any((folder / name).is_file() for name in DOCUMENT_FILES)


def document_file(folder: Path) -> Path:
    """Give the file that holds the documents, the first that the folder has."""
    for name in DOCUMENT_FILES:
        if (folder / name).exists():
            return folder / name
    raise ValueError(f"{folder}: the folder has no {' or '.join(DOCUMENT_FILES)}; add it, or give the path of a file")


def read_dataset(path: Path, options: CorpusOptions) -> Iterator[Record]:
    """Yield the documents of a dataset folder."""
    yield from read_jsonl(document_file(path), options)


def write_dataset(corpus: Corpus, path: Path, options: CorpusOptions, *, compressed: bool = False) -> None:
    """Write a corpus as a dataset folder; it has its own names for everything, whatever the options say."""
    with making(path) as folder:
        if corpus.hierarchy is not None:
            corpus.hierarchy.to_tsv(folder / HIERARCHY_FILE)
        if corpus.nodes:
            write_nodes(corpus.nodes, folder / NODES_FILE)
        write_jsonl(corpus, folder / DOCUMENT_FILES[compressed], DEFAULT_OPTIONS)
