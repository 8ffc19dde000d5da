"""Looking at a corpus before anything is learned from it: `check_corpus`, behind `classmark check`.

Documents are read once, by the same readers as everywhere, which go on past what is wrong (`classmark.errors`), and
none is kept. `kinds` is the table of what can be found; `findings` says what a finding is; each of the other modules
looks at one thing: `lines` (what readers refuse), `texts`, `labels` (ids and splits too), `hierarchies`, `categories`,
`siblings`, `languages`, and `duplicates`, which compares all documents by `signatures` of their `words`.
"""

from classmark.inspection.corpus import check_corpus
from classmark.inspection.findings import CorpusCheck, Example, Finding

__all__ = ["CorpusCheck", "Example", "Finding", "check_corpus"]
