"""Small problems of term selection: who has which term, and who is in which category."""

from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.sparse import csr_array

from classmark.selection import PairScores, score_pairs


@st.composite
def problems(draw: st.DrawFn, max_documents: int = 9) -> tuple[Any, Any]:
    """Draw presence and labels; in so few documents, empty and full columns come by themselves."""
    documents = draw(st.integers(1, max_documents))
    presence = draw(arrays(bool, (documents, draw(st.integers(1, 6)))))
    labels = draw(arrays(bool, (documents, draw(st.integers(1, 4)))))
    return presence, labels


def scored(presence: Any, labels: Any, name: str) -> PairScores:
    """Score dense presence and labels."""
    return score_pairs(csr_array(np.array(presence, float)), csr_array(np.array(labels, bool)), name)
