"""Reuters-21578 with 90 categories, made of small files in the form of the real ones, which are not at hand."""

import pytest

from classmark.data import read_corpus
from classmark.data.sets import get
from classmark.data.sets.reuters21578 import FILES, GROUPS, SIZES, clustered, split_up
from tests.data.sets.archives import tar_gz

# The small corpus has not as many documents as the published one, and its archive is another.
pytestmark = pytest.mark.filterwarnings("ignore:.*in the published corpus", "ignore:.*its SHA-256 is")

HEAD = '<!DOCTYPE lewis SYSTEM "lewis.dtd">\n'
STORY = """<REUTERS TOPICS="{seen}" LEWISSPLIT="{lewis}" CGISPLIT="{cgi}" OLDID="{number}" NEWID="{number}">
<DATE>26-FEB-1987 15:01:01.79</DATE>
<TOPICS>{topics}</TOPICS>
<PLACES><D>usa</D></PLACES>
<PEOPLE></PEOPLE>
<ORGS></ORGS>
<EXCHANGES></EXCHANGES>
<COMPANIES></COMPANIES>
<UNKNOWN>
&#5;&#5;&#5;C T
&#22;&#22;&#1;f0704&#31;reute
u f BC-STORY</UNKNOWN>
{text}
</REUTERS>
"""
BODY = (
    "<TEXT>&#2;\n<TITLE>{0}</TITLE>\n<DATELINE>    LONDON, Feb 26 - </DATELINE><BODY>{1}\n Reuter\n&#3;</BODY></TEXT>"
)
BRIEF = '<TEXT TYPE="BRIEF">&#2;\n******<TITLE>{0}</TITLE>\nCoffee beans from the farms.\n&#3;\n\n</TEXT>'
UNPROC = '<TEXT TYPE="UNPROC">&#2;\n{0} &lt;TST> {1}\n&#3;\n</TEXT>'

TOPICS = {
    "cocoa": "cocoa beans from the farms of bahia",
    "coffee": "coffee beans from the farms of brazil",
    "gold": "an ounce of gold from the mine",
    "silver": "an ounce of silver from the mine",
    "crude": "barrels of crude oil from the well",
    "gas": "barrels of gas and oil from the well",
    "earn": "net profit of the quarter in dlrs per share",
    "acq": "shares bought for dlrs per share",
}


def story(number, topics=(), lewis="TRAIN", seen="YES", text=None):
    listed = "".join(f"<D>{topic}</D>" for topic in topics)
    told = " and ".join(TOPICS.get(topic, topic) for topic in topics)
    text = text or BODY.format(f"STORY {number} &amp; MORE", f"caf\xe9 &lt;XYZ.O> {told}")
    cgi = {"TRAIN": "TRAINING-SET", "TEST": "PUBLISHED-TESTSET"}.get(lewis, "NOT-USED")
    return STORY.format(number=number, topics=listed, lewis=lewis, seen=seen, cgi=cgi, text=text)


FIRST = "".join(story(number, [topic]) for number, topic in enumerate(TOPICS, 1))
SECOND = "".join(story(number, [topic], "TEST") for number, topic in enumerate(TOPICS, 11))
THIRD = (
    story(21, ["cocoa", "coffee", "rye"])  # rye has no test document
    + story(22, ["rye"])
    + story(23)  # seen by an indexer, without a topic
    + story(24, ["cocoa"], seen="NO")
    + story(25, ["cocoa"], "NOT-USED")
    + story(26, ["cocoa"], "TEST", "BYPASS")
    + story(27, ["tea"], "TEST")  # no training document
    + story(28, ["coffee"], text=BRIEF.format("A BRIEF STORY"))
    + story(29, ["gas"], text=UNPROC.format("WARRANTS", "barrels of gas &#3;"))
)
GIVEN = "ROOT\tsoft\nROOT\thard\n" + "".join(
    f"{'soft' if topic in ('cocoa', 'coffee') else 'hard'}\t{topic}\n" for topic in TOPICS
)


@pytest.fixture
def raw(tmp_path):
    """The 22 files, most of them without a story, and others that the archive holds."""
    folder = tmp_path / "raw"
    folder.mkdir()
    for name, content in (dict.fromkeys(FILES, "") | dict(zip(FILES, (FIRST, SECOND, THIRD), strict=False))).items():
        (folder / name).write_text(HEAD + content, encoding="latin-1")
    (folder / "lewis.dtd").write_text("<!ELEMENT REUTERS>")
    (folder / "all-topics-strings.lc.txt").write_text("cocoa\n")
    return folder


@pytest.fixture
def groups(tmp_path):
    (tmp_path / "groups.tsv").write_text(GIVEN, encoding="utf-8")
    return tmp_path / "groups.tsv"


def test_splits_labels_and_text(raw, tmp_path):
    corpus = read_corpus(get("reuters90", given=raw, to=tmp_path / "made").folder)
    found = {
        name: (split, labels) for name, split, labels in zip(corpus.ids, corpus.splits, corpus.labels, strict=True)
    }
    assert [name for name, (split, _) in found.items() if split == "train"] == [
        *map(str, range(1, 9)),
        "21",
        "28",
        "29",
    ]
    assert found["21"] == ("train", ["cocoa", "coffee"])
    assert [name for name, (split, _) in found.items() if split == "train-extra"] == ["22", "23"]
    assert found["22"][1] == found["23"][1] == []
    assert [name for name, (split, _) in found.items() if split == "test"] == [*map(str, range(11, 19)), "27"]
    assert found["27"] == ("test", []), "a test document with none of the categories stays"
    texts = dict(zip(corpus.ids, corpus.documents, strict=True))
    assert texts["1"].splitlines()[:2] == ["STORY 1 & MORE", "caf\xe9 <XYZ.O> cocoa beans from the farms of bahia"]
    assert texts["28"] == "A BRIEF STORY\n******\nCoffee beans from the farms."
    assert texts["29"] == "WARRANTS <TST> barrels of gas"


