import gzip
import re
from pathlib import Path

import pytest

from classmark.data import CorpusOptions, read_corpus
from classmark.data.formats import Record
from classmark.data.formats.reuters import read_reuters
from tests.data.formats.corpora import OPTIONS

STORY = (
    '<REUTERS TOPICS="YES" LEWISSPLIT="TRAIN" CGISPLIT="TRAINING-SET" OLDID="5544" NEWID="1">\n'
    "<DATE>26-FEB-1987 15:01:01.79</DATE>\n"
    "<TOPICS><D>cocoa</D><D>veg-oil</D></TOPICS>\n"
    "<PLACES><D>usa</D></PLACES>\n"
    "<PEOPLE></PEOPLE>\n"
    "<UNKNOWN> \n&#5;&#5;&#5;C T\n&#22;&#22;&#1;f0704&#31;reute</UNKNOWN>\n"
    "<TEXT>&#2;\n"
    "<TITLE>BAHIA &lt;COCOA> REVIEW</TITLE>\n"
    "<DATELINE>    SALVADOR, Feb 26 - </DATELINE><BODY>Showers at AT&amp;T's caf\xe9 continued\n"
    "throughout the week &amp;lt; &unknown; &#163;5.\n"
    " Reuter\n"
    "&#3;</BODY></TEXT>\n"
    "</REUTERS>\n"
)
DOCTYPE = '<!DOCTYPE lewis SYSTEM "lewis.dtd">\n'


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "reut2-000.sgm"


def read(file: Path, content: str, options: CorpusOptions = OPTIONS) -> list[Record]:
    file.write_bytes(content.encode("latin-1"))
    return list(read_reuters(file, options))


def story(number: int = 1, **attributes: str) -> str:
    """Write a story with other attributes."""
    text = STORY.replace('NEWID="1"', f'NEWID="{number}"')
    for name, value in attributes.items():
        before = text.split(f'{name}="')[1].split('"')[0]
        text = text.replace(f'{name}="{before}"', f'{name}="{value}"')
    return text


def test_a_story(file):
    assert read(file, DOCTYPE + STORY) == [
        Record(
            line=2,
            id="1",
            document="BAHIA <COCOA> REVIEW\nShowers at AT&T's café continued\n"
            "throughout the week &lt; &unknown; £5.\n Reuter",
            labels=["cocoa", "veg-oil"],
            split="train",
            file=file,
        )
    ]


def test_several_stories_and_their_lines(file):
    content = DOCTYPE + story(1) + story(2)
    assert [(record.id, record.line) for record in read(file, content)] == [("1", 2), ("2", 2 + STORY.count("\n"))]


# The counts of the collection's README follow from these rules.
@pytest.mark.parametrize(
    ("attributes", "modapte", "modlewis", "modhayes"),
    [
        ({}, "train", "train", "train"),
        ({"LEWISSPLIT": "TEST"}, "test", "test", "train"),
        ({"LEWISSPLIT": "NOT-USED"}, "unused", "unused", "train"),
        ({"TOPICS": "NO"}, "unused", "train", "train"),
        ({"TOPICS": "BYPASS"}, "unused", "unused", "train"),
        ({"CGISPLIT": "PUBLISHED-TESTSET"}, "train", "train", "test"),
    ],
)
def test_splits(file, attributes, modapte, modlewis, modhayes):
    content = story(1, **attributes)
    expected = {"modapte": modapte, "modlewis": modlewis, "modhayes": modhayes}
    assert {name: read(file, content, CorpusOptions(reuters_split=name))[0].split for name in expected} == expected


@pytest.mark.parametrize(("topics", "labels"), [("YES", []), ("NO", None), ("BYPASS", None)])
def test_without_topics(file, topics, labels):
    content = story(1, TOPICS=topics).replace("<D>cocoa</D><D>veg-oil</D>", "")
    assert read(file, content)[0].labels == labels


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('<TEXT TYPE="BRIEF">&#2;\n******<TITLE>A TITLE</TITLE>\n\n</TEXT>', "A TITLE\n******"),
        ('<TEXT TYPE="UNPROC">&#2;\nALL IN\nONE\n&#3;</TEXT>', "ALL IN\nONE"),
        ("<TEXT>\n<TITLE>T</TITLE><AUTHOR> by me</AUTHOR><DATELINE>X, </DATELINE>\n&#3;</TEXT>", "T"),
        ("", ""),
    ],
)
def test_other_makes_of_text(file, text, expected):
    content = STORY[: STORY.index("<TEXT>")] + text + "</REUTERS>\n"
    assert read(file, content)[0].document == expected


