"""The corpora that can be got, by name: one entry a corpus."""

from classmark.data.sets import lshtc, newsgroups20, rcv1v2, reuters21578
from classmark.data.sets.source import Source
from classmark.errors import InputError

CATALOGUE: dict[str, Source] = {
    source.name: source
    for source in (
        *(reuters21578.SOURCE, reuters21578.GROUPED_SOURCE, newsgroups20.SOURCE, newsgroups20.PAPER_SOURCE),
        *(rcv1v2.SOURCE, rcv1v2.MONTHS_SOURCE, lshtc.SOURCE),
    )
}


def source_of(name: str) -> Source:
    """Give the entry of a corpus, or list the names there are.

    >>> source_of("newsgroups20").title
    '20 Newsgroups, by date'
    >>> source_of("owls")
    Traceback (most recent call last):
    classmark.errors.InputError: 'owls' is not in the catalogue; it has reuters21578, reuters90, newsgroups20, ...
    """
    try:
        return CATALOGUE[name]
    except KeyError:
        raise InputError(f"{name!r} is not in the catalogue; it has {', '.join(CATALOGUE)}") from None
