"""Reuters-21578 as it is distributed: `reut2-*.sgm`, SGML in Latin-1, read element by element.

A document is its title and body, its labels the `TOPICS`, its id the `NEWID`. Character references are decoded by a
table; the document type is passed over, so that no entity is ever looked up. Control characters, which end the stories,
are dropped. A document of which `TOPICS="YES"` says that an indexer saw it belongs nowhere if it has no topic; without
that it is not labelled.

The splits are those of the collection's README: each names the values that make a training and a test document, and
every other document has the split `unused`.
"""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from classmark.data.formats.records import Record, Room, check_label, read_lines
from classmark.data.options import CorpusOptions
from classmark.errors import InputError, attempts

ATTRIBUTE = re.compile(r'([A-Z]+)="([^"]*)"')
REFERENCE = re.compile(r"&(?:#(\d{1,7})|(lt|gt|amp|quot|apos));")
CHARACTERS = {"lt": "<", "gt": ">", "amp": "&", "quot": '"', "apos": "'"}
CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
LEWIS = {"TRAIN": "train", "TEST": "test"}
HAYES = {"TRAINING-SET": "train", "PUBLISHED-TESTSET": "test"}

SPLITS: dict[str, Callable[[dict[str, str]], str | None]] = {
    "modapte": lambda values: LEWIS.get(values["LEWISSPLIT"]) if values["TOPICS"] == "YES" else None,
    "modlewis": lambda values: LEWIS.get(values["LEWISSPLIT"]) if values["TOPICS"] != "BYPASS" else None,
    "modhayes": lambda values: HAYES.get(values["CGISPLIT"]),
}
NO_TOPIC: dict[str, list[str]] = {"YES": []}
"""What the absence of topics means, by the attribute `TOPICS`: belonging nowhere, or else *not labelled*."""


class Element(NamedTuple):
    """A `REUTERS` element: what stands between its tags, its attributes, and the line it begins on."""

    line: int
    attributes: dict[str, str]
    content: str


def has_sgml(folder: Path) -> bool:
    """Say whether a folder holds files of the collection."""
    return bool(_files(folder))


def _files(folder: Path) -> list[Path]:
    return sorted([*folder.glob("*.sgm"), *folder.glob("*.sgm.gz")])


def read_reuters(path: Path, options: CorpusOptions) -> Iterator[Record]:
    """Yield the stories of a file, or of all files of a folder."""
    for file in _files(path) if path.is_dir() else [path]:
        yield from attempts(_record, ((element, file, options) for element in _elements(file, options)))


def _elements(file: Path, options: CorpusOptions) -> Iterator[Element]:
    """Yield the elements one at a time; one that is not closed is refused."""
    start, tag, lines, room = 0, "", [""], Room("story", options)
    for number, line in read_lines(file, options, "latin-1"):
        if line.startswith("<REUTERS"):
            _check_closed(start, file)
            start, (tag, _, rest) = number, line.partition(">")
            lines = [rest]
            room.empty()
        elif start:
            room.take(line, f"{file}:{number}")
            lines.append(line)
        else:
            _check_outside(line, f"{file}:{number}")
            continue
        if "</REUTERS>" in line:
            yield Element(start, dict(ATTRIBUTE.findall(tag)), "".join(lines).partition("</REUTERS>")[0])
            start = 0
    _check_closed(start, file)


def _check_closed(start: int, file: Path) -> None:
    if start:
        raise InputError(_unclosed("REUTERS", file, start))


def _check_outside(line: str, where: str) -> None:
    """Refuse what stands between elements, other than the document type."""
    if line.strip() and not line.startswith("<!DOCTYPE"):
        raise InputError(f"{where}: {line.strip()[:40]!r} stands outside of a REUTERS element; take it out")


def _unclosed(name: str, file: Path, line: int) -> str:
    return f"{file}:{line}: the {name} element that begins here is not closed; get the file again"


def _record(element: Element, file: Path, options: CorpusOptions) -> Record:
    where = f"{file}:{element.line}"
    for name in ("NEWID", "TOPICS", "LEWISSPLIT", "CGISPLIT"):
        if not element.attributes.get(name):
            raise InputError(f"{where}: the REUTERS element has no attribute {name}; get the file again")
    return Record(
        line=element.line,
        id=element.attributes["NEWID"],
        document=_text(element, file),
        labels=_topics(element, file) or NO_TOPIC.get(element.attributes["TOPICS"]),
        split=SPLITS[options.reuters_split](element.attributes) or "unused",
        file=file,
    )


def _topics(element: Element, file: Path) -> list[str]:
    found = re.findall(r"<D>(.*?)</D>", _inside(element, "TOPICS", file) or "", re.DOTALL)
    return [check_label(_decoded(topic).strip(), f"{file}:{element.line}") for topic in found]


def _text(element: Element, file: Path) -> str:
    """Give title and body; a story of another make (brief, unprocessed) has its text outside of a body."""
    title, body = _inside(element, "TITLE", file), _inside(element, "BODY", file)
    if body is None:
        whole = _inside(element, "TEXT", file) or ""
        body = re.sub(r"<(TITLE|AUTHOR|DATELINE)>.*?</\1>", "", whole, flags=re.DOTALL)
    parts = [_decoded(part or "").strip() for part in (title, body)]
    return "\n".join(filter(None, parts))


def _inside(element: Element, name: str, file: Path) -> str | None:
    """Give what stands inside the first element of a name, None where there is none."""
    opened = re.search(rf"<{name}(?: [^>]*)?>", element.content)
    if opened is None:
        return None
    end = element.content.find(f"</{name}>", opened.end())
    if end < 0:
        raise InputError(_unclosed(name, file, element.line + element.content.count("\n", 0, opened.start())))
    return element.content[opened.end() : end]


def _decoded(text: str) -> str:
    return CONTROLS.sub("", REFERENCE.sub(_character, text))


def _character(found: re.Match[str]) -> str:
    number, name = found.groups()
    if name:
        return CHARACTERS[name]
    # Surrogates are no characters, and UTF-8 could not hold them.
    return chr(int(number)) if int(number) < 0xD800 or 0xDFFF < int(number) <= 0x10FFFF else found[0]
