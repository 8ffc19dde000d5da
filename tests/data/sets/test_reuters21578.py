import pytest

from classmark.data import read_corpus
from classmark.data.sets import get
from classmark.data.sets.reuters21578 import SOURCE, prepare

STORY = """<REUTERS TOPICS="{topics}" LEWISSPLIT="{lewis}" CGISPLIT="TRAINING-SET" OLDID="1" NEWID="{number}">
<TOPICS>{labels}</TOPICS>
<TEXT>&#2;
<TITLE>{title}</TITLE>
<BODY>prices of caf\xe9 &lt;rose>
&#3;</BODY></TEXT>
</REUTERS>
"""
HEAD = '<!DOCTYPE lewis SYSTEM "lewis.dtd">\n'


def story(number: int, lewis: str = "TRAIN", topics: str = "YES", labels: tuple[str, ...] = ()) -> str:
    listed = "".join(f"<D>{label}</D>" for label in labels)
    return STORY.format(number=number, lewis=lewis, topics=topics, labels=listed, title=f"STORY {number}")


@pytest.fixture
def raw(tmp_path):
    """Two of the files, and others that the archive holds."""
    folder = tmp_path / "raw"
    folder.mkdir()
    first = story(1, labels=("cocoa", "coffee")) + story(2, "TEST", labels=("earn",)) + story(3)
    second = story(1001, "NOT-USED", labels=("earn",)) + story(1002, topics="NO") + story(1003, "TEST", "BYPASS")
    (folder / "reut2-000.sgm").write_text(HEAD + first, encoding="latin-1")
    (folder / "reut2-001.sgm").write_text(HEAD + second + story(1004, "TEST"), encoding="latin-1")
    (folder / "lewis.dtd").write_text("<!ELEMENT REUTERS>")
    return folder


def test_modapte(raw, tmp_path):
    fetched = get("reuters21578", given=raw, to=tmp_path / "made")
    corpus = read_corpus(fetched.folder)
    assert corpus.ids == ["1", "2", "3", "1004"], "what the split does not use is left out"
    assert corpus.splits == ["train", "test", "train", "test"]
    assert corpus.labels == [["cocoa", "coffee"], ["earn"], [], []], "seen by an indexer, without a topic: nowhere"
    assert corpus.documents[0] == "STORY 1\nprices of caf\xe9 <rose>"
    assert corpus.hierarchy is None


def test_no_files(tmp_path):
    with pytest.raises(ValueError, match=r"no file called \*\.sgm"):
        prepare([tmp_path / "README.txt"], tmp_path)


def test_the_counts_are_those_of_the_literature():
    assert SOURCE.documents == 9_603 + 3_299
