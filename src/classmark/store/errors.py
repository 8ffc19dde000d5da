"""What may go wrong with a store, each in one line: no statement, no text of a document and no password in it."""

from classmark.errors import InputError
from classmark.store.documents import RecordedVerdict, StoredDocument


class Missing(InputError):  # noqa: N818 - what is missing is named, as in KeyError's place
    """There is no such project, document or verdict."""


class StoreUnavailable(OSError):  # noqa: N818
    """The store cannot be read or written: a full disk, a damaged file, a connection that is lost."""


class StoreReplaced(StoreUnavailable):
    """The file of the store was deleted or replaced while it was open."""


class Conflict(InputError):  # noqa: N818
    """Somebody else was first.

    Attributes
    ----------
    current : StoredDocument
        The document as it is now.
    last : RecordedVerdict or None
        What was said of it last, an undo too, where anything was but to skip it.
    """

    def __init__(self, current: StoredDocument, last: RecordedVerdict | None, words: str) -> None:
        super().__init__(words)
        self.current = current
        self.last = last
