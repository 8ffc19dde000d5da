import gzip
import re
from dataclasses import replace
from pathlib import Path

import pytest

from classmark.data import Corpus, CorpusOptions, read_corpus
from classmark.data.formats import FORMATS, Record, kind_of
from classmark.progress import hearing
from tests.data.formats.corpora import there_and_back

OPTIONS = CorpusOptions()


def read(file: Path, content: str | bytes, options: CorpusOptions = OPTIONS) -> list[Record]:
    file.write_bytes(content.encode() if isinstance(content, str) else content)
    return list(FORMATS[kind_of(file)].read(file, options))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "docs.csv"


def refused(file: Path, content: str | bytes, options: CorpusOptions = OPTIONS) -> str:
    """Give the message without the file."""
    with pytest.raises(ValueError) as caught:
        read(file, content, options)
    assert str(caught.value).startswith(f"{file}:")
    assert "\n" not in str(caught.value)
    return str(caught.value).removeprefix(f"{file}:")


def test_a_record_holds_all_columns(file):
    assert read(file, 'id,text,labels,split\na,an owl,"bird, animal",train\n') == [
        Record(2, "a", "an owl", ["bird", "animal"], "train")
    ]


def test_everything_but_the_text_may_be_missing(file):
    assert read(file, "text\nan owl\n") == [Record(2, None, "an owl", None, None)]


def test_the_order_of_columns_and_others_between_them(file):
    assert read(file, "label,date, text \nbird,1999,an owl\n") == [Record(2, None, "an owl", ["bird"], None)]


def test_tabs(tmp_path):
    (record,) = read(tmp_path / "docs.tsv", "text\tlabels\nan owl, awake\tbird,animal\n")
    assert (record.document, record.labels) == ("an owl, awake", ["bird", "animal"])


def test_gzip(tmp_path):
    (record,) = read(tmp_path / "docs.csv.gz", gzip.compress(b"text\nan owl\n"))
    assert record.document == "an owl"


def test_byte_order_mark_line_ends_and_blank_lines(file):
    records = read(file, b"\xef\xbb\xbftext,labels\r\n\r\nan owl,bird\r\n\r\na cod,fish\r\n")
    assert [(record.line, record.document, record.labels) for record in records] == [
        (3, "an owl", ["bird"]),
        (5, "a cod", ["fish"]),
    ]


def test_quoted_line_breaks_and_quotes(file):
    records = read(file, 'text,labels\n"an ""owl"",\r\nawake",bird\na cod,fish\n')
    assert [record.document for record in records] == ['an "owl",\r\nawake', "a cod"]
    assert [record.line for record in records] == [3, 4]


def test_a_text_longer_than_the_standard_limit(file):
    (record,) = read(file, f"text\n{'owl ' * 100_000}\n")
    assert len(record.document) == 400_000


def test_an_empty_cell_is_not_labelled_unless_the_user_says_nowhere(file):
    content = "text,labels\nan owl,\na cod,  \n"
    assert [record.labels for record in read(file, content)] == [None, None]
    assert [record.labels for record in read(file, content, CorpusOptions(empty_labels="nowhere"))] == [
        [],
        [],
    ]


def test_an_empty_split_is_none(file):
    assert [record.split for record in read(file, "text,split\na,\nb,dev\n")] == [None, "dev"]


def test_label_separator(file):
    (record,) = read(file, 'text,labels\nan owl,"bird, wild; animal"\n', CorpusOptions(label_separator=";"))
    assert record.labels == ["bird, wild", "animal"]


def test_other_names_for_the_columns(file):
    options = CorpusOptions(text_column="body", label_column="topic", id_column="key", split_column="part")
    assert read(file, "key,body,topic,part,text\nk,x,t,dev,y\n", options) == [Record(2, "k", "x", ["t"], "dev")]


@pytest.mark.parametrize("content", ["", "\n\n", "text,labels\n"])
def test_no_rows(file, content):
    assert read(file, content) == []


def test_no_text_column(file):
    message = refused(file, "id,body\n1,x\n")
    assert message == "1: no text column 'text'; name one of: id, body (--text-column, text_column=…)"


