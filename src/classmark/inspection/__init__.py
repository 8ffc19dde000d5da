"""Looking at a corpus before anything is learned from it: `check_corpus`, behind `classmark check`.

Documents are read once, by the same readers as everywhere, which continue after what is wrong
(`classmark.errors.collecting`), and none is kept. `findings` has the table of all findings. Each of the other modules
checks one thing: `texts`, `hierarchies` (the hierarchy file, labels, ids, and splits), `siblings` (categories), and
`duplicates`; `corpus_check` combines them.
"""

from classmark.inspection.corpus_check import check_corpus
from classmark.inspection.findings import CorpusCheck, Example, Finding

__all__ = ["CorpusCheck", "Example", "Finding", "check_corpus"]
