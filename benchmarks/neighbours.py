"""Exact nearest neighbours by BM25: queries a second, building and memory, against bm25s and the size of the corpus.

The documents are generated (`synthetic_lshtc`): Zipfian terms of 1.6 million, about 40 a document; the
queries are others of the same kind, every term once, so that bm25s and we are asked the same. bm25s has the same
formula (its method `robertson`, k1 = 1.2, b = 0.75) and its numba backend; that both find the same scores is checked.
It indexes lists of token ids, we a CSR matrix; making either is not counted.

    python benchmarks/neighbours.py                 against bm25s on 200,000 documents, and smaller corpora alone
    python benchmarks/neighbours.py --large         up to 2.4 million documents
    python benchmarks/neighbours.py --plot FILE     draw the table, too (needs matplotlib)

Then a `LiveIndex` of 400,000 terms is asked one text at a time, and the same queries are given to the index below it as
rows of counts: what the folder costs beside the search itself is their ratio.

One thread, CPU seconds, best of five, but for the column of two threads, which is by the clock and best of three.
"""

import argparse
import os
import tempfile
import time
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

os.environ["OMP_NUM_THREADS"] = os.environ["NUMBA_NUM_THREADS"] = "1"

import numpy as np
from scipy.sparse import csr_array
from synthetic_lshtc import make_lshtc_matrix
from timing import best_of_five, in_turns

from classmark.index import InvertedIndex, LiveIndex
from classmark.text import TextSettings

K = 50
N_LIVE_TERMS = 400_000
N_QUERIES = 1000
SIZES = (25_000, 50_000, 100_000, 200_000)
LARGE = (400_000, 800_000, 2_400_000)
HEADER = (
    "| documents | built in (s) | index (MiB) | exact (queries/s) | on two threads | 3 terms (queries/s) |\n"
    "|--:|--:|--:|--:|--:|--:|"
)


class Figures(NamedTuple):
    """A row of the table."""

    documents: int
    built: float
    mebibytes: float
    exact: float
    threads: float
    candidates: float