def test_a_folder_is_read_in_the_order_of_its_files(tmp_path):
    (tmp_path / "reut2-001.sgm").write_text(story(2))
    (tmp_path / "reut2-000.sgm.gz").write_bytes(gzip.compress(story(1).encode("latin-1")))
    (tmp_path / "all-topics-strings.lc.txt").write_text("cocoa\n")
    corpus = read_corpus(tmp_path)
    assert (corpus.ids, corpus.hierarchy) == (["1", "2"], None)


def test_an_id_in_two_files(tmp_path):
    for name in ("reut2-000.sgm", "reut2-001.sgm"):
        (tmp_path / name).write_text(story(1))
    with pytest.raises(ValueError) as caught:
        read_corpus(tmp_path)
    first, second = tmp_path / "reut2-000.sgm", tmp_path / "reut2-001.sgm"
    assert str(caught.value).startswith(f"{second}:1: the id '1' already stands at {first}:1")


def test_labels_held_against_a_hierarchy(file):
    file.write_text(STORY)
    (file.parent / "hierarchy.tsv").write_text("ROOT\tcocoa\n")
    with pytest.raises(ValueError, match=r"reut2-000\.sgm:1: the label 'veg-oil' of document '1' is not in the hier"):
        read_corpus(file.parent)
    with pytest.warns(UserWarning, match="dropped 1 label"):
        assert read_corpus(file.parent, options=CorpusOptions(on_unknown="drop")).labels == [["cocoa"]]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (STORY.replace("</REUTERS>", ""), "1: the REUTERS element that begins here is not closed; get the file again"),
        (STORY.replace("</REUTERS>", "") + story(2), "1: the REUTERS element that begins here is not closed"),
        (STORY[:-40], "1: the REUTERS element that begins here is not closed"),
        (STORY.replace("</BODY>", ""), "11: the BODY element that begins here is not closed"),
        (STORY.replace("</TOPICS>", ""), "3: the TOPICS element that begins here is not closed"),
        (STORY.replace(' NEWID="1"', ""), "1: the REUTERS element has no attribute NEWID; get the file again"),
        (STORY.replace(' NEWID="1"', ' NEWID=""'), "1: the REUTERS element has no attribute NEWID"),
        (STORY.replace('LEWISSPLIT="TRAIN" ', ""), "1: the REUTERS element has no attribute LEWISSPLIT"),
        (STORY.replace("<D>cocoa</D>", "<D></D>"), r"1:.*label is empty"),
        (STORY + "<html>\n", "16: '<html>' stands outside of a REUTERS element; take it out"),
    ],
)
def test_malformed(file, content, message):
    with pytest.raises(ValueError) as caught:
        read(file, content)
    assert re.match(rf"{re.escape(str(file))}:{message}", str(caught.value))


def test_entities_of_a_document_type_are_never_looked_up(file):
    evil = '<!DOCTYPE lewis [<!ENTITY unknown SYSTEM "file:///etc/passwd">]>\n'
    assert "&unknown;" in read(file, evil + STORY)[0].document


@pytest.mark.parametrize("reference", ["&#55296;", "&#9999999;", "&#99999999;", "&bomb;"])
def test_references_that_name_no_character_stay(file, reference):
    assert f"&lt; {reference} " in read(file, STORY.replace("&unknown;", reference))[0].document


def test_truncated_gzip(tmp_path):
    file = tmp_path / "reut2-000.sgm.gz"
    file.write_bytes(gzip.compress(STORY.encode("latin-1"))[:-20])
    with pytest.raises(ValueError, match="damaged or cut"):
        list(read_reuters(file, OPTIONS))
