"""`validation`: a cut of the training documents, drawn by the seed, and the cosine of label sets."""

import pytest

from reproductions import Surroundings, find_tables
from reproductions.experiments import EXPERIMENTS
from reproductions.experiments.validation import Validation
from tests.reproductions.toys import TRAIN, write_corpus


@pytest.fixture
def surroundings(tmp_path):
    # Every text three times: two of them are left to learn from when one is cut.
    write_corpus(tmp_path / "data" / "thrice", {"train": TRAIN * 3})
    return Surroundings(tmp_path / "data")


def run(surroundings, **changes):
    (found,) = EXPERIMENTS["validation"].run([Validation(corpus="thrice", **changes)], surroundings)
    return found


def test_what_was_seen_is_known_again(surroundings):
    found = run(surroundings, method="knn-bm25", settings={"k": 1}, documents=1)
    assert found["documents"] == 1
    assert found["cosine"] == pytest.approx(1)
    assert found["hierarchical.hf"] == 1
    assert found["seconds_a_document"] > 0


def test_the_cut_is_the_seed_s(surroundings):
    condition = {"method": "majority", "documents": 5}
    assert run(surroundings, **condition)["cosine"] == run(surroundings, **condition)["cosine"]
    assert 0 <= run(surroundings, **condition)["cosine"] < 1
    assert run(surroundings, **condition)["documents"] == 5


def test_what_cannot_be_cut_is_said(surroundings):
    with pytest.raises(ValueError, match=f"{3 * len(TRAIN)} labelled documents, and 999 to measure on"):
        run(surroundings, method="majority", documents=999)
    with pytest.raises(ValueError, match=r"documents=0.*>= 1"):
        Validation(corpus="thrice", method="majority", documents=0).check()


class TestTables:
    def test_what_the_text_says(self):
        tables = find_tables("lshtc_knn_2014")
        k, alpha = (tables[name].parts[0].rows for name in ("table_1", "table_2"))
        best = max(k, key=lambda row: (row.reported["cosine"], -row.at["settings"]["k"]))
        assert best.at == {"settings": {"k": 50}}
        assert max(alpha, key=lambda row: row.reported["cosine"]).at == {"settings": {"alpha": 0.75}}
        final = [row for row in tables["final_result"].parts[0].rows if row.reported]
        assert [(row.at["method"], row.reported) for row in final] == [
            ("knn-bm25-paper", {"cosine": 0.1888, "seconds": 0.275})
        ]

    def test_every_row_is_run_on_both_corpora(self):
        for table in find_tables("lshtc_knn_2014").values():
            first, second = ([row.at for row in part.rows] for part in table.parts)
            assert first == second
