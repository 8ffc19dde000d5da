"""The table of formats: what it says is what files, messages and pages go by."""

from io import BytesIO
from pathlib import Path

import pytest

from classmark.data import CorpusOptions, read_corpus
from classmark.data.formats import FORMATS, Format, Record, kind_of, kind_of_target
from classmark.data.reading import iter_stream

DOCS = Path(__file__).parents[3] / "docs"


def read_lines_as_documents(path, options):
    for number, line in enumerate(path.read_text().splitlines(), 1):
        yield Record(number, None, line, None, None)


def test_a_format_is_its_reader_and_an_entry(tmp_path, monkeypatch):
    monkeypatch.setitem(FORMATS, "lines", Format(read_lines_as_documents, suffixes=(".lines",)))
    file = tmp_path / "birds.txt"
    file.write_text("an owl\na gull\n")
    assert read_corpus(file, options=CorpusOptions(kind="lines")).documents == ["an owl", "a gull"]
    with pytest.raises(ValueError, match="the format 'lines' is only read; write one of dataset, "):
        kind_of_target(file, "lines")
    with pytest.raises(ValueError, match="lines is not read from there; give a file, or one of jsonl, csv"):
        iter_stream(BytesIO(), "-", "lines")
    with pytest.raises(ValueError, match=r"name one of dataset, .*, lines"):
        kind_of(file, "nothing")


@pytest.mark.parametrize("kind", FORMATS)
def test_a_format_is_a_file_or_a_folder_and_on_its_page(kind):
    form = FORMATS[kind]
    assert form.suffixes or form.recognise is not None
    page = (DOCS / "formats.md").read_text(encoding="utf-8")
    assert f"`{kind}`" in page
    assert all(f"`{suffix}`" in page for suffix in form.suffixes)


def test_what_may_come_from_a_pipe_is_on_the_page_of_commands():
    page = (DOCS / "command-line.md").read_text(encoding="utf-8")
    *kinds, last = [f"`{kind}`" for kind, form in FORMATS.items() if form.read_stream is not None]
    assert f"one of {', '.join(kinds)} and {last}" in page
