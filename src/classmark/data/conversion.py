"""Conversion of a corpus to another format, on request with other splits or fewer labels."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from classmark.data.corpus import Corpus
from classmark.data.formats import FORMATS, Format, kind_of_target
from classmark.data.options import DEFAULT_OPTIONS, CorpusOptions
from classmark.data.reading import read_corpus
from classmark.data.splits import Shares, group_split, hide_labels, random_split, stratified_split, time_split
from classmark.data.writing import check_sharded, check_spared, check_target, write_corpus
from classmark.errors import InputError
from classmark.hierarchy import Hierarchy


class Conversion(NamedTuple):
    """What was written: the corpus, its format, the files or the folder, the documents first, and how to read them.

    `options` are those that reading what was written needs, and that are not the default.
    """

    corpus: Corpus
    kind: str
    written: list[Path]
    options: dict[str, str]


def convert(
    source: str | Path | Corpus,
    target: str | Path,
    *,
    kind: str | None = None,
    hierarchy: Hierarchy | str | Path | None = None,
    splits: Sequence[str] | None = None,
    options: CorpusOptions = DEFAULT_OPTIONS,
    target_options: CorpusOptions | None = None,
    change: Callable[[Corpus], Corpus] | None = None,
    overwrite: bool = False,
    shards: int | None = None,
) -> Conversion:
    r"""Read a corpus in one format and write it in another.

    Parameters
    ----------
    source : str, Path or Corpus
        From where, or what.
    target : str or Path
        To where.
    kind : str, optional
        The format of the target, where its suffix does not tell it; that of the source is `options.kind`.
    hierarchy : Hierarchy, str or Path, optional
        The categories, as for `read_corpus`.
    splits : sequence of str, optional
        Convert these splits alone. A format without splits takes one at a time.
    options : CorpusOptions
        How to read the source.
    target_options : CorpusOptions, optional
        How to write the target. By default as it is read by default, as far as that can be: `label_separator` is that
        of the source where a label has the usual one in it, and `empty_labels` is that of the source.
    change : function, optional
        What to do with the corpus in between, such as dividing it anew.
    overwrite : bool
        Whether the target may be replaced.
    shards : int, optional
        Write a dataset folder in so many shards, of which `kind` says the format: `dataset`, `dataset-gz` or
        `dataset-parquet`. The texts stay in the source, which is read twice.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "animals.csv")
    ...     _ = file.write_text("text,labels\nhoots,owl\n")
    ...     done = convert(file, Path(folder, "animals.jsonl"))
    ...     print(done.written[0].read_text())
    {"id":"1","text":"hoots","labels":["owl"],"split":null}
    """
    kind = kind_of_target(Path(target), kind)
    check_sharded(Path(target), kind, shards)
    check_target(Path(target), kind, overwrite=overwrite)
    if not isinstance(source, Corpus):
        check_spared(target, *(Path(one) for one in (source, hierarchy) if isinstance(one, str | Path)))
        source = read_corpus(source, hierarchy=hierarchy, options=options, stored=shards is not None)
    corpus = (change or _as_it_is)(_selected(source, splits, kind))
    if target_options is None:
        target_options = options_for(corpus, options)
    written = write_corpus(corpus, target, kind=kind, options=target_options, overwrite=overwrite, shards=shards)
    return Conversion(corpus, kind, written, _needed(corpus, kind, target_options))


def _as_it_is(corpus: Corpus) -> Corpus:
    return corpus


def _selected(corpus: Corpus, splits: Sequence[str] | None, kind: str) -> Corpus:
    """Take some splits alone; where the format has no room for its name, a single one loses it."""
    if splits is None:
        return corpus
    corpus = corpus.select(splits)
    nameless = len(splits) == 1 and not FORMATS[kind].holds_splits
    return replace(corpus, splits=[None] * len(corpus)) if nameless else corpus


def options_for(corpus: Corpus, source: CorpusOptions) -> CorpusOptions:
    """Give the options to write with: the default, but what it could not hold is written as the source has it.

    >>> corpus = Corpus(["1"], ["hoots"], [["owl", "bird, wild"]], [None], None, "an owl")
    >>> options_for(corpus, CorpusOptions(label_separator=";")).label_separator
    ';'
    """
    usual = DEFAULT_OPTIONS.label_separator
    clash = any(usual in label for labels in corpus.labels for label in labels or ())
    return CorpusOptions(
        label_separator=source.label_separator if clash else usual,
        empty_labels=source.empty_labels,
    )


def _needed(corpus: Corpus, kind: str, options: CorpusOptions) -> dict[str, str]:
    """Give the options without which reading what was written gives other labels."""
    form = FORMATS[kind]
    used = _label_options(form, options)
    if [] in corpus.labels and (options.path_columns or form.empty_is_open):
        used["empty_labels"] = options.empty_labels
    return {name: value for name, value in used.items() if value != getattr(DEFAULT_OPTIONS, name)}


def _label_options(form: Format, options: CorpusOptions) -> dict[str, str]:
    """Give the option by which the labels of a document are found in its row, where there is one."""
    if options.path_columns:
        return {"path_columns": ",".join(options.path_columns)}
    return {"label_separator": options.label_separator} if form.is_delimited else {}


SPLITS: dict[str, Callable[[Corpus, Shares, int], Corpus]] = {
    "random": lambda corpus, shares, seed: random_split(corpus, shares, seed=seed),
    "stratified": lambda corpus, shares, seed: stratified_split(corpus, shares, seed=seed),
    "ordered": lambda corpus, shares, _: time_split(corpus, shares, range(len(corpus))),
}
"""Ways to divide a corpus; `ordered` takes documents as they stand in the file, the earliest first."""


FIELD_SPLITS: dict[str, Callable[[Corpus, Shares, int], Corpus]] = {
    "group": lambda corpus, shares, seed: group_split(corpus, shares, seed=seed),
    "time": lambda corpus, shares, _: time_split(corpus, shares),
}
"""Ways to divide a corpus by its `fields`."""
PARTS = {2: ("train", "test"), 3: ("train", "validation", "test")}
"""What two or three shares are for where nobody says so."""


def resplit(corpus: Corpus, how: str, seed: int = 0, *, by: str | None = None) -> Corpus:
    """Divide a corpus anew, as the command line writes it: a way, then the parts and their shares.

    The way is `random` where none is written. `by` is a way that divides by the corpus's `fields`, `group` or `time`.

    >>> corpus = Corpus(list("abcd"), ["text"] * 4, [["x"]] * 4, [None] * 4, None, "four")
    >>> resplit(corpus, "ordered,train=0.75,test=0.25").splits
    ['train', 'train', 'train', 'test']
    >>> resplit(corpus, "ordered,50/25/25").splits
    ['train', 'train', 'validation', 'test']
    """
    way, *parts = how.split(",")
    if not way or set(way) & set("=/"):
        way, parts = "", [way, *parts] if way else parts
    if way and way not in SPLITS:
        raise InputError(f"there is no way {way!r} to split; choose one of {', '.join(SPLITS)}")
    if way and by:
        raise InputError(f"{way!r} is one way to split and by {by} is another; leave one out")
    split = FIELD_SPLITS[by] if by else SPLITS[way or "random"]
    return split(corpus, _shares(parts or ["80/20"]), seed)


def _shares(parts: list[str]) -> dict[str, float]:
    """Read parts and their shares: names with numbers, or percentages alone."""
    if len(parts) == 1 and "/" in parts[0]:
        return _percentages(parts[0])
    shares: dict[str, float] = {}
    for part in parts:
        name, share = _part_of(part)
        if name in shares:
            raise InputError(f"the part {name!r} stands twice; give each part one share")
        shares[name] = share
    return shares


def _percentages(text: str) -> dict[str, float]:
    """Read two or three percentages.

    >>> _percentages("80/20")
    {'train': 0.8, 'test': 0.2}
    """
    numbers = text.split("/")
    if len(numbers) not in PARTS or not all(number.strip().isdecimal() for number in numbers):
        raise InputError(f"the shares {text!r} cannot be read; write two or three percentages, such as 80/20")
    return {name: int(number) / 100 for name, number in zip(PARTS[len(numbers)], numbers, strict=True)}


def _part_of(text: str) -> tuple[str, float]:
    """Read the name of a part and its share."""
    name, _, share = text.partition("=")
    if not name.strip():
        raise InputError(f"the part {text!r} has no name; write it as train=0.8")
    try:
        return name, float(share)
    except ValueError:
        raise InputError(f"the part {text!r} has no share; write it as train=0.8") from None


def with_label_rate(corpus: Corpus, rate: float, seed: int = 0) -> Corpus:
    """Keep the labels of a fraction of the training documents; the others become *not labelled*.

    >>> corpus = Corpus(list("abcd"), ["text"] * 4, [["x"]] * 4, ["train", "train", "test", "test"], None, "four")
    >>> with_label_rate(corpus, 0.5).labels.count(None)
    1
    """
    rows = [row for row, name in enumerate(corpus.splits) if name in ("train", None)]
    hidden = hide_labels([corpus.labels[row] for row in rows], rate, seed=seed)
    labels = list(corpus.labels)
    for row, label in zip(rows, hidden, strict=True):
        labels[row] = label
    return replace(corpus, labels=labels)
