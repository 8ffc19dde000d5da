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
from classmark.inspection.duplicates import Likeness, check_duplicates
from classmark.inspection.findings import UNTRAINABLE, CorpusCheck, Finding, FindingLog, Places
from classmark.inspection.hierarchies import (
    CheckedHierarchy,
    check_ids,
    check_known,
    check_labels,
    check_separators,
    check_splits,
    tree_of,
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

    def __init__(self, log: FindingLog) -> None:
        self.outline = Outline()
        self.texts = TextFaults(log)
        self.languages = Languages()
        self.likeness = Likeness()
        self.words = CategoryWords()
        self._lines, self._stopped = log.collector("line"), log.collector("stopped")
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
        with collecting(self._lines):
            try:
                self.look(form.read(path, options), file)
            except MissingColumnError as error:
                if _was_asked(error, options):
                    raise
                self._stopped(error)
            except InputError as error:
                self._stopped(error)

    def call_by_titles(self, hierarchy: Hierarchy | None, nodes: dict[str, NodeText], file: Path) -> None:
        """Call categories that documents name by their titles as the hierarchy does."""
        with collecting(self._lines):
            names = call_by_titles(self.outline, (hierarchy, nodes), None, file, strict=False)
        self.words.rename(names)


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
    log = FindingLog(limit)
    seen = Seen(log)
    if isinstance(source, Corpus):
        if isinstance(hierarchy, str | Path):
            raise InputError(f"hierarchy is {str(hierarchy)!r}; give a Hierarchy beside a corpus, or the path of both")
        kind, file, known = "corpus", Path(source.source), hierarchy or source.hierarchy
        seen.look(records_of(source), file)
        return _checked(source.source, kind, file, options, seen, known, log)
    path = Path(source)
    kind, form = find_format(path, options)
    file = named_file(path)
    if isinstance(hierarchy, Hierarchy):
        seen.read(path, form, options, file)
        return _checked(str(source), kind, file, options, seen, hierarchy, log)
    categories = CheckedHierarchy(path, hierarchy, log)
    seen.read(path, form, options, file)
    categories.read(form, seen.outline, options)
    if form.by_address:
        seen.call_by_titles(categories.hierarchy, categories.nodes, file)
    return _checked(str(source), kind, file, options, seen, categories.hierarchy, log)


def _checked(
    name: str,
    kind: str,
    file: Path,
    options: CorpusOptions,
    seen: Seen,
    hierarchy: Hierarchy | None,
    log: FindingLog,
) -> CorpusCheck:
    """Check a corpus as a whole, once all its documents have been seen."""
    outline = seen.outline
    places, separator = Places(outline, file), options.tree_separator
    if separator is not None:
        tidy_paths(outline, separator, hierarchy)
    if hierarchy is not None:
        check_known(outline, hierarchy, options, places, log)
    elif separator is not None:
        hierarchy = tree_of(outline, separator, places, log)
    if not len(outline):
        log.add("no-documents", str(file), n_documents(0))
    elif all(labels is None for labels in outline.labels):
        there = columns_without_labels(Path(name))
        words = {"remedy": f"name the column that has the labels (--label-column) of: {listed(there)}"}
        log.add("no-labels", str(file), n_documents(len(outline)), words=words if there else None)
    check_ids(outline, places, log)
    check_separators(outline, hierarchy, log)
    check_splits(outline, file, places, log)
    check_labels(outline, hierarchy, places, log)
    check_duplicates(seen.likeness, outline, places, log)
    seen.texts.check_lengths(places)
    counts = Counts(outline, hierarchy)
    counts.check(log)
    seen.words.check(hierarchy, log)
    seen.languages.check(outline, places, log)
    found = log.findings()
    sizes = [len(set(labels)) for labels in outline.labels if labels]
    lengths = np.asarray(seen.texts.lengths)
    return CorpusCheck(
        corpus=name,
        format=kind,
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
