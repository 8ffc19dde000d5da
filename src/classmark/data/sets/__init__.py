"""Public corpora by name: where they are, how to get them, and where they live on this machine.

`source` says what an entry of the catalogue is, the other files have the entries and the functions that make
dataset folders of the files, and `catalogue` is the table of them. `fetch` downloads and unpacks the files,
makes the folder, and finds datasets by name.

No corpus comes with the package: each has its own terms, which the catalogue states.
"""

from classmark.data.sets.catalogue import CATALOGUE
from classmark.data.sets.fetch import Fetched, find, get, installed, resolve
from classmark.data.sets.source import RemoteFile, Source

__all__ = ["CATALOGUE", "Fetched", "RemoteFile", "Source", "find", "get", "installed", "resolve"]
