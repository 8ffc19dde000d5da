"""The dataset folder, classmark's own format: `docs.jsonl[.gz]`, and perhaps `hierarchy.tsv` and `nodes.tsv`.

A large corpus may be cut into shards, `docs-*.jsonl[.gz]` or `docs-*.parquet`. They are read in the order of their
names, as if they were one file, and all are in one format.

`nodes.tsv` says what people call the categories, as `node<TAB>name<TAB>description`; the description may be missing. A
first line that says `node`, `name` and perhaps `description` is a header; one that goes on with `uri` and `notation`,
or one of them, says that these columns follow.
"""

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from itertools import islice
from pathlib import Path
from typing import TypeAlias

import msgspec

from classmark.checks import is_whole, shown
from classmark.data.corpus import Corpus
from classmark.data.formats.json import AskedKeys, fields_of, read_file, write_jsonl
from classmark.data.formats.output import making, packing, records_of, write_lines
from classmark.data.formats.parquet import n_rows, read_parquet, write_rows
from classmark.data.formats.records import Record, is_blank, read_cells
from classmark.data.options import DEFAULT_OPTIONS, CorpusOptions
from classmark.errors import InputError, attempt
from classmark.hierarchy import Hierarchy
from classmark.hierarchy.formats import NodeText
from classmark.parallel import even_ranges
from classmark.persistence import flush_to_disk, replacing

NODE_COLUMNS = ["node", *NodeText._fields]
USUAL_NODE_COLUMNS = NODE_COLUMNS[:3]
"""The columns of a file without a header, and those that are always written."""


def read_nodes(path: str | Path, known: Container[str] | None = None) -> dict[str, NodeText]:
    """Read the texts of categories.

    Parameters
    ----------
    path : str or Path
        A file with two or three columns, or as many as its header says.
    known : container of str, optional
        The categories that there are, such as a `Hierarchy`; any other is refused.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "nodes.tsv")
    ...     write_nodes({"C11": NodeText("strategy", "plans of companies")}, file)
    ...     read_nodes(file)
    {'C11': NodeText(name='strategy', description='plans of companies', uri='', notation='')}
    """
    nodes: dict[str, NodeText] = {}
    for number, columns, cells in _node_lines(Path(path)):
        text = attempt(_node_text, cells, columns, f"{path}:{number}", nodes, known)
        if text is not None:
            nodes[cells[0]] = text
    return nodes


def _node_lines(path: Path) -> Iterator[tuple[int, list[str], list[str]]]:
    """Yield the lines below the header, if there is one, each with its number and the columns that it may have."""
    columns = USUAL_NODE_COLUMNS
    for number, cells in read_cells(path):
        if number == 1 and _is_header(cells):
            columns = USUAL_NODE_COLUMNS if len(cells) < len(USUAL_NODE_COLUMNS) else cells
        else:
            yield number, columns, cells


def _is_header(cells: list[str]) -> bool:
    """Say whether a line names columns: the node, its name, and others, each once."""
    return cells[:2] == NODE_COLUMNS[: len(cells[:2])] and len(set(cells)) == len(cells) and {*cells} <= {*NODE_COLUMNS}


def _node_text(
    cells: list[str], columns: Sequence[str], where: str, before: Container[str], known: Container[str] | None
) -> NodeText:
    """Give what a line says; refuse one that says nothing, and a category that stands before or that there is not."""
    if not 2 <= len(cells) <= len(columns):
        raise InputError(f"{where}: {len(cells)} column(s) instead of {'<TAB>'.join(columns)}")
    node = cells[0]
    if node in before:
        raise InputError(f"{where}: the category {node!r} stands in the file twice; keep one of the lines")
    if known is not None and node not in known:
        raise InputError(f"{where}: the category {node!r} is not in the hierarchy; take the line out, or rename it")
    return NodeText(**dict(zip(columns[1:], cells[1:], strict=False)))


def write_nodes(nodes: Mapping[str, NodeText], path: str | Path) -> None:
    """Write the texts of categories, with addresses and notations if some have them; refuse what a line cannot hold."""
    further = [
        name for name in NODE_COLUMNS[len(USUAL_NODE_COLUMNS) :] if any(getattr(text, name) for text in nodes.values())
    ]
    columns = [*USUAL_NODE_COLUMNS, *further]
    cells = ((node, *(getattr(text, name) for name in columns[1:])) for node, text in nodes.items())
    lines = ["\t".join(columns), *(_node_line(*line) for line in cells)]
    with replacing(Path(path)) as temporary:
        temporary.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")


