"""Several methods together: what is made of the scores that each of them gives.

`candidates` bounds what is looked at, the best categories of each part; `pairs` says of a document and a candidate what
the parts say, as numbers; `reranking` learns from these which candidates are right, and `trees` is what was learned, as
plain arrays.
"""
