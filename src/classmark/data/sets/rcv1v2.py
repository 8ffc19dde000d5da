"""RCV1-v2 (LYRL2004): 804,414 Reuters stories of 1996 and 1997 as stemmed words in scrambled order, and 103 topics.

The files are the token files, the topics of each story (`rcv1-v2.topics.qrels`) and the hierarchy of topics with their
names (`rcv1.topics.hier.orig`), each from an appendix of the paper.

References
----------
D. D. Lewis, Y. Yang, T. G. Rose and F. Li, "RCV1: A New Benchmark Collection for Text Categorization Research",
Journal of Machine Learning Research 5:361-397, 2004.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from classmark.data.formats.rcv1 import read_rcv1
from classmark.data.formats.records import Record
from classmark.data.options import DEFAULT_OPTIONS
from classmark.data.sets.native import write_records
from classmark.data.sets.source import RemoteFile, Source, pick
from classmark.errors import InputError
from classmark.hierarchy import Hierarchy
from classmark.hierarchy.formats import NodeText, read_categories

HOME = "http://www.ai.mit.edu/projects/jmlr/papers/volume5/lewis04a"
TOKENS, TOPICS, HIERARCHY = "lyrl2004_tokens_*.dat*", "rcv1*.topics.qrels*", "rcv1.topics.hier.orig"


def prepare(files: Sequence[Path], folder: Path) -> None:
    """Make the dataset of the token files, those of the training set first."""
    stories, hierarchy, nodes = contents(files)
    write_records(folder, stories, hierarchy, nodes, SOURCE.documents)


def contents(files: Sequence[Path]) -> tuple[Iterator[Record], Hierarchy, Mapping[str, NodeText]]:
    """Give the stories, the hierarchy of topics and their names."""
    (hierarchy,) = pick(files, HIERARCHY)
    parts = {file.parent for pattern in (TOKENS, TOPICS) for file in pick(files, pattern)}
    if len(parts) > 1:
        raise InputError(f"the token files and the topics lie in {len(parts)} folders; put them into one")
    categories = read_categories(hierarchy)
    return read_rcv1(parts.pop(), DEFAULT_OPTIONS), Hierarchy.from_edges(categories.edges), categories.nodes


SOURCE = Source(
    name="rcv1v2",
    title="RCV1-v2, the LYRL2004 distribution",
    files=(
        # The authors publish no checksums. The sizes of the token files are those that public download scripts state.
        RemoteFile(f"{HOME}/a12-token-files/lyrl2004_tokens_train.dat.gz", 5_108_963),
        RemoteFile(f"{HOME}/a12-token-files/lyrl2004_tokens_test_pt0.dat.gz", 44_734_992),
        RemoteFile(f"{HOME}/a12-token-files/lyrl2004_tokens_test_pt1.dat.gz", 45_595_102),
        RemoteFile(f"{HOME}/a12-token-files/lyrl2004_tokens_test_pt2.dat.gz", 44_507_510),
        RemoteFile(f"{HOME}/a12-token-files/lyrl2004_tokens_test_pt3.dat.gz", 42_052_117),
        # scikit-learn's copy of a08-topic-qrels/rcv1-v2.topics.qrels.gz, and its checksum.
        RemoteFile(
            "https://ndownloader.figshare.com/files/5976048",
            sha256="2a98e5e5d8b770bded93afc8930d88299474317fe14181aee1466cc754d0d1c1",
            name="rcv1-v2.topics.qrels.gz",
            mirrors=(f"{HOME}/a08-topic-qrels/rcv1-v2.topics.qrels.gz",),
        ),
        RemoteFile(f"{HOME}/a02-orig-topics-hierarchy/rcv1.topics.hier.orig"),
    ),
    terms="distributed for research with the paper (JMLR 5:361-397, 2004), to be cited; the stories are Reuters'",
    prepare=prepare,
    notes="splits train (23,149) and test (781,265); several topics a story, ancestors included; 103 topics, depth 4",
    documents=804_414,
)
