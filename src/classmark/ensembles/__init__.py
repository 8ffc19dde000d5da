"""Ensembles: one classifier out of several methods, each with its own way to read text.

`out_of_fold` makes the scores of documents that the parts have not seen, once; everything else is learned from them.
`blend` adds the parts' scores up, brought to one scale (`scales`), each with its weight. `rerank`
reranks the best `candidates` of the parts by the features of each pair of a document and a category, with boosted
`trees`.
"""
