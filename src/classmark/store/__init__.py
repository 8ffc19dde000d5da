"""Documents, what the model said of them and what people say: kept in SQLite or PostgreSQL, and never lost.

Knows no model and no server. `store` has the one class, `documents` what goes in and comes out, `errors` what may be
wrong. `database` is how SQLite and PostgreSQL are opened and written, `file` whether SQLite's file is still the one at
its path, `schema` the tables. What `Store`
does is in modules of functions on a connection, each one transaction: `adding`, `claiming`, `judging`, `looking`,
`forgetting`, `copies`, `exporting`.
"""

from classmark.errors import needing

with needing("a store needs SQLAlchemy", "serve"):
    import sqlalchemy as sqlalchemy

from classmark.store.documents import Lesson, NewDocument, RecordedVerdict, StoredDocument, Verdict
from classmark.store.errors import Conflict, Missing, StoreReplaced, StoreUnavailable
from classmark.store.store import Store

__all__ = [
    "Conflict",
    "Lesson",
    "Missing",
    "NewDocument",
    "RecordedVerdict",
    "Store",
    "StoreReplaced",
    "StoreUnavailable",
    "StoredDocument",
    "Verdict",
]
