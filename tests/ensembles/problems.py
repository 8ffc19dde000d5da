"""Hypothesis strategies for scores of several parts, equal ones and unknown ones among them."""

from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from classmark import Hierarchy
from classmark.ensembles.rerank import Part
from tests.generators import hierarchies

SCORES = st.sampled_from([-np.inf, -2.0, -0.5, 0.0, 0.5, 0.75, 3.0])


def tables(n_documents: int, n_nodes: int) -> st.SearchStrategy[Any]:
    return arrays(np.float64, (n_documents, n_nodes), elements=SCORES)


@st.composite
def scored(draw: st.DrawFn) -> tuple[Hierarchy, Any, list[Part]]:
    """Draw a hierarchy, ends among its nodes, and the scores of one to three parts for some documents."""
    hierarchy = draw(hierarchies())
    ends = draw(st.sets(st.integers(0, len(hierarchy) - 1), min_size=1).map(sorted))
    table = tables(draw(st.integers(1, 4)), len(hierarchy))
    parts = draw(st.lists(st.builds(Part, table, table), min_size=1, max_size=3))
    return hierarchy, np.array(ends, np.int32), parts
