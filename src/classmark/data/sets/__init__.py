"""Public corpora by name: where they are, how to get them, and where they live on this machine.

`source` says what an entry of the catalogue is, each corpus has a file of its own with its entry and the function that
makes a dataset folder of its files, and `catalogue` is the table of them. `fetch` downloads and unpacks the files,
makes the folder, and finds datasets by name; `native` writes documents as they come.

No corpus comes with the package: each has its own terms, which the catalogue states.
"""

from classmark.data.sets.catalogue import CATALOGUE
from classmark.data.sets.fetch import Fetched, find, get, installed, resolve
from classmark.data.sets.source import RemoteFile, Source

__all__ = ["CATALOGUE", "Fetched", "RemoteFile", "Source", "find", "get", "installed", "resolve"]
