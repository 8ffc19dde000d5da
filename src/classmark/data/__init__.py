"""Files to `Corpus`: documents, labels, splits and the hierarchy, in one shape whatever they came from.

`formats` has one reader a file format, and a table that finds the reader by the suffix. A reader only yields
records, each with its line number, and refuses what a single line shows to be wrong. `assembly` does what
takes all the lines: row numbers for missing ids, the hierarchy (given, beside the documents, or made of label
paths), duplicate ids, labels that the hierarchy does not have. `corpus` holds `Corpus` and ties the two
together. So a new format is a new file in `formats` and an entry in its table, and keeps every rule.

Whatever is wrong in a file is told in one line: the file and the line, what is wrong, the remedy.

`docstrings` is the corpus that is always there: the documentation of the installed scientific packages.
"""

from classmark.data.corpus import Corpus, read_corpus
from classmark.data.docstrings import load_docstrings
from classmark.data.options import CorpusOptions

__all__ = ["Corpus", "CorpusOptions", "load_docstrings", "read_corpus"]
