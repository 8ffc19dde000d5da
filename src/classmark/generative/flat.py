"""Flat naive Bayes and flat EM (Nigam, McCallum and Mitchell 2006; path_prediction_2019, section 5.1.2).

A class is an end, P(p_j) its chance and P(w_t | p_j) its distribution of terms; the hierarchy plays no part in
learning. S_ij is 1 for a document's own label.
"""

from scipy.sparse import csr_array

from classmark.generative.base import GenerativeClassifier
from classmark.generative.ends import end_weights
from classmark.generative.semi import SemiSupervised


class FlatNB(GenerativeClassifier):
    """Multinomial naive Bayes over the ends of the hierarchy.

    A document with several own labels counts for each by its share. A node scores the log-odds of its posterior, the
    sum over the ends at or below it; a threshold of 0 is a posterior of one half.

    Parameters
    ----------
    hierarchy : Hierarchy, optional
        The categories; a flat hierarchy over the labels seen by default.
    decision : Decision or str, optional
        How scores become label sets; by default the best path where every labelled document has exactly one own
        label, otherwise a threshold of 0.
    calibration : "platt", "isotonic" or "softmax", optional
        How scores become probabilities, which `predict_proba` gives; learned by cross-validation.
    smoothing : float
        What is added to every count, 1 after Laplace.
    prior : bool
        Whether frequent categories are likelier; otherwise all are alike.
    vocabulary : "labelled" or "all"
        Whether terms that no labelled document has are passed over.
    unseen_leaves : bool
        Whether leaves without a labelled document can be predicted, too: Equation 3 counts them among its M_d paths,
        and smoothing gives them a chance. Otherwise such a leaf has no path. With it terms × all leaves are held.
    scaling : "log-idf" or None
        Whether documents are weighted by log(1 + tf) · ln((N + 1) / (df + 1)) and brought to one length.
    length : float
        The sum of the weights of a scaled document.
    n_jobs : int, optional
        The number of threads. The result is the same for any number.

    Examples
    --------
    >>> from classmark import FlatNB, Hierarchy
    >>> tree = Hierarchy.from_nested({"animal": ["owl", "gull"], "plant": ["oak"]})
    >>> X = [[2, 0, 0], [0, 1, 0], [0, 0, 1]]
    >>> model = FlatNB(hierarchy=tree).fit(X, ["owl", "gull", "oak"])
    >>> model.predict([[0, 2, 0]])
    array(['gull'], dtype='<U6')
    """

    def _scores_of_labels(self, labels: csr_array) -> csr_array:
        return end_weights(labels, self.ends_, self.hierarchy_)


class FlatEM(SemiSupervised, FlatNB):
    """Flat naive Bayes that learns from unlabelled documents, `None` in y, too.

    The posteriors of unlabelled documents under the current model count as their labels for the next one, from a
    model of the labelled documents on, until the likelihood (Equation 8) hardly rises.

    Parameters
    ----------
    hierarchy, decision, calibration, smoothing, prior, vocabulary, unseen_leaves, scaling, length, n_jobs
        As in `FlatNB`.
    unlabelled_weight : float
        How much an unlabelled document counts beside a labelled one (Nigam's λ).
    tolerance : float
        EM ends when the relative gain of the likelihood falls under it; 0 for `max_iter` iterations in any case.
    max_iter : int
        The largest number of iterations.
    growth : int
        How many iterations follow over all terms, once EM over the terms of labelled documents has ended.
    growth_min_df : int
        The least number of documents that a term is in, if no labelled document has it.

    Examples
    --------
    >>> from classmark import FlatEM
    >>> X = [[2, 0, 0, 0], [0, 2, 0, 0], [1, 0, 3, 0], [0, 1, 0, 3]]
    >>> model = FlatEM(vocabulary="all").fit(X, ["owl", "gull", None, None])
    >>> model.predict([[0, 0, 1, 0], [0, 0, 0, 1]])
    array(['owl', 'gull'], dtype=object)
    """
