"""Trials that are kept are not made again, and what was stopped chooses what it would have chosen."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_array

from classmark import TextClassifier
from classmark.auto.record import FIRST_MODEL, LOG, Record, Trial, delete_trials
from classmark.auto.search import Search
from classmark.auto.settings import AutoSettings
from classmark.auto.workshop import Problem
from classmark.data.stored import FeatureRows
from classmark.ensembles.out_of_fold import OutOfFold
from classmark.labels import encode
from tests.auto.problems import TREE, search, texts

ROOT = Path(__file__).parents[2]
SLOW = """
import sys, time
from classmark.auto.workshop import Workshop
from tests.auto.problems import search, texts

learn, done = Workshop.try_alone, []

def slowly(self, candidate, rows):
    if len(done) == 2:
        print("third", flush=True)
        time.sleep(600)
    done.append(candidate)
    return learn(self, candidate, rows)

Workshop.try_alone = slowly
search(*texts(), folder=sys.argv[1], methods="nb-plus,nb,knn-bm25").run()
"""


def test_scores_there_and_back(tmp_path):
    record = Record(tmp_path / "trials", {}, resume=False)
    scores = np.array([[1.0, -np.inf], [0.25, 3.0]])
    found = OutOfFold(np.array([0, 2]), [(np.array([1, 2]), np.array([0]))], [scores], [scores + 1])
    record.add(Trial("nb", {"smoothing": 2.0}, 9, 0.5, "scut"), found)
    again = Record(tmp_path / "trials", {}, resume=True)
    trial = again.find("nb", {"smoothing": 2.0}, 9)
    assert trial == record.trials[0]
    kept = again.scores(trial)
    assert kept.rows.tolist() == [0, 2]
    assert np.array_equal(kept.nodes[0], scores)
    assert np.array_equal(kept.own[0], scores + 1)
    assert [part.tolist() for part in kept.folds[0]] == [[1, 2], [0]]
    delete_trials(tmp_path / "trials")
    assert not (tmp_path / "trials").exists()


def test_a_search_that_was_killed_loses_one_trial_at_most(tmp_path):
    methods = {"methods": "nb-plus,nb,knn-bm25"}
    folder = tmp_path / "trials"
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    process = subprocess.Popen([sys.executable, "-c", SLOW, str(folder)], stdout=subprocess.PIPE, env=environment)
    assert process.stdout.readline() == b"third\n"
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()
    assert len((folder / LOG).read_text().splitlines()) == 1 + 2
    resumed = search(*texts(), folder=folder, resume=True, **methods)
    before = list(resumed.record.trials)
    found = resumed.run()
    assert found.trials[:2] == before
    whole = search(*texts(), **methods).run()
    assert (found.candidate, found.decision, found.expected) == (whole.candidate, whole.decision, whole.expected)
    assert [(one.method, one.score) for one in found.trials] == [(one.method, one.score) for one in whole.trials]


def test_a_line_that_was_cut_off_is_made_again(tmp_path):
    first = search(*texts(), folder=tmp_path / "trials")
    found = first.run()
    log = tmp_path / "trials" / LOG
    log.write_bytes(log.read_bytes()[:-9])
    again = search(*texts(), folder=tmp_path / "trials", resume=True).run()
    assert again.candidate == found.candidate
    assert [one.score for one in again.trials] == [one.score for one in found.trials]


def test_what_cannot_be_resumed(tmp_path):
    folder = tmp_path / "trials"
    with pytest.raises(ValueError, match="there are no trials to go on from; leave --resume out"):
        search(*texts(), folder=folder, resume=True)
    search(*texts(), folder=folder).run()
    with pytest.raises(ValueError, match="the trials of a search that was stopped; resume it, or delete the folder"):
        search(*texts(), folder=folder)
    with pytest.raises(ValueError, match=r"another search \(measure\)"):
        search(*texts(), folder=folder, resume=True, measure="first")
    with pytest.raises(ValueError, match=r"another search \(documents\)"):
        search(*texts(90), folder=folder, resume=True)
    (folder / LOG).write_text("owl\n")
    with pytest.raises(ValueError, match="not a record"):
        search(*texts(), folder=folder, resume=True)


def test_a_model_file_has_all_trials(tmp_path):
    settings = {"budget": None, "methods": "nb-plus,nb"}
    told = {"uris": {TREE.names[0]: "http://a/1"}, "notations": {TREE.names[0]: "598"}}
    model = TextClassifier("auto", settings=settings, hierarchy=TREE, **told)
    model.fit(*texts(), checkpoint=tmp_path / "trials")
    lines = [json.loads(line) for line in (tmp_path / "trials" / LOG).read_text().splitlines()[1:]]
    assert [one["score"] for one in lines] == [one["score"] for one in model.search_["trials"]]
    first = TextClassifier.load(tmp_path / "trials" / FIRST_MODEL)
    assert (first.method, first.uris, first.notations) == ("nb-plus", *told.values())
    assert first.score(*texts(50, seed=1)) > 0.6


def test_documents_with_other_words_are_another_search(tmp_path):
    documents, labels = texts()
    search(documents, labels, folder=tmp_path / "trials")
    with pytest.raises(ValueError, match=r"another search \(documents\)"):
        search([*documents[:-1], "other words"], labels, folder=tmp_path / "trials", resume=True)


def test_search_of_feature_rows_reads_no_row_for_its_fingerprint(tmp_path, monkeypatch):
    _, labels = texts()
    matrix = csr_array(np.random.default_rng(0).poisson(0.3, (len(labels), 30)))
    other = matrix.copy()
    other.data[-1] += 1
    settings = AutoSettings(budget=None, methods="nb-plus,nb")

    def begin(features, resume):
        return Search(Problem(features, encode(labels, TREE), None, {}, 0, 1), settings, folder=tmp_path, resume=resume)

    with monkeypatch.context() as patch:
        patch.delattr(FeatureRows, "__getitem__")
        begin(FeatureRows(matrix), resume=False)
        begin(FeatureRows(matrix.copy()), resume=True)
    with pytest.raises(ValueError, match=r"the trials are of another search \(documents\)"):
        begin(FeatureRows(other), resume=True)
