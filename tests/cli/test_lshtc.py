"""From files of the challenge's kind through all commands."""

import json
import re
from pathlib import Path

import pytest

from benchmarks.synthetic_lshtc import write_lshtc
from classmark import limits


@pytest.fixture
def files(tmp_path) -> Path:
    place = tmp_path / "files"
    write_lshtc(place, 600, n_categories=30, n_terms=400)
    return place


def test_the_way_through(run, files, tmp_path):
    model, answers = tmp_path / "model", tmp_path / "answers.jsonl"
    for method in ("knn-bm25", "knn-bm25-paper", "knn-bm25-hier"):
        asked = ("--hierarchy", files / "hierarchy.txt", "-m", method, "-o", model, "--json")
        result = json.loads(run("train", files / "train.lshtc", *asked).out)
        assert result["documents"] == 600
        run("predict", model, files / "test.lshtc", "-o", answers)
        assert len(answers.read_text().splitlines()) == 60
        result = json.loads(run("evaluate", model, files / "test.lshtc", "--json").out)
        assert (result["documents"], result["hierarchical"]["hf"] > 0.2) == (60, True)


def test_a_method_that_cannot_says_so_before_it_learns(refused, files, tmp_path, monkeypatch):
    monkeypatch.setattr(limits, "available_memory", lambda: 1000.0)
    said = refused(
        "train", files / "train.lshtc", "--hierarchy", files / "hierarchy.txt", "-m", "nb", "-o", tmp_path / "m"
    )
    assert re.search(r"of memory.*\(chances of", said)
    assert "knn-bm25 and knn-bm25-hier" in said
    assert not (tmp_path / "m").exists()