def test_no_label_column_where_it_was_named(file):
    message = refused(file, "id,text\n1,x\n", CorpusOptions(label_column="topic"))
    assert message == "1: no label column 'topic'; name one of: id, text"


def test_a_column_that_stands_twice(file):
    assert refused(file, "text,text\nx,y\n").startswith("1: 2 columns are called 'text'")


@pytest.mark.parametrize(("row", "cells"), [("only text", 1), ("an owl, awake,bird", 3)])
def test_ragged_rows(file, row, cells):
    message = refused(file, f"text,labels\nan owl,bird\n{row}\n")
    assert message == f"3: {cells} cell(s) for 2 columns; quote cells that hold ','"


def test_a_quote_that_is_never_closed(file):
    message = refused(file, 'text,labels\n"an owl,bird\na cod,fish\n')
    assert message.startswith("3: not a valid")
    assert message.endswith("); close every quote, double those in a cell")


def test_an_empty_label(file):
    message = refused(file, 'text,labels\nan owl,"bird,,animal"\n')
    assert re.match(r".*2:.*label is empty", message)


def test_an_empty_id(file):
    message = refused(file, "id,text\n1,an owl\n,a cod\n")
    assert re.match(r".*3:.*id is empty", message)


def test_not_utf_8(file):
    message = refused(file, "text\nan owl\ncafé\n".encode("latin-1"))
    assert re.match(r"3: not UTF-8 at byte 4.*save.*UTF-8", message)


def test_truncated_gzip(tmp_path):
    message = refused(tmp_path / "docs.csv.gz", gzip.compress(b"text\nan owl\n")[:-10])
    assert "damaged or cut" in message
    assert message.endswith("; make or get it again")


class TestDelimiters:
    @pytest.mark.parametrize(("delimiter", "name"), [(";", "semicolons"), ("\t", "tabs"), ("|", "bars")])
    @pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
    def test_found_by_the_header_and_said(self, file, delimiter, name, mark):
        lines = [["text", "labels"], ["an owl, awake", '"bird,animal"']]
        content = "\r\n".join(map(delimiter.join, lines)).encode()
        heard: list[str] = []
        with hearing(heard.append):
            (record,) = read(file, mark + b"\r\n" + content)
        assert (record.line, record.document, record.labels) == (3, "an owl, awake", ["bird", "animal"])
        (message,) = heard
        assert re.match(rf"{re.escape(str(file))}: .* {name},.* \(--delimiter ", message)

    @pytest.mark.parametrize("header", ["text", "text,labels;x", "text,a|b,c|d", 'text,"a;b;c"'])
    def test_a_comma_is_not_said(self, file, header):
        heard: list[str] = []
        with hearing(heard.append):
            assert read(file, f"{header}\n") == []
        assert heard == []

    def test_the_columns_asked_for_decide(self, file):
        content = "id|text|body;topic,x\n1|2|3;bird,4\n"
        (record,) = read(file, content, CorpusOptions(text_column="id|text|body", label_column="topic,x"))
        assert record.labels == ["bird", "4"]

    def test_columns_that_are_missing_are_named_one_by_one(self, file):
        assert "1: no text column 'text'; name one of: titel, thema" in refused(file, "titel;thema\nx;y\n")

    def test_given(self, file, tmp_path):
        options = CorpusOptions(delimiter=":")
        assert read(file, "text:labels\nan owl:bird\n", options)[0].labels == ["bird"]
        assert read(tmp_path / "docs.tsv", "text;labels\nx;y\n", CorpusOptions(delimiter=";"))[0].labels == ["y"]
        with pytest.raises(ValueError, match="a delimiter stands between the cells of CSV and TSV, and this is jsonl"):
            (tmp_path / "a.jsonl").touch()
            read_corpus(tmp_path / "a.jsonl", options=options)

    def test_a_writer_writes_what_the_same_options_read(self, tmp_path):
        options = CorpusOptions(delimiter=";")
        corpus = Corpus(["1"], ["a;b"], [["c"]], [None], None, "one")
        assert replace(there_and_back(corpus, "d.csv", options), source="one") == corpus


