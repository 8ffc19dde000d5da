"""Everything that is wrong with a corpus."""

from pathlib import Path

from classmark.data import CorpusOptions
from classmark.data.sets import resolve
from classmark.inspection import CorpusCheck, check_corpus
from classmark.service.corpora import EMBEDDED, read


def check(
    data: str, hierarchy: str | None = None, options: CorpusOptions | None = None, *, limit: int = 5
) -> CorpusCheck:
    """Check a file or folder, a dataset by its name, or the embedded corpus, `docstrings`.

    `limit` is how many examples of each finding are given.
    """
    options = options or CorpusOptions()
    if data == EMBEDDED and not Path(data).exists():
        return check_corpus(read(data, hierarchy, options), limit=limit)
    return check_corpus(resolve(data), hierarchy=hierarchy, options=options, limit=limit)
