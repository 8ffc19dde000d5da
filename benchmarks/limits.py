"""What `fit` says beforehand that learning takes, beside what it takes: CPU seconds, on generated documents.

The documents are those of `synthetic_lshtc`, 7 for each category. The estimate is made of the size of
the problem alone; it is shown to a user from half an hour on, so that its order of magnitude counts.

    python benchmarks/limits.py
"""

import time
from unittest.mock import patch

import numpy as np
from scipy.sparse import csr_array
from synthetic_lshtc import make_lshtc_hierarchy, make_lshtc_matrix

from classmark.registry import find_method

SIZES = (4_000, 12_000)
METHODS = ("linear-svm", "logistic", "topdown-svm", "adaboost-mh", "mp-boost", "treeboost-mh", "treeboost-mp")


def main() -> None:
    """Print a row for each method and size."""
    print(f"  {'method':14} {'documents':>9} {'categories':>10} {'estimated':>9} {'taken':>7} {'ratio':>6}")
    for size in SIZES:
        categories = size // 7
        hierarchy, leaves = make_lshtc_hierarchy(categories)
        made = make_lshtc_matrix(size, n_terms=2 * size, n_categories=categories)
        rows = np.arange(size)
        labels = csr_array((np.ones(size, bool), (rows, leaves[made.categories])), shape=(size, len(hierarchy)))
        for name in METHODS:
            classifier = find_method(name).learner.build(0, None).set_params(hierarchy=hierarchy, decision="best-path")
            with patch("classmark.base.warn_of_time") as said:
                start = time.process_time()
                classifier.fit(made.counts, labels)
                taken = time.process_time() - start
            estimated = said.call_args_list[0].args[0]
            ends = classifier.ends_.size
            row = f"  {name:14} {size:9,} {ends:10,} {estimated:9.1f} {taken:7.1f} {estimated / taken:6.2f}"
            print(row, flush=True)


if __name__ == "__main__":
    main()
