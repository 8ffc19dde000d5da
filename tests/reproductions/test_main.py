"""`python -m reproductions`."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from classmark.cli import main
from reproductions.__main__ import app
from tests.cli.conftest import run_here
from tests.reproductions.test_comparisons import TABLE as SIGNIFICANCE
from tests.reproductions.toys import TABLE, write_corpus

ROOT = Path(__file__).parents[2]


def reproduce(*arguments, code=0):
    result = run_here(*arguments, program=lambda: main(app))
    assert result.code == code, result.err
    return result


@pytest.fixture
def inside(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def toys(inside, monkeypatch):
    """A paper of one table, and the folder with its corpus."""
    (inside / "papers" / "toys").mkdir(parents=True)
    (inside / "papers" / "toys" / "table_3.toml").write_text(TABLE, encoding="utf-8")
    monkeypatch.setattr("reproductions.tables.FOLDER", inside / "papers")
    write_corpus(inside / "data" / "animals")
    return "toys"


def test_the_papers_are_listed_with_what_they_need(inside):
    said = reproduce().out.splitlines()
    assert said[0].startswith("adaboost_mh_kr_2000: F. Sebastiani, ")
    assert "  table_1: AdaBoost.MH and TreeBoost.MH on Reuters-21578 and RCV1-v2; needs" in said[-1]
    assert said[-1].endswith("needs reuters90 (not here), rcv1v2 (not here), rcv1v2_sample (not here)")
    write_corpus(inside / "data" / "reuters90")
    assert "needs reuters90 (here), rcv1v2 (not here), " in reproduce("--data", "data").out.splitlines()[-1]


def test_the_list_as_json():
    listed = reproduce("--json").json
    assert [paper["paper"] for paper in listed] == [
        "adaboost_mh_kr_2000",
        "consistent_global_2006",
        "lshtc_knn_2014",
        "path_prediction_2019",
        "treeboost_mh_2006",
    ]
    assert listed[0]["tables"][1]["corpora"]["reuters90"].startswith("needs the corpus reuters90")


def test_a_table_is_printed(toys):
    lines = reproduce(toys, "--data", "data").out.splitlines()
    assert lines[0] == "toys, table_3: Two methods on animals"
    assert lines[2] == "majority"
    claim = "reported ours difference verdict"
    assert " ".join(lines[3].split()) == f"method C micro-F1: {claim} hF: {claim}"
    assert " ".join(lines[4].split()) == "majority – 0.900 0.444 -0.456 below 0.50 0.56 +0.06 within"
    assert "  method linear-svm, C 10: as printed" in lines
    assert lines[-2:] == ["note: The numbers are invented.", "table_3: 2 within, 1 below, 2 no claim"]


def test_p_values_stand_beside_verdicts(toys, inside):
    (inside / "papers" / "toys" / "table_3.toml").write_text(SIGNIFICANCE, encoding="utf-8")
    lines = reproduce(toys, "--data", "data").out.splitlines()
    claim = "reported ours difference verdict"
    assert " ".join(lines[3].split()) == f"method micro-F1: {claim} p: reported ours verdict"
    row = lines[4].split()
    assert row[:2] == ["majority", "0.300"]
    assert " ".join(row[5:7]) == "< 0.08"
    assert any(re.search(r"^  p: two-sided .*method pcnb", line) for line in lines)
    assert lines[-1].endswith("of 1 significances hold")


def test_json_and_files(toys, inside):
    (inside / "docs").mkdir()
    done = reproduce(toys, "3", "--data", "data", "--json", "--write", "docs", "--seed", "7", "--jobs", "1")
    (result,) = done.json
    assert result["seed"] == 7
    assert result["counts"]["below"] == 1
    assert json.loads((inside / "docs" / "toys_table_3.json").read_text(encoding="utf-8")) == result
    assert "# Two methods on animals" in (inside / "docs" / "toys_table_3.md").read_text(encoding="utf-8")
    assert done.err == "wrote docs/toys_table_3.md\nwrote docs/toys_table_3.json\n"


def test_measured_values_are_kept(toys, inside, monkeypatch):
    first = reproduce(toys, "--data", "data").out
    assert len(list((inside / "cache" / "classmark" / "reproductions").iterdir())) == 3
    reproduce(toys, "--data", "data", "--cache", "kept", "--quick")
    assert len(list((inside / "kept").iterdir())) == 2
    monkeypatch.setattr("reproductions.experiments.learning.learn", lambda *_: pytest.fail("it trained"))
    assert reproduce(toys, "--data", "data").out == first
    with pytest.raises(pytest.fail.Exception, match="it trained"):
        reproduce(toys, "--data", "data", "--fresh")


def test_strict_fails_on_a_miss(toys, inside):
    options = [toys, "--data", "data"]
    strict = reproduce(*options, "--strict", code=1)
    assert (strict.out, strict.err) == (reproduce(*options).out, "")
    (inside / "papers" / "toys" / "table_3.toml").write_text(TABLE.replace("micro = 0.9,", "micro = 0.444,"))
    reproduce(*options, "--strict")


def test_without_the_corpus_it_says_how_to_get_it(toys):
    done = reproduce(toys, "--write", ".")
    assert done.err == "table_3: nothing was run, so nothing is written\n"
    said = done.out
    assert "not run: needs the corpus animals: a dataset folder" in said
    assert said.endswith("table_3: 3 not run, 2 no claim\n")


def test_write_fails_if_a_verdict_is_worse_than_the_one_written(toys, inside):
    options = [toys, "--data", "data", "--write", "."]
    reproduce(*options)
    reproduce(*options)
    table = inside / "papers" / "toys" / "table_3.toml"
    table.write_text(TABLE.replace("hf = 1.0", "hf = 0.01"), encoding="utf-8")
    worse = reproduce(*options, code=1)
    assert worse.err.splitlines()[-1] == "worse: table_3: majority method majority, C None hF: within before, now above"
    assert json.loads((inside / "toys_table_3.json").read_text(encoding="utf-8"))["counts"]["above"] == 1
    reproduce(*options)
    table.write_text(TABLE, encoding="utf-8")
    reproduce(*options)


def test_write_compares_no_row_that_is_not_run(toys, inside):
    reproduce(toys, "--data", "data", "--write", ".")
    documents = inside / "data" / "animals"
    documents.rename(inside / "elsewhere")
    assert reproduce(toys, "--data", "data", "--write", ".").err == "table_3: nothing was run, so nothing is written\n"


def test_write_damaged_result_is_named(toys, inside):
    (inside / "toys_table_3.json").write_text("[]", encoding="utf-8")
    assert "toys_table_3.json: no result of a table" in reproduce(toys, "--data", "data", "--write", ".", code=2).err


def test_ctrl_c_keeps_what_is_measured(inside, toys):
    program = """
