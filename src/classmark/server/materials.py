"""What a server is given beside models: how good they are, their reports, and words about their categories.

Everything is read when the server starts, so that what is wrong with a file is said then, in a line.
"""

import re
from base64 import b64encode
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import msgspec

from classmark.data.formats.dataset import read_nodes
from classmark.errors import InputError
from classmark.hierarchy import Name
from classmark.server.projects import Project, Projects
from classmark.server.settings import ServerSettings
from classmark.service.browsing import Taxonomy
from classmark.service.naming import name_of
from classmark.service.serving import Responder

LARGEST_REPORT = 16 << 20
"""A page of more bytes is no report."""
INLINE = re.compile(rb"<(script|style)\b[^>]*>(.*?)</\1>", re.DOTALL | re.IGNORECASE)


class CategoryFigures(msgspec.Struct):
    """How good the answers are for a category, as `evaluate --by-category` says."""

    category: str | int | list[Any]
    documents: int
    predicted: int
    precision: float
    recall: float
    f1: float
    instead: list[dict[str, Any]] = []

    @property
    def name(self) -> str:
        """The name of the category."""
        return name_of(tuple(self.category) if isinstance(self.category, list) else self.category)


class Figures(msgspec.Struct):
    """What `classmark evaluate --by-category --json` prints, as far as it is shown."""

    documents: int
    hierarchical: dict[str, float]
    leaves: dict[str, float]
    categories: list[CategoryFigures]
    seen_in_training: int = 0


class Measured(NamedTuple):
    """How good a model is, as a whole and by category."""

    whole: Figures
    by_name: dict[str, CategoryFigures]


class Report(NamedTuple):
    """A page, and what may run in it: its own scripts and styles alone."""

    content: bytes
    rule: str


def read_figures(path: str) -> Measured:
    """Read what `evaluate --by-category --json` printed."""
    try:
        found = msgspec.json.decode(Path(path).read_bytes(), type=Figures)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        told = f"these are no figures by category ({error}); write them with `classmark evaluate --by-category --json`"
        raise InputError(f"{path}: {told}") from None
    return Measured(found, {one.name: one for one in found.categories})


def read_report(path: str) -> Report:
    """Read a page that `classmark report` wrote."""
    file = Path(path)
    if file.stat().st_size > LARGEST_REPORT:
        raise InputError(f"{path}: is larger than any report; write one with `classmark report`")
    content = file.read_bytes()
    if not content[:100].lstrip().lower().startswith(b"<!doctype html"):
        raise InputError(f"{path}: is no page; write one with `classmark report`")
    return Report(content, rule_of(content))


def rule_of(page: bytes) -> str:
    """Give what a page may do: run its own scripts, in a room of its own from which it cannot ask this server.

    >>> rule_of(b"<script>1</script>").split("; ")[1]
    "script-src 'sha256-a4ayc/80/OGda4BO/1o/V0etpOqiLx1JwB5S3beHW0s='"
    """
    kinds: dict[bytes, list[str]] = {b"script": [], b"style": []}
    for found in INLINE.finditer(page):
        kinds[found[1].lower()].append(f"'sha256-{b64encode(sha256(found[2]).digest()).decode()}'")
    scripts, styles = (" ".join(dict.fromkeys(hashes)) or "'none'" for hashes in kinds.values())
    return (
        f"default-src 'none'; script-src {scripts}; style-src {styles}; img-src data:; base-uri 'none'; "
        "form-action 'none'; frame-ancestors 'none'; sandbox allow-scripts"
    )


def read_descriptions(path: str) -> dict[Name, str]:
    """Read words about categories, by their names."""
    return {name: text.description for name, text in read_nodes(path).items() if text.description}


class Materials:
    """What there is beside models, by the names of projects."""

    def __init__(self, settings: ServerSettings) -> None:
        self.figures = {name: read_figures(path) for name, path in settings.figures.items()}
        self.reports = {name: read_report(path) for name, path in settings.reports.items()}
        self.descriptions: dict[str, dict[Name, str]] = {
            name: read_descriptions(path) for name, path in settings.descriptions.items()
        }
        self._taxonomies: WeakKeyDictionary[Responder, Taxonomy] = WeakKeyDictionary()

    def taxonomy(self, project: Project) -> Taxonomy:
        """Give the categories of a project, which can be searched by their descriptions where it has some."""
        responder = project.responder
        words = self.descriptions.get(project.name)
        if not words:
            return responder.taxonomy
        found = self._taxonomies.get(responder)
        if found is None:
            found = Taxonomy(responder.model.hierarchy_, responder.naming, words)
            self._taxonomies[responder] = found
        return found

    def prepare(self, projects: Projects) -> None:
        """Let no search wait for what all of them use; a live index changes too often for that."""
        for project in projects:
            if not project.live:
                self.taxonomy(project).prepare()
