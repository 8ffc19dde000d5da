"""Documents and queries for hypothesis: few terms and frequencies, so that scores tie and documents repeat."""

import numpy as np
from hypothesis import strategies as st
from scipy.sparse import csr_array

N_TERMS = 9
COUNTS = st.integers(1, 4).map(float)
FREQUENCIES = st.sampled_from([0.25, 0.5, 1.0, 1.5, 3.0])
MEASURES = st.tuples(
    st.sampled_from(["okapi", "printed", "overlap"]),
    st.sampled_from([0.0, 1.2, 6.0]),
    st.sampled_from([0.0, 0.75, 1.0]),
    st.sampled_from(["robertson", "lucene"]),
)


def documents(values=COUNTS, most=30):
    return st.lists(st.dictionaries(st.integers(0, N_TERMS - 1), values, max_size=5), max_size=most)


def matrix(rows, n_terms=N_TERMS):
    """Rows of terms as CSR; what is None is empty."""
    dense = np.zeros((len(rows), n_terms))
    for number, terms in enumerate(rows):
        for term, value in (terms or {}).items():
            dense[number, term] = value
    return csr_array(dense)


def pairs(found, row):
    """A row of an answer as the oracle gives it."""
    return [(int(d), float(s)) for d, s in zip(found.documents[row], found.scores[row], strict=True) if d >= 0]
