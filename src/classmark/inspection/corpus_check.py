"""`check_corpus`: everything that is wrong with a corpus, in one pass over its documents, and what it is like."""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from classmark.data.assembly import call_by_titles, named_file, tidy_paths
from classmark.data.corpus import Corpus
from classmark.data.formats import Format, Record
from classmark.data.formats.cells import MissingColumnError
from classmark.data.formats.records import Outline, where_of
from classmark.data.options import DEFAULT_OPTIONS, CorpusOptions
from classmark.data.reading import columns_without_labels, find_format
from classmark.errors import InputError, collecting
from classmark.hierarchy import Hierarchy
from classmark.hierarchy.formats import NodeText
from classmark.inspection.duplicates import Likeness, duplicate_findings
from classmark.inspection.findings import UNTRAINABLE, CorpusCheck, Finding, LineFaults, Places, Tally, in_order
from classmark.inspection.hierarchies import (
    CheckedHierarchy,
    id_findings,
    label_findings,
    look_findings,
    split_findings,
    tree_of,
    unknown_findings,
)
from classmark.inspection.siblings import CategoryWords, Counts, n_documents
from classmark.inspection.texts import Contents, Languages, TextFaults
from classmark.progress import track
from classmark.wording import listed


def verdict_of(outline: Outline, counts: Counts, findings: Sequence[Finding]) -> str:
    """Say in a line what `train` would do."""
    for finding in findings:
        if finding.level == "error" or finding.kind in UNTRAINABLE:
            first = finding.examples[0] if finding.examples else None
            return f"train would refuse it: {finding.what}" + (f", first {first.where}: {first.what}" if first else "")
    return _learned(outline, counts)


def _learned(outline: Outline, counts: Counts) -> str:
    """Say how many documents would be learned from, and how many would not."""
    has_splits = any(split is not None for split in outline.splits)
    part = [
        labels
        for labels, split in zip(outline.labels, outline.splits, strict=True)
        if split == "train" or not has_splits
    ]
    unlabelled = part.count(None)
    told = [f"train would learn from {n_documents(len(part) - unlabelled)}"]
    if has_splits:
        told.append(f"leave the {len(outline) - len(part):,} of other splits alone")
    if unlabelled:
        told.append(f"leave out {unlabelled:,} without labels, unless the method learns from those")
    missing = sum(not counts.train[name] for name in counts.names)
    if missing:
        told.append(f"never see {missing:,} of the categories")
    return ", ".join(told[:-1]) + f" and {told[-1]}" if len(told) > 1 else told[0]


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


def check_corpus(
    source: str | Path | Corpus,
    *,
    hierarchy: Hierarchy | str | Path | None = None,
    options: CorpusOptions = DEFAULT_OPTIONS,
    limit: int = 5,
) -> CorpusCheck:
    r"""Find everything that is wrong with a corpus, line by line, and what is odd about it as a whole.

    Reading stops at the first line that is wrong; this goes on. Where it cannot, as after a quote that is never
    closed, the finding `stopped` says so. Documents are read once and not kept: about a kilobyte stays of each.

    Parameters
    ----------
    source : str, Path or Corpus
        A file or folder, as for `read_corpus`, or a corpus that has been read already.
    hierarchy : Hierarchy, str or Path, optional
        The categories, as for `read_corpus`.
    options : CorpusOptions
        The names of the columns and how labels are written.
    limit : int
        How many examples of each finding are given.

    Returns
    -------
    CorpusCheck
        Figures about the corpus, the `findings`, errors first, and the `verdict`: what `train` would do.

    Raises
    ------
    FileNotFoundError
        If there is no such file or folder.
    ValueError
        If something is asked of the file that it cannot have, such as a column.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "animals.csv")
    ...     _ = file.write_text("id,text,labels\n1,hoots at night,owl\n1,swims,cod\n2,eats,,cod\n")
    ...     check = check_corpus(file)
    >>> [(found.kind, found.count, found.examples[0].what) for found in check.errors]
    [('line', 1, '4 cell(s) for 3 columns'), ('id-twice', 1, "'1' already stands at line 2")]
    """
    seen = Seen(limit)
    if isinstance(source, Corpus):
        return _checked_corpus(source, hierarchy, options, seen, limit)
    path = Path(source)
    kind, form = find_format(path, options)
    file = named_file(path)
    looking = _Looking(str(source), kind, file, options, limit)
    if isinstance(hierarchy, Hierarchy):
        seen.read(path, form, options, file)
        return looking.whole(seen, hierarchy, [*seen.findings()])
    categories = CheckedHierarchy(path, hierarchy, limit)
    seen.read(path, form, options, file)
    categories.read(form, seen.outline, options)
    if form.by_address:
        seen.call_by_titles(categories.hierarchy, categories.nodes, file)
    return looking.whole(seen, categories.hierarchy, [*seen.findings(), *categories.findings])


