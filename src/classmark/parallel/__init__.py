"""Doing work side by side: in threads and processes of this machine, or on a cluster.

`jobs` says how many, cuts work into ranges, and has threads for compiled kernels. `places` is the one protocol for all
that is larger: tasks whose answers come in order, and parts that stay where they are and are asked in turns. An
algorithm is written once against it, and does not know whether it runs here or on the Dask cluster of `cluster`, which
is imported only where somebody asks for it.
"""

from classmark.parallel.jobs import (
    MOST_A_CORE,
    Range,
    Runner,
    balanced_ranges,
    even_ranges,
    in_turn,
    n_cores,
    n_processes,
    n_threads,
    threads,
)
from classmark.parallel.places import Here, Place, Residents, at, elsewhere, in_order, scratch

__all__ = [
    "MOST_A_CORE",
    "Here",
    "Place",
    "Range",
    "Residents",
    "Runner",
    "at",
    "balanced_ranges",
    "elsewhere",
    "even_ranges",
    "in_order",
    "in_turn",
    "n_cores",
    "n_processes",
    "n_threads",
    "scratch",
    "threads",
]
