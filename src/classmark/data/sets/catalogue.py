"""The corpora that can be got, by name: one entry a corpus, from the file of its name."""

from classmark.data.sets import (
    lshtc,
    newsgroups20,
    newsgroups20_paper,
    rcv1v2,
    rcv1v2_months,
    reuters90,
    reuters21578,
)
from classmark.data.sets.source import Source
from classmark.errors import InputError

CATALOGUE: dict[str, Source] = {
    corpus.SOURCE.name: corpus.SOURCE
    for corpus in (reuters21578, reuters90, newsgroups20, newsgroups20_paper, rcv1v2, rcv1v2_months, lshtc)
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
