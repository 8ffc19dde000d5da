"""The first rounds of the papers' tables on the real corpus."""

import msgspec
import pytest

from reproductions import Surroundings, find_tables, run_table


@pytest.mark.parametrize("title", ["AdaBoost.MH (Full)", "TreeBoost.MH (Full)", "TreeBoost.MH (Glocal)"])
def test_boosting_on_reuters_gives_what_the_paper_reports(corpora, cache, title):
    table = find_tables("treeboost_mh_2006")["table_1"]
    part = table.part(f"Reuters-21578: {title}")
    short = msgspec.structs.replace(part, against=None, rows=[row for row in part.rows if row.at["rounds"] <= 50])
    result = run_table(msgspec.structs.replace(table, parts=[short]), Surroundings(corpora), cache)
    assert result.counts == {"within": 8, "above": 0, "below": 0, "not run": 0, "no claim": 0}


def test_the_committee_on_reuters_gives_what_the_paper_reports(corpora, cache):
    table = find_tables("adaboost_mh_kr_2000", "1")["table_1"]
    at = {"rounds": 100, "settings": {"committee": "growing,step=1,every=20"}}
    part = msgspec.structs.replace(table.parts[0], rows=[row for row in table.parts[0].rows if row.at == at])
    (row,) = run_table(msgspec.structs.replace(table, parts=[part]), Surroundings(corpora), cache).parts[0].rows
    assert row.cells["micro"].verdict == "within"
    assert row.cells["hypotheses"].ours == 20 * (1 + 2 + 3 + 4 + 5) == row.cells["hypotheses"].reported