def main() -> None:
    """Print what was measured, a row as soon as it is there."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--large", action="store_true", help="up to 2.4 million documents")
    parser.add_argument("--plot", metavar="FILE", help="draw queries a second and memory against the size")
    options = parser.parse_args()
    queries = queries_of_ones()
    against_bm25s(queries)
    print(f"\n{HEADER}")
    rows = []
    for row in measured(SIZES + (LARGE if options.large else ()), queries):
        rows.append(row)
        cells = (row.built, row.mebibytes, row.exact, row.threads, row.candidates)
        print(f"| {row.documents:,} | {cells[0]:.2f} | " + " | ".join(f"{cell:,.0f}" for cell in cells[1:]) + " |")
    print()
    one_text_at_a_time()
    if options.plot:
        plot(rows, options.plot)


def queries_of_ones() -> csr_array:
    """Give queries that have every term once."""
    made = make_lshtc_matrix(N_QUERIES, stream=1).counts
    return csr_array((np.ones(made.nnz), made.indices, made.indptr), shape=made.shape)


def against_bm25s(queries: csr_array) -> None:
    """Compare on 200,000 documents, both in the same run and in turns."""
    import bm25s

    counts = make_lshtc_matrix(200_000).counts
    tokens = [row.repeat(n.astype(int)).tolist() for row, n in rows_of(counts)]
    vocabulary = {str(column): column for column in range(counts.shape[1])}
    asked = [row.tolist() for row, _ in rows_of(queries)]
    theirs: Any = bm25s.BM25(method="robertson", k1=1.2, b=0.75, backend="numba")
    index = InvertedIndex.build(counts[:1000], idf="robertson")
    index.top(queries[:5], K)  # compiled now, not while the clock runs
    start = time.process_time()
    theirs.index((tokens, vocabulary), show_progress=False, create_empty_token=False)
    their_build = time.process_time() - start
    our_build = best_of_five(lambda: InvertedIndex.build(counts, idf="robertson"))
    index = InvertedIndex.build(counts, idf="robertson")

    def ask_them() -> Any:
        return theirs.retrieve(asked, k=K, show_progress=False, n_threads=1)

    def ask_us() -> Any:
        return index.top(queries, K)

    found, expected = ask_us().scores, ask_them()[1]
    # Every term stands once in a query, so the query's own TF_1 is one factor for all terms.
    if not np.allclose(found / found[:, :1], expected / expected[:, :1], rtol=1e-4):
        raise SystemExit("bm25s and classmark do not find the same scores")
    our_time, their_time = in_turns(ask_us, ask_them)
    print(f"200,000 documents, {N_QUERIES:,} queries, exact top {K}, one thread, bm25s {bm25s.__version__} with numba:")
    print(f"  bm25s      {N_QUERIES / their_time:8,.0f} queries/s, index built in {their_build:6.2f} s")
    print(f"  classmark  {N_QUERIES / our_time:8,.0f} queries/s, index built in {our_build:6.2f} s")
    print(f"  ratio      {their_time / our_time:8.2f}                           {their_build / our_build:6.1f}")


def rows_of(counts: csr_array) -> Iterator[tuple[Any, Any]]:
    """Give the columns and values of each row."""
    for start, stop in zip(counts.indptr[:-1], counts.indptr[1:], strict=True):
        yield counts.indices[start:stop], counts.data[start:stop]


def measured(sizes: tuple[int, ...], queries: csr_array) -> Iterator[Figures]:
    """Measure indexes of growing size."""
    whole = make_lshtc_matrix(max(sizes)).counts
    for size in sizes:
        counts = whole if size == whole.shape[0] else csr_array(whole[:size])
        start = time.process_time()
        index = InvertedIndex.build(counts)
        built = time.process_time() - start
        exact = best_of_five(lambda index=index: index.top(queries, K))  # type: ignore[misc]
        candidates = best_of_five(lambda index=index: index.top(queries, K, terms=3))  # type: ignore[misc]
        by_clock = min(clock(index, queries) for _ in range(3))
        yield Figures(
            size,
            built,
            size_of(index) / 2**20,
            N_QUERIES / exact,
            N_QUERIES / by_clock,
            N_QUERIES / candidates,
        )


def one_text_at_a_time() -> None:
    """Compare the searches of a folder with those of the index in it, in turns."""
    counts = make_lshtc_matrix(20_000, n_terms=N_LIVE_TERMS).counts
    asked = make_lshtc_matrix(N_QUERIES // 5, n_terms=N_LIVE_TERMS, stream=1).counts
    # Documents of ten terms each, until every term is there.
    rare = np.setdiff1d(np.arange(N_LIVE_TERMS), counts.indices)
    features = [dict(zip(map(word, row), n, strict=True)) for row, n in rows_of(counts)]
    features += [dict.fromkeys(map(word, rare[start : start + 10]), 1.0) for start in range(0, len(rare), 10)]
    texts = [" ".join(map(word, row.repeat(n.astype(int)))) for row, n in rows_of(asked)]
    with tempfile.TemporaryDirectory() as folder:
        plain = TextSettings(stop_words=None, stemmer=None, token_pattern="words")
        live = LiveIndex.create(Path(folder) / "live", text=plain)
        live.add([str(number) for number in range(len(features))], features)
        # The index numbers terms as they come.
        columns = {term: column for column, term in enumerate(dict.fromkeys(chain.from_iterable(features)))}
        rows = [
            csr_array((n, ([0] * len(row), [columns[word(column)] for column in row])), shape=(1, live.n_terms))
            for row, n in rows_of(asked)
        ]
        for text, row in zip(texts, rows, strict=True):
            if [float(found.id) for found in live.search([text], K)[0]] != live.index.top(row, K).documents[0].tolist():
                raise SystemExit("a folder and the index in it do not find the same documents")
        searched, below = in_turns(
            lambda: [live.search([text], K) for text in texts], lambda: [live.index.top(row, K) for row in rows]
        )
    print(
        f"{len(features):,} documents in a folder, {live.n_terms:,} terms, {len(texts)} texts one at a time, top {K}:"
    )
    print(f"  search     {1e3 * searched / len(texts):8.3f} ms a text")
    print(f"  the index  {1e3 * below / len(texts):8.3f} ms a row of counts")
    print(f"  ratio      {searched / below:8.2f}")


def word(column: int) -> str:
    """Give a term a name."""
    return f"t{column}"


def clock(index: InvertedIndex, queries: csr_array) -> float:
    """Give the seconds that pass while two threads answer."""
    start = time.perf_counter()
    index.top(queries, K, n_jobs=2)
    return time.perf_counter() - start


def size_of(index: InvertedIndex) -> int:
    """Give the bytes of all arrays of an index, weights included."""
    state = index.to_state()
    arrays = [array for segment in state["segments"] for array in segment.values()]
    weights = [array for segment in index.statistics().segments for array in segment.weights[:3]]
    return sum(array.nbytes for array in (*arrays, *weights))


def plot(rows: list[Figures], path: str) -> None:
    """Draw the queries a second and the memory against the number of documents."""
    import matplotlib as mpl

    mpl.use("svg")
    from matplotlib import pyplot

    mpl.rcParams["svg.hashsalt"] = "classmark"
    documents = [row.documents for row in rows]
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
    left.loglog(documents, [row.exact for row in rows], "o-", label="exact")
    left.loglog(documents, [row.candidates for row in rows], "s--", label="candidates of 3 terms")
    left.set(xlabel="documents", ylabel="queries a second, one thread", title=f"nearest {K} by BM25")
    left.legend()
    right.loglog(documents, [row.mebibytes for row in rows], "o-")
    right.set(xlabel="documents", ylabel="MiB", title="the index in memory")
    figure.savefig(path, metadata={"Date": None})


if __name__ == "__main__":
    main()