import sys, time
from pathlib import Path
import reproductions.tables as tables, reproductions.experiments.learning as learning
from classmark.cli import main
from reproductions.__main__ import app
tables.FOLDER = Path("papers")
learn, fits = learning.learn, []
def stopping(*given):
    fits.append(given)
    if len(fits) == 2:
        print("second", flush=True)
        time.sleep(60)
    return learn(*given)
learning.learn = stopping
main(app)
"""
    process = subprocess.Popen(
        [sys.executable, "-c", program, toys, "--data", "data", "--cache", "kept"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])},
    )
    assert process.stdout.readline() == b"second\n"
    time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (1, b"")
    assert err == b"classmark: interrupted; what is measured is kept, and the same command goes on from here\n"
    assert len(list((inside / "kept").iterdir())) == 1


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (
            ["nonsense"],
            r"no paper.*'nonsense'; there is adaboost_mh_kr_2000, consistent_global_2006, lshtc_knn_2014",
        ),
        (["treeboost_mh_2006", "2"], "treeboost_mh_2006 has no table '2' here; there is table_1"),
        (["treeboost_mh_2006", "--data", "nowhere"], "nowhere: no such folder"),
        (["treeboost_mh_2006", "--write", "nowhere"], "nowhere: no such folder"),
        (["--jobs", "0"], "jobs=0"),
    ],
)
def test_wrong_requests(inside, options, words):
    result = reproduce(*options, code=2)
    assert re.search(words, result.err)
    assert (result.out, result.err.count("\n")) == ("", 1)
    assert not list(inside.iterdir())
