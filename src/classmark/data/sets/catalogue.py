"""The corpora that can be got, by name: one entry a corpus, from the file of its name."""

from classmark.data.sets import lshtc, newsgroups20, rcv1v2, reuters21578
from classmark.data.sets.source import Source

CATALOGUE: dict[str, Source] = {
    corpus.SOURCE.name: corpus.SOURCE for corpus in (reuters21578, newsgroups20, rcv1v2, lshtc)
}


def source_of(name: str) -> Source:
    """Give the entry of a corpus, or list the names there are.

    >>> source_of("newsgroups20").title
    '20 Newsgroups, by date'
    >>> source_of("owls")
    Traceback (most recent call last):
    ValueError: 'owls' is not in the catalogue; it has reuters21578, newsgroups20, rcv1v2, lshtc
    """
    try:
        return CATALOGUE[name]
    except KeyError:
        raise ValueError(f"{name!r} is not in the catalogue; it has {', '.join(CATALOGUE)}") from None
