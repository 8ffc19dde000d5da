"""The dataset folder, classmark's own format: `docs.jsonl[.gz]`, and perhaps `hierarchy.tsv` and `nodes.tsv`.

A large corpus may be cut into `shards`.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path

from classmark.data.corpus import Corpus
from classmark.data.folders import making
from classmark.data.formats.jsonl import AskedKeys, read_file, write_jsonl
from classmark.data.formats.nodes import write_nodes
from classmark.data.formats.records import Record
from classmark.data.formats.shards import check_alike, find_shards, is_shard, read_shard, write_shards
from classmark.data.options import DEFAULT_OPTIONS, CorpusOptions
from classmark.errors import InputError
from classmark.hierarchy import Hierarchy
from classmark.hierarchy.formats import NodeText

DOCUMENT_FILES = ("docs.jsonl", "docs.jsonl.gz")
HIERARCHY_FILE = "hierarchy.tsv"
NODES_FILE = "nodes.tsv"
FILES = frozenset([*DOCUMENT_FILES, HIERARCHY_FILE, NODES_FILE])


def is_dataset(folder: Path) -> bool:
    """Say whether a folder holds a dataset."""
    return any((folder / name).is_file() for name in DOCUMENT_FILES) or bool(find_shards(folder))


def belongs(name: str) -> bool:
    """Say whether a file of this name is part of a dataset.

    >>> belongs("docs-07.jsonl.gz"), belongs("hierarchy.tsv"), belongs("docs-07.txt")
    (True, True, False)
    """
    return name in FILES or is_shard(name)


def document_files(folder: Path) -> list[Path]:
    """Give the files that hold the documents, in their order: shards, or else the one file."""
    shards, whole = find_shards(folder), list(filter(Path.exists, map(folder.joinpath, DOCUMENT_FILES)))
    if shards and whole:
        raise InputError(f"{whole[0]}: lies beside shards, such as {shards[0].name}; move it or them away")
    if not shards + whole:
        raise InputError(
            f"{folder}: the folder has no {' or '.join(DOCUMENT_FILES)}; add it, or give the path of a file"
        )
    check_alike(shards)
    return shards or whole[:1]


def read_dataset(path: Path, options: CorpusOptions) -> Iterator[Record]:
    """Yield the documents of a dataset folder; those of shards know theirs."""
    files = document_files(path)
    keys = AskedKeys(options)
    for file in files:
        read = read_shard if is_shard(file.name) else read_file
        yield from read(file, options, keys)
    keys.check(files[0])


def write_dataset(corpus: Corpus, path: Path, options: CorpusOptions, *, compressed: bool = False) -> None:
    """Write a corpus as a dataset folder; it has its own names for everything, whatever the options say."""
    with making(path) as folder:
        write_categories(folder, corpus.hierarchy, corpus.nodes)
        write_jsonl(corpus, folder / DOCUMENT_FILES[compressed], DEFAULT_OPTIONS)


def write_sharded(corpus: Corpus, path: Path, options: CorpusOptions, shards: int = 1, *, suffix: str) -> None:
    """Write a corpus as a dataset folder in so many shards, as `write_dataset` does."""
    with making(path) as folder:
        write_categories(folder, corpus.hierarchy, corpus.nodes)
        write_shards(corpus, folder, shards, suffix)


def write_categories(folder: Path, hierarchy: Hierarchy | None, nodes: Mapping[str, NodeText] | None) -> None:
    """Write what is known of the categories into a folder: the hierarchy, and what people call them."""
    if hierarchy is not None:
        hierarchy.to_tsv(folder / HIERARCHY_FILE)
    if nodes:
        write_nodes(nodes, folder / NODES_FILE)