def _checked_corpus(
    corpus: Corpus, hierarchy: Hierarchy | str | Path | None, options: CorpusOptions, seen: Seen, limit: int
) -> CorpusCheck:
    """Check a corpus that has been read, which no line can be wrong of."""
    if isinstance(hierarchy, str | Path):
        raise InputError(f"hierarchy is {str(hierarchy)!r}; give a Hierarchy beside a corpus, or the path of both")
    file = Path(corpus.source)
    seen.look(records_of(corpus), file)
    return _Looking(corpus.source, "corpus", file, options, limit).whole(seen, hierarchy or corpus.hierarchy, [])


class _Looking:
    """Looks at a corpus as a whole, once all its documents have been seen."""

    def __init__(self, name: str, kind: str, file: Path, options: CorpusOptions, limit: int) -> None:
        self.name = name
        self.kind = kind
        self.file = file
        self.options = options
        self.limit = limit

    def whole(self, seen: Seen, hierarchy: Hierarchy | None, findings: list[Finding]) -> CorpusCheck:
        """Put everything together."""
        places, separator = Places(seen.outline, self.file), self.options.tree_separator
        if separator is not None:
            tidy_paths(seen.outline, separator, hierarchy)
        if hierarchy is not None:
            findings += unknown_findings(seen.outline, hierarchy, self.options, places, self.limit)
        elif separator is not None:
            hierarchy, gaps = tree_of(seen.outline, separator, self.limit, places)
            findings += gaps
        counts = Counts(seen.outline, hierarchy)
        findings += self._missing(seen)
        findings += self._of_labels(seen, hierarchy, places)
        findings += [
            *duplicate_findings(seen.likeness, seen.outline, places, self.limit),
            *seen.texts.findings(places),
            *counts.findings(self.limit),
            *seen.words.findings(hierarchy, self.limit),
            *seen.languages.findings(seen.outline, places, self.limit),
        ]
        return self._result(seen, hierarchy, counts, in_order(findings))

    def _missing(self, seen: Seen) -> list[Finding]:
        """Say that there are no documents, or no labels at all."""
        outline = seen.outline
        kind = "no-labels" if len(outline) else "no-documents"
        tally = Tally(kind, self.limit)
        if all(labels is None for labels in outline.labels):
            tally.add(str(self.file), n_documents(len(outline)))
        there = columns_without_labels(Path(self.name)) if tally.count and len(outline) else []
        named = {"remedy": f"name the column that has the labels (--label-column) of: {listed(there)}"}
        return list(tally.findings(**(named if there else {})))

    def _of_labels(self, seen: Seen, hierarchy: Hierarchy | None, places: Places) -> list[Finding]:
        outline, limit = seen.outline, self.limit
        return [
            *id_findings(outline, places, limit),
            *look_findings(outline, hierarchy, limit),
            *split_findings(outline, self.file, places, limit),
            *label_findings(outline, hierarchy, places, limit),
        ]

    def _result(self, seen: Seen, hierarchy: Hierarchy | None, counts: Counts, found: list[Finding]) -> CorpusCheck:
        outline = seen.outline
        sizes = [len(set(labels)) for labels in outline.labels if labels]
        lengths = np.asarray(seen.texts.lengths)
        return CorpusCheck(
            corpus=self.name,
            format=self.kind,
            documents=len(outline),
            unlabelled=outline.labels.count(None),
            belonging_nowhere=outline.labels.count([]),
            splits={split: count for split, count in Counter(outline.splits).items() if split is not None},
            categories=None if hierarchy is None else len(hierarchy),
            depth=None if hierarchy is None else hierarchy.depth,
            labels={"mean": round(float(np.mean(sizes)), 2), "most": max(sizes)} if sizes else {},
            words={"least": int(lengths.min()), "median": int(np.median(lengths)), "most": int(lengths.max())}
            if lengths.size
            else {},
            documents_a_category=counts.spread(),
            languages=seen.languages.counts(),
            findings=found,
            verdict=verdict_of(outline, counts, found),
        )