def _node_line(*cells: str) -> str:
    if not cells[0] or any(cell != cell.strip() or set(cell) & set("\t\n") for cell in cells):
        raise InputError(
            f"{list(cells)!r} has a tab, a line break, or space at an end, which a line cannot hold; take it out"
        )
    return "\t".join(cells)


PARQUET = ".parquet"
SHARDS = ("docs-*.jsonl", "docs-*.jsonl.gz", f"docs-*{PARQUET}")
MOST_SHARDS = 100_000
"""So many numbers of five digits there are."""


def is_shard(name: str) -> bool:
    """Say by its name whether a file is a shard.

    >>> is_shard("docs-07.jsonl.gz"), is_shard("docs-07.parquet"), is_shard("docs.jsonl")
    (True, True, False)
    """
    return any(fnmatchcase(name, pattern) for pattern in SHARDS)


def find_shards(folder: Path) -> list[Path]:
    """Give the shards of a folder in their order; there may be none."""
    return sorted(file for pattern in SHARDS for file in folder.glob(pattern) if file.is_file())


def check_alike(shards: list[Path]) -> None:
    """Refuse shards of two formats, and one that is there compressed as well."""
    there, formats = set(shards), {file.suffix == PARQUET: file for file in shards}
    if len(formats) > 1:
        raise InputError(
            f"{formats[True]}: lies beside shards in JSON Lines, such as {formats[False].name};"
            " write all of them in one format, or move one kind away"
        )
    for shard in shards:
        if shard.with_name(f"{shard.name}.gz") in there:
            raise InputError(f"{shard}: lies beside itself compressed (.gz); move one of the two away")


def read_shard(file: Path, options: CorpusOptions, keys: AskedKeys) -> Iterator[Record]:
    """Yield the documents of a shard, which know their file; an empty shard is refused.

    Whoever has read all shards asks the keys.
    """
    if not attempt(_holds_documents, file):
        return
    records = read_parquet(file, options) if file.suffix == PARQUET else read_file(file, options, keys)
    for record in records:
        yield msgspec.structs.replace(record, file=file)


def _holds_documents(file: Path) -> bool:
    """Refuse a shard without any document: most probably something went wrong when it was written."""
    if is_blank(file) or (file.suffix == PARQUET and not n_rows(file)):
        raise InputError(f"{file}: the shard is empty; write it again, or delete it")
    return True


def check_count(shards: int) -> None:
    """Refuse a number of shards that no folder has."""
    if not is_whole(shards) or not 1 <= shards <= MOST_SHARDS:
        raise InputError(f"shards={shown(shards)}: must be an integer >= 1 and <= {MOST_SHARDS:,}")


def write_shards(corpus: Corpus, folder: Path, shards: int, suffix: str) -> None:
    """Write so many shards into a folder, as many documents in each, in one pass over them."""
    if shards > len(corpus):
        raise InputError(f"{shards:,} shards for {len(corpus):,} documents; give no more shards than documents")
    records = records_of(corpus)
    for number, (start, stop) in enumerate(even_ranges(len(corpus), shards)):
        file = folder / f"docs-{number:05}{suffix}"
        _WRITERS[suffix](islice(records, stop - start), file)
        flush_to_disk(file)
    # Stored documents say at their end whether there are more of them than there were.
    next(records, None)


def _write_lines(records: Iterator[Record], path: Path) -> None:
    # The folder has a temporary name, so that its files need none.
    with path.open("wb") as file, packing(file, path) as stream:
        write_lines((fields_of(record, DEFAULT_OPTIONS) for record in records), stream)


def _write_rows(records: Iterator[Record], path: Path) -> None:
    write_rows(records, path, DEFAULT_OPTIONS)


Write: TypeAlias = Callable[[Iterator[Record], Path], None]
_WRITERS: dict[str, Write] = {".jsonl": _write_lines, ".jsonl.gz": _write_lines, PARQUET: _write_rows}


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
