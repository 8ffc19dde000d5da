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

    Examples
    --------
    >>> from classmark import FlatNB
    >>> model = FlatNB().fit([[2, 0, 0], [0, 1, 0], [0, 0, 1]], ["owl", "gull", "oak"])
    >>> model.predict_proba([[0, 2, 0]]).round(2)
    array([[0.71, 0.18, 0.11]])
    """

    @property
    def learns_in_parts(self) -> bool:
        """Whether rows may be in parts elsewhere: all that is learned of them is sums."""
        return True

    def _scores_of_labels(self, labels: csr_array) -> csr_array:
        return end_weights(labels, self.ends_, self.hierarchy_)


class FlatEM(SemiSupervised, FlatNB):
    """Flat naive Bayes that learns from unlabelled documents, `None` in y, too.

    The posteriors of unlabelled documents under the current model count as their labels for the next one, from a
    model of the labelled documents on, until the likelihood (Equation 8) hardly rises.

    Examples
    --------
    >>> from classmark import FlatEM
    >>> X = [[2, 0, 0, 0], [0, 2, 0, 0], [1, 0, 3, 0], [0, 1, 0, 3]]
    >>> model = FlatEM(vocabulary="all").fit(X, ["owl", "gull", None, None])
    >>> model.predict([[0, 0, 1, 0], [0, 0, 0, 1]])
    array(['owl', 'gull'], dtype=object)
    """
