"""Public corpora by name: where they are, how to get them, and where they live on this machine.

`source` says what an entry of the catalogue is, each corpus has a file of its own with its entry and the function that
makes a dataset folder of its files, and `catalogue` is the table of them. `fetch` does the work: `download`, by way of
`web`, brings the files, `unpack` opens archives that nobody has looked into, `native` writes documents as they come.
The folder appears whole or not at all. `store` knows where datasets live and turns a name into a folder.

No corpus comes with the package: each has its own terms, which the catalogue states.
"""

from classmark.data.sets.catalogue import CATALOGUE
from classmark.data.sets.fetch import Fetched, get
from classmark.data.sets.source import RemoteFile, Source
from classmark.data.sets.store import find, installed, resolve

__all__ = ["CATALOGUE", "Fetched", "RemoteFile", "Source", "find", "get", "installed", "resolve"]
