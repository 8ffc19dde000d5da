"""Files to `Corpus` and back: documents, labels, splits and the hierarchy, in one shape whatever they came from.

`formats` has one file a format, with its reader and its writer, and a table that finds them by the suffix. A reader
only yields records, each with its line number, and refuses what a single line shows to be wrong. `assembly` does what
takes all the lines: row numbers for missing ids, the hierarchy (given, beside the documents, or made of label paths),
duplicate ids, labels that the hierarchy does not have. `reading` ties the two together, `writing` goes the other way,
and `convert` does both. So a new format is a new file in `formats` and an entry in its table, and keeps every rule.

Whatever is wrong in a file is told in one line: the file and the line, what is wrong, the remedy.

Of the records, `outline` keeps all but the documents; these go into the corpus, or stay in the file (`stored`).
Files of features are read as a whole into arrays (`features`, `formats.feature_rows`).

`frames` reads what pandas, polars and others have in memory, by the same rules; `corpus_html` shows a corpus as HTML.

`docstrings` is the corpus that is always there: the documentation of the installed scientific packages.
"""

from classmark.data.corpus import Corpus
from classmark.data.docstrings import load_docstrings
from classmark.data.formats import Record
from classmark.data.formats.dataset import read_nodes, write_nodes
from classmark.data.options import CorpusOptions
from classmark.data.reading import iter_documents, read_corpus
from classmark.data.stored import StoredDocuments
from classmark.data.writing import write_corpus
from classmark.hierarchy.formats import NodeText

__all__ = [
    "Corpus",
    "CorpusOptions",
    "NodeText",
    "Record",
    "StoredDocuments",
    "iter_documents",
    "load_docstrings",
    "read_corpus",
    "read_nodes",
    "write_corpus",
    "write_nodes",
]
