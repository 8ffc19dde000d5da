"""The tables of the papers, run again: what they report beside what comes out here.

One folder a paper holds its tables, `table_N.toml`: the conditions, the figures as printed, and how far ours may lie
from them. `tables` reads them. A condition is run by an *experiment*, an entry of the table in `experiments`, which
makes measured values of it; `surroundings` gives it corpora, seed and threads. `runner` puts together the rows that
share a fit, runs them, and keeps what is measured in a `cache`, so that a run that was stopped goes on where it was.
`verdicts` compares, and `writing` makes text, Markdown and JSON of the results.
"""

from reproductions.cache import Cache, cache_folder
from reproductions.runner import Paper, PaperTable, listing, run_table
from reproductions.surroundings import Surroundings
from reproductions.tables import Table, find_tables, papers, parse_table
from reproductions.verdicts import TableResult
from reproductions.writing import counted, grid, markdown, plain, remarks, write_results

__all__ = [
    "Cache",
    "Paper",
    "PaperTable",
    "Surroundings",
    "Table",
    "TableResult",
    "cache_folder",
    "counted",
    "find_tables",
    "grid",
    "listing",
    "markdown",
    "papers",
    "parse_table",
    "plain",
    "remarks",
    "run_table",
    "write_results",
]