class TestLongLines:
    OPTIONS = CorpusOptions(max_line=1)

    @pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.svm", "a.csv.gz", "a.jsonl.gz", "a.sgm", "docs.jsonl"])
    def test_a_line_is_not_read_to_its_end(self, tmp_path, name):
        file = tmp_path / name
        content = b"x" * (2**20 + 1)
        file.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
        with pytest.raises(ValueError) as caught:
            read_corpus(tmp_path if name == "docs.jsonl" else file, options=self.OPTIONS)
        assert str(caught.value) == (
            f"{file}:1: the line is longer than 1 MiB; if that is right, allow more (--max-line 2, max_line=2)"
        )

    def test_a_row_of_many_lines(self, file):
        content = 'text\n"' + "an owl\n" * 200_000 + '"\n'
        assert refused(file, content, self.OPTIONS).startswith("149798: the row is longer than 1 MiB; if that")
        assert len(read(file, content, CorpusOptions(max_line=2))) == 1

    def test_many_rows(self, file):
        assert len(read(file, "text\n" + "an owl\n" * 200_000, self.OPTIONS)) == 200_000

    def test_a_story_of_many_lines(self, tmp_path):
        file = tmp_path / "reut2-000.sgm"
        file.write_text("<REUTERS>\n" + "an owl\n" * 200_000)
        with pytest.raises(ValueError, match=r"sgm:\d+: the story is longer than 1 MiB"):
            read_corpus(file, options=self.OPTIONS)

    def test_tokens_of_many_lines(self, tmp_path):
        file = tmp_path / "lyrl2004_tokens_train.dat"
        file.write_text(".I 1\n.W\n" + "owl\n" * 100_000 + ".I 2\n.W\n" + "owl\n" * 300_000)
        with pytest.raises(ValueError, match=r"dat:\d+: the document is longer than 1 MiB"):
            read_corpus(tmp_path, options=self.OPTIONS)


class TestPathColumns:
    OPTIONS = CorpusOptions(path_columns=("top", "sub"))

    def test_a_path_a_document(self, file):
        records = read(file, "sub,text,top\nowl,hoots,bird\n,sings, bird \n", self.OPTIONS)
        assert [record.labels for record in records] == [["bird/owl"], ["bird"]]

    def test_another_separator(self, file):
        options = CorpusOptions(path_columns=("top", "sub"), path_separator=" > ")
        (record,) = read(file, "text,top,sub\nhoots,bird/s,owl\n", options)
        assert record.labels == ["bird/s > owl"]

    def test_no_path(self, file):
        content = "text,top,sub\nx,,\n"
        assert read(file, content, self.OPTIONS)[0].labels is None
        nowhere = CorpusOptions(path_columns=("top", "sub"), empty_labels="nowhere")
        assert read(file, content, nowhere)[0].labels == []

    def test_a_label_column_is_not_looked_at(self, file):
        assert read(file, "text,labels,top,sub\nx,a,b,c\n", self.OPTIONS)[0].labels == ["b/c"]

    @pytest.mark.parametrize(
        ("content", "message"),
        [
            ("text,top\nx,bird\n", "1: no path column 'sub'; name one of: text, top"),
            ("text,top,sub\nx,,owl\n", r"2: the path \['', 'owl'\] has a gap; only its end may be left empty"),
            (
                "text,top,sub\nx,bird/s,owl\n",
                r"2: 'bird/s'.*path separator '/' in it",
            ),
            ("text,top,sub,sub\nx,a,b,c\n", "1: 2 columns are called 'sub'"),
        ],
    )
    def test_bad_rows(self, file, content, message):
        assert re.match(message, refused(file, content, self.OPTIONS))


def test_a_carriage_return_in_the_header(tmp_path):
    (tmp_path / "a.csv").write_bytes(b"text,labels\rhoots,owl\rcries,gull\n")
    with pytest.raises(ValueError, match=r"a\.csv:1: not a valid"):
        read_corpus(tmp_path / "a.csv")
