"""One pass over the documents of a corpus, past everything that is wrong in it."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from classmark.data.assembly import call_by_titles
from classmark.data.corpus import Corpus
from classmark.data.formats import Format, Record
from classmark.data.formats.cells import MissingColumnError
from classmark.data.formats.records import where_of
from classmark.data.options import DEFAULT_OPTIONS, CorpusOptions
from classmark.data.outline import Outline
from classmark.errors import InputError, collecting
from classmark.hierarchy import Hierarchy
from classmark.hierarchy.formats import NodeText
from classmark.inspection.duplicates import Likeness
from classmark.inspection.findings import Finding
from classmark.inspection.languages import Languages
from classmark.inspection.lines import LineFaults
from classmark.inspection.siblings import CategoryWords
from classmark.inspection.texts import TextFaults
from classmark.inspection.words import Contents
from classmark.progress import track


class Seen:
    """What was seen of the documents: all but the documents themselves."""

    def __init__(self, limit: int) -> None:
        self.outline = Outline()
        self.texts = TextFaults(limit)
        self.languages = Languages()
        self.likeness = Likeness()
        self.words = CategoryWords()
        self.lines = LineFaults("line", limit)
        self.stopped = LineFaults("stopped", limit)
        self._contents = Contents()

    def look(self, records: Iterator[Record], file: Path) -> None:
        """Go through the documents."""
        for record in track(records, "checking"):
            content = self._contents.of(record.document)
            self.outline.append(record)
            self.texts.look(record.document, content, partial(where_of, record, file))
            self.languages.look(content)
            self.likeness.add(content, record.split)
            self.words.look(content, record.labels)

    def read(self, path: Path, form: Format, options: CorpusOptions, file: Path) -> None:
        """Read a file or folder to its end, or to where reading cannot go on."""
        with collecting(self.lines.take):
            try:
                self.look(form.read(path, options), file)
            except MissingColumnError as error:
                if _was_asked(error, options):
                    raise
                self.stopped.take(error)
            except InputError as error:
                self.stopped.take(error)

    def call_by_titles(self, hierarchy: Hierarchy | None, nodes: dict[str, NodeText], file: Path) -> None:
        """Call categories that documents name by their titles as the hierarchy does."""
        with collecting(self.lines.take):
            names = call_by_titles(self.outline, (hierarchy, nodes), None, file, strict=False)
        self.words.rename(names)

    def findings(self) -> Iterator[Finding]:
        """Give what readers refuse."""
        yield from self.stopped.findings()
        yield from self.lines.findings()


def _was_asked(error: MissingColumnError, options: CorpusOptions) -> bool:
    """Say whether somebody has named the column that is missing: then it is the question that is wrong."""
    named = [name for _, name in options.asked]
    return error.name in named or error.name == options.text_column != DEFAULT_OPTIONS.text_column


def records_of(corpus: Corpus) -> Iterator[Record]:
    """Give the documents of a corpus as records, numbered by their rows."""
    columns = zip(corpus.ids, corpus.documents, corpus.labels, corpus.splits, strict=True)
    for row, (name, document, labels, split) in enumerate(columns, 1):
        yield Record(row, name, document, labels, split)
