"""Shards: the documents of a dataset folder in several files, `docs-*.jsonl[.gz]` or `docs-*.parquet`.

They are read in the order of their names, as if they were one file, and all are in one format.
"""

from collections.abc import Callable, Iterator
from fnmatch import fnmatchcase
from itertools import islice
from pathlib import Path
from typing import TypeAlias

import msgspec

from classmark.checks import is_whole, shown
from classmark.data.corpus import Corpus
from classmark.data.formats.jsonl import AskedKeys, fields_of, read_file
from classmark.data.formats.output import packing, records_of, write_lines
from classmark.data.formats.parquet import n_rows, read_parquet, write_rows
from classmark.data.formats.records import Record, is_blank
from classmark.data.options import DEFAULT_OPTIONS, CorpusOptions
from classmark.errors import InputError, attempt
from classmark.parallel import even_ranges
from classmark.persistence import flush_to_disk

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
