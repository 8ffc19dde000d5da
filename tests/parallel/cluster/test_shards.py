"""A corpus in shards, read, counted and learned from by real workers: the model files and answers of one machine."""

import json
import os
import re
import signal
import warnings
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("distributed")

from classmark import Hierarchy, TextClassifier
from classmark.data import Corpus, read_corpus, write_corpus
from classmark.generative import em
from classmark.parallel.cluster.residents import ClusterResidents
from classmark.parallel.cluster.watching import ClusterLostError
from classmark.parted import PartedMatrix
from classmark.service import judging, predictions
from tests.farms import Farm, until
from tests.parallel.cluster.problems import TREE, corpus, partly

METHODS = {
    "PCEM": ("pcem", {}),
    "PCEM, scaled": ("pcem-plus", {"settings": {"trust": "full"}}),
    "naive Bayes of terms that are selected": ("nb", {"selection": "chi-square,n_terms=60"}),
    "AdaBoost.MH": ("adaboost-mh", {"settings": {"n_estimators": 12}, "decision": "threshold"}),
    "AdaBoost.MH^KR": ("adaboost-mh-kr", {"settings": {"n_estimators": 8, "committee": "growing,step=2,every=3"}}),
    "linear-svm with S-cut": ("linear-svm", {"decision": "scut"}),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Texts in five shards, a third of them labelled; the last shards have the splits `train` and `test`."""
    place = tmp_path_factory.mktemp("corpus") / "shards"
    texts, labels = corpus()
    splits = ["test" if row % 7 == 3 else "train" for row in range(len(texts))]
    ids = [f"d{row}" for row in range(len(texts))]
    write_corpus(
        Corpus(ids, texts, partly(labels), splits, Hierarchy.from_nested(TREE), source="words"), place, shards=5
    )
    return place


@pytest.fixture(autouse=True)
def several_leaves(monkeypatch):
    monkeypatch.setattr(em, "WORTH_A_LEAF", 1e-3)


def trained(data, folder, name, **how):
    """Give a model file."""
    method, given = METHODS[name]
    part = read_corpus(data, stored=True).part(["train"], "train")
    model = TextClassifier(method, hierarchy=part.hierarchy, **given)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "left out")
        warnings.filterwarnings("ignore", ".* shards for")
        model.fit(part.documents, part.labels, **how)
    model.save(folder / "model")
    return (folder / "model").read_bytes()


@pytest.fixture(scope="module")
def expected(folder, tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(em, "WORTH_A_LEAF", 1e-3)
        return {name: trained(folder, tmp_path_factory.mktemp("models"), name) for name in METHODS}


def left_behind(place):
    return [data for data in place.client.has_what().values() if data]


SLOW_2, SLOW_5 = (pytest.param(workers, marks=pytest.mark.slow) for workers in (2, 5))


@pytest.mark.parametrize("workers", [1, SLOW_2, 3, SLOW_5])
def test_the_same_model_files(farm, folder, tmp_path, expected, workers, monkeypatch):
    gathered = []
    monkeypatch.setattr(PartedMatrix, "gathered", lambda X, real=PartedMatrix.gathered: gathered.append(X) or real(X))
    with farm.cluster(workers) as place:
        for name in METHODS:
            assert trained(folder, tmp_path, name) == expected[name], name
            # All rows came here for the one method that needs them together, and for it alone.
            assert bool(gathered) == (name == "linear-svm with S-cut"), name
        until(lambda: not left_behind(place), "the end of what was sent")


seen_before = pytest.mark.filterwarnings("ignore:the model was trained on")
"""Some of these texts have the same words."""


@seen_before
def test_workers_that_were_started_in_another_folder(farm, folder, tmp_path, expected, monkeypatch):
    monkeypatch.chdir(folder.parent)
    with farm.cluster(2):
        assert trained(folder.name, tmp_path, "PCEM") == expected["PCEM"]
        (tmp_path / "model").write_bytes(expected["PCEM"])
        assert judging.evaluate(str(tmp_path / "model"), folder.name).documents == 8
        predictions.write_predictions(str(tmp_path / "model"), folder.name, f"{tmp_path}/out/")


@pytest.mark.parametrize("attempt", range(4))
def test_a_worker_killed_while_shards_are_read_or_learned_from(farm, folder, tmp_path, expected, monkeypatch, attempt):
    """Whatever it was asked last: its shards are read again by another, and all that was done is done again."""
    name = ["PCEM", "AdaBoost.MH"][attempt % 2]
    asked, real, random = [], ClusterResidents._ask, np.random.default_rng(attempt)
    with farm.cluster(2):
        monkeypatch.setattr(ClusterResidents, "_ask", lambda *given: asked.append(given[1:]) or real(*given))
        trained(folder, tmp_path, name)
    doomed = int(random.integers(1, len(asked) - 1))
    asked.clear()

    def ask(self, part, message):
        asked.append(part)
        found = real(self, part, message)
        if len(asked) == doomed:
            os.kill(farm.workers[attempt // 2].pid, signal.SIGKILL)
        return found

    with farm.cluster(2) as place:
        monkeypatch.setattr(ClusterResidents, "_ask", ask)
        assert trained(folder, tmp_path, name) == expected[name]
        assert place.lost >= 1
        until(lambda: not left_behind(place), "the end of what was sent")


def at_step(number, act):
    """Give what asks parts as ever, and does something before they take a step of boosting for the n-th time."""
    steps, real = [], ClusterResidents.ask

    def ask(self, method, *arguments):
        if method == "step":
            steps.append(method)
            if len(steps) == number:
                act()
        return real(self, method, *arguments)

    return ask


def test_two_workers_of_three_killed_at_once(farm, folder, tmp_path, expected, monkeypatch):
    """A part that is made anew asks another one that is lost as well."""

    def kill():
        for worker in farm.workers[:2]:
            worker.kill()

    monkeypatch.setattr(ClusterResidents, "ask", at_step(5, kill))
    with farm.cluster(3) as place:
        assert trained(folder, tmp_path, "AdaBoost.MH") == expected["AdaBoost.MH"]
        assert place.lost >= 2


def test_a_lost_scheduler_leaves_a_checkpoint_that_one_machine_goes_on_from(folder, tmp_path, expected, monkeypatch):
    """The documents are known again by their rows, wherever these are."""
    farm, kept = Farm(tmp_path), tmp_path / "model.checkpoint"
    monkeypatch.setattr(ClusterResidents, "ask", at_step(6, farm.scheduler.kill))
    lost = r"scheduler at tcp://.* has gone .*resume"
    try:
        with pytest.raises(ClusterLostError, match=lost), farm.cluster(2, patience=3):
            trained(folder, tmp_path, "AdaBoost.MH", checkpoint=kept)
    finally:
        farm.close()
    assert trained(folder, tmp_path, "AdaBoost.MH", checkpoint=kept, resume=True) == expected["AdaBoost.MH"]


def test_answers_in_shards(farm, folder, tmp_path, expected):
    (tmp_path / "model").write_bytes(expected["PCEM"])
    predictions.write_predictions(str(tmp_path / "model"), str(folder), str(tmp_path / "whole.jsonl"))
    with farm.cluster(3):
        written = predictions.write_predictions(str(tmp_path / "model"), str(folder), f"{tmp_path}/out/")
    files = sorted((tmp_path / "out").iterdir())
    assert [file.name for file in files] == [file.name for file in sorted(folder.glob("docs-*"))]
    assert written.documents == 23
    assert b"".join(file.read_bytes() for file in files) == (tmp_path / "whole.jsonl").read_bytes()


@seen_before
def test_how_good_a_model_is(farm, folder, tmp_path, expected):
    (tmp_path / "model").write_bytes(expected["PCEM"])
    given = {"everything": True, "categories": True, "errors": str(tmp_path / "wrong.jsonl")}
    here = judging.evaluate(str(tmp_path / "model"), str(folder), **given), (tmp_path / "wrong.jsonl").read_bytes()
    with farm.cluster(2):
        there = judging.evaluate(str(tmp_path / "model"), str(folder), **given)
    assert (there, (tmp_path / "wrong.jsonl").read_bytes()) == here
    assert here[0].documents == 8


def copied(folder: Path, target: Path) -> Path:
    target.mkdir()
    for file in folder.iterdir():
        (target / file.name).write_bytes(file.read_bytes())
    return target


class TestBadShards:
    """One line each, and nothing left on the workers."""

    @pytest.fixture
    def shards(self, folder, tmp_path):
        return copied(folder, tmp_path / "shards")

    def refused(self, farm, shards, tmp_path, work=None):
        with farm.cluster(2) as place:
            with pytest.raises((ValueError, FileNotFoundError)) as caught:
                (work or trained)(shards, tmp_path, "PCEM")
            until(lambda: not left_behind(place), "the end of what was sent")
        assert "\n" not in str(caught.value)
        return str(caught.value).removeprefix(f"{shards}/")

    def test_an_empty_shard(self, farm, shards, tmp_path):
        (shards / "docs-00003.jsonl").write_text("\n")
        assert re.match(r"docs-00003\.jsonl:.*shard is empty", self.refused(farm, shards, tmp_path))

    def test_a_shard_that_is_cut_off(self, farm, shards, tmp_path):
        content = (shards / "docs-00003.jsonl").read_text()
        (shards / "docs-00003.jsonl").write_text(content[:-20])
        assert self.refused(farm, shards, tmp_path).startswith("docs-00003.jsonl:32: ")

    def test_an_id_in_two_shards(self, farm, shards, tmp_path):
        with (shards / "docs-00004.jsonl").open("a") as file:
            file.write(json.dumps({"id": "d3", "text": "again"}) + "\n")
        assert "docs-00004.jsonl: document 33: the id 'd3' already stands at" in self.refused(farm, shards, tmp_path)

    @pytest.mark.parametrize("change", ["goes", "changes"])
    def test_a_shard_that_does_not_stay_what_it_was(self, farm, shards, tmp_path, change):
        def work(data, folder, name):
            part = read_corpus(data, stored=True)
            if change == "goes":
                (shards / "docs-00002.jsonl").unlink()
            else:
                (shards / "docs-00002.jsonl").write_text('{"text": "another"}\n')
            TextClassifier("pcem", hierarchy=part.hierarchy).fit(part.documents, part.labels)

        said = self.refused(farm, shards, tmp_path, work)
        assert said.startswith("docs-00002.jsonl: ")
        assert {"goes": "has gone since", "changes": "has changed since"}[change] in said

    def test_a_shard_that_goes_while_its_worker_is_replaced(self, farm, shards, tmp_path, monkeypatch):
        """Its documents cannot be counted again: that is said, and no model is made of the others."""
        real = ClusterResidents.ask

        def ask(self, method, *arguments):
            if method == "expect":
                for file in shards.glob("docs-*"):
                    file.unlink()
                os.kill(farm.workers[0].pid, signal.SIGKILL)
            return real(self, method, *arguments)

        monkeypatch.setattr(ClusterResidents, "ask", ask)
        assert "has gone" in self.refused(farm, shards, tmp_path)

    def test_unequal_shards_are_warned_of(self, farm, shards, tmp_path, expected):
        everything = [(shards / f"docs-0000{number}.jsonl").read_text() for number in range(5)]
        for number in range(1, 5):
            (shards / f"docs-0000{number}.jsonl").unlink()
        first, *others = "".join(everything).splitlines(keepends=True)
        (shards / "docs-00000.jsonl").write_text(first)
        (shards / "docs-00001.jsonl").write_text("".join(others))
        with farm.cluster(2), pytest.warns(UserWarning, match=r"docs-00001.jsonl: the shard has 99% of all bytes"):
            assert trained(shards, tmp_path, "PCEM") == expected["PCEM"]

    def test_fewer_shards_than_workers(self, farm, shards):
        with farm.cluster(6), pytest.warns(UserWarning, match=r"5 shards for 6.*none to read"):
            read_corpus(shards, stored=True)
