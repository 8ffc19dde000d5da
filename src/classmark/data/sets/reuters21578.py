"""Reuters-21578, Distribution 1.0: newswire stories of 1987, in the ModApte split.

The archive holds `reut2-000.sgm` to `reut2-021.sgm`. The stories that the split does not use are left out.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

from classmark.data.formats.records import Record
from classmark.data.formats.reuters import read_reuters
from classmark.data.options import CorpusOptions
from classmark.data.sets.native import write_records
from classmark.data.sets.source import RemoteFile, Source, pick

MODAPTE = CorpusOptions(reuters_split="modapte")
SPLITS = ("train", "test")


def prepare(files: Sequence[Path], folder: Path) -> None:
    """Make the dataset of the SGML files, in their order."""
    write_records(folder, stories(pick(files, "*.sgm")), total=SOURCE.documents)


def stories(files: Sequence[Path]) -> Iterator[Record]:
    """Give the stories of the split."""
    for file in files:
        yield from (story for story in read_reuters(file, MODAPTE) if story.split in SPLITS)


SOURCE = Source(
    name="reuters21578",
    title="Reuters-21578, Distribution 1.0",
    files=(
        # Size and checksum: the dataset_infos.json of Hugging Face's dataset reuters21578, for the first address.
        RemoteFile(
            url="https://kdd.ics.uci.edu/databases/reuters21578/reuters21578.tar.gz",
            size=8_150_596,
            sha256="3bae43c9b14e387f76a61b6d82bf98a4fb5d3ef99ef7e7075ff2ccbcf59f9d30",
            mirrors=(
                "https://huggingface.co/datasets/ucirvine/reuters21578/resolve/main/data/reuters21578.tar.gz",
                "https://archive.ics.uci.edu/ml/machine-learning-databases/reuters21578-mld/reuters21578.tar.gz",
            ),
        ),
    ),
    terms="free for research purposes only; name it “Reuters-21578, Distribution 1.0” in publications",
    prepare=prepare,
    notes="ModApte: splits train (9,603) and test (3,299); several labels or none a story; no hierarchy (flat)",
    documents=12_902,
    most_bytes=10**9,
)
