import pytest

from reproductions.tables import changed, entry, find_tables, papers, parse_table
from tests.reproductions.toys import TABLE, with_change


def test_a_condition_is_the_tables_the_parts_and_the_rows(table):
    part = table.part("SVM")
    assert table.condition_of(part, part.rows[1]) == {
        "experiment": "method",
        "corpus": "animals",
        "method": "linear-svm",
        "settings": {"C": 10, "stemmer": "none"},
    }
    assert table.part("SVM").condition["settings"] == {"C": 1, "stemmer": "none"}


def test_a_quick_run_may_change_the_condition():
    table = parse_table(TABLE.replace("[quick.most]", '[quick.condition]\ncorpus = "few"\n\n[quick.most]'))
    part = table.parts[0]
    assert table.condition_of(part, part.rows[0], quick=True)["corpus"] == "few"
    assert table.condition_of(part, part.rows[0])["corpus"] == "animals"


def test_a_table_inside_replaces_what_is_no_table():
    assert changed({"settings": 1}, {"settings": {"C": 1}}) == {"settings": {"C": 1}}
    assert changed({"settings": {"C": 1}}, {"settings": 1}) == {"settings": 1}


def test_an_entry_that_is_not_there():
    assert entry({"settings": {"C": 1}}, "settings.N") is None
    assert entry({"method": "x"}, "method.C") is None


def test_tables_by_name():
    assert list(papers()) == sorted(papers())
    assert {"adaboost_mh_kr_2000", "treeboost_mh_2006"} < set(papers())
    assert list(find_tables("adaboost_mh_kr_2000")) == ["table_1", "table_2"]
    assert find_tables("adaboost_mh_kr_2000", "2") == find_tables("adaboost_mh_kr_2000", "table_2")


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (("nonsense",), "no paper is called 'nonsense'; there is adaboost_mh_kr_2000, "),
        (("treeboost_mh_2006", "7"), "treeboost_mh_2006 has no table '7' here; there is table_1"),
    ],
)
def test_names_that_there_are_not(names, words):
    with pytest.raises(ValueError, match=words):
        find_tables(*names)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("{ micro = 1.0 }", "{ micor = 1.0 }", "the part 'SVM' has the figure 'micor', which is no measure"),
        ('title = "SVM"', 'title = "majority"', "two parts are called 'majority'"),
        ('title = "SVM"', 'title = "SVM"\nagainst = "SMV"', "stands against 'SMV', which is no part"),
        ('about = "F1 over the leaves."', "", "missing required field `about`"),
        ("verdict = false", "verdct = false", "unknown field `verdct`"),
    ],
)
def test_a_table_that_is_wrong(old, new, words):
    with pytest.raises(ValueError, match=words):
        parse_table(with_change(TABLE, old, new))