def test_four_groups_by_clustering_the_same_every_time(raw, tmp_path):
    one, two = (get("reuters90", given=raw, to=tmp_path / name).folder for name in ("one", "two"))
    tree = read_corpus(one).hierarchy
    assert (one / "hierarchy.tsv").read_bytes() == (two / "hierarchy.tsv").read_bytes()
    names = [tree.names[top] for top in tree.tops]
    assert names == [f"group-{number}" for number in range(1, GROUPS + 1)]
    assert sorted(tree.names[leaf] for leaf in tree.leaves) == sorted(TOPICS)
    together = {frozenset(tree.names[child] for child in tree.child_positions(int(top))) for top in tree.tops}
    assert together == {
        frozenset(pair) for pair in (("cocoa", "coffee"), ("gold", "silver"), ("crude", "gas"), ("earn", "acq"))
    }


def test_no_more_groups_than_categories(raw, tmp_path):
    from classmark.data.sets.reuters21578 import _all_stories

    stories = [one for one in _all_stories(sorted(raw.iterdir())) if set(one.labels or ()) <= {"cocoa", "gold"}]
    tree = clustered(split_up(stories))
    assert [tree.names[top] for top in tree.tops] == ["group-1", "group-2"]


def test_groups_of_a_file(raw, tmp_path, groups):
    folder = get("reuters90", given=raw, to=tmp_path / "made", groups=groups).folder
    tree = read_corpus(folder).hierarchy
    assert [tree.names[top] for top in tree.tops] == ["soft", "hard"]
    assert tree.paths("cocoa") == [("soft", "cocoa")]


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("hard\tgas\n", "", "groups.tsv: the category 'gas' is in no group; add a line GROUP<TAB>gas"),
        ("hard\tgas\n", "hard\tgas\nhard\trye\n", "groups.tsv: 'rye' is none of the 8 categories; take it out"),
    ],
)
def test_groups_that_do_not_fit(raw, tmp_path, groups, old, new, words):
    groups.write_text(GIVEN.replace(old, new), encoding="utf-8")
    with pytest.raises(ValueError, match=words):
        get("reuters90", given=raw, to=tmp_path / "made", groups=groups)
    assert list((tmp_path / "made").iterdir()) == []


def test_groups_for_a_corpus_that_has_its_own(raw, tmp_path, groups):
    with pytest.raises(ValueError, match="reuters21578: has a hierarchy of its own; give groups for reuters90 alone"):
        get("reuters21578", given=raw, to=tmp_path / "made", groups=groups)
    with pytest.raises(FileNotFoundError, match=r"none\.tsv: no such file; give one of parent<TAB>child lines"):
        get("reuters90", given=raw, to=tmp_path / "made", groups=tmp_path / "none.tsv")


def test_an_archive(raw, tmp_path):
    packed = tmp_path / "packed"
    packed.mkdir()
    content = tar_gz({file.name: file.read_text(encoding="latin-1") for file in raw.iterdir()})
    (packed / "reuters21578.tar.gz").write_bytes(content)
    one, two = (get("reuters90", given=given, to=tmp_path / given.name / "made").folder for given in (raw, packed))
    assert (one / "docs.jsonl.gz").read_bytes() == (two / "docs.jsonl.gz").read_bytes()


def test_a_file_that_is_missing(raw, tmp_path):
    (raw / "reut2-017.sgm").unlink()
    with pytest.raises(ValueError, match=r"there is no file called reut2-017\.sgm; give all 22"):
        get("reuters90", given=raw, to=tmp_path / "made")
    assert list((tmp_path / "made").iterdir()) == []


def test_no_category_on_both_sides(raw, tmp_path):
    (raw / FILES[1]).write_text(HEAD)
    with pytest.raises(ValueError, match="no category has a training and a test document; get all files"):
        get("reuters90", given=raw, to=tmp_path / "made")


@pytest.mark.filterwarnings("default:.*in the published corpus")
def test_other_sizes_than_the_published_ones_are_told_of(raw, tmp_path):
    with pytest.warns(UserWarning, match=r"train has 11 documents, 7,770.*published corpus"):
        get("reuters90", given=raw, to=tmp_path / "made")


def test_the_sizes_are_those_of_the_real_corpus(corpora):
    real = read_corpus(corpora / "reuters90")
    assert {split: real.splits.count(split) for split in SIZES} == SIZES
    assert len(real.hierarchy.leaves) == 90


def test_splits_of_the_real_corpus_come_back(corpora):
    from classmark.data.formats.records import Record

    real = read_corpus(corpora / "reuters90")
    rows = zip(real.ids, real.documents, real.labels, real.splits, strict=True)
    stories = [Record(1, name, text, labels, split.split("-")[0]) for name, text, labels, split in rows]
    made = split_up(stories)
    assert [story.split for story in made] == real.splits
    assert [story.labels for story in made] == real.labels
    tree = clustered(made)
    assert (len(tree.tops), len(tree.leaves)) == (GROUPS, 90)
