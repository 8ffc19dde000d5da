"""`--cluster`: the same output as without, and one line where there is no cluster."""

import json
import os
import re
import signal
from pathlib import Path

import pytest

pytest.importorskip("distributed")

from classmark.index import columns
from classmark.parallel.cluster import connecting
from classmark.parallel.cluster.connecting import Cluster
from tests.farms import Farm, until


def test_the_same_model_and_answers(run, farm, animals, tmp_path):
    """Train, predict, evaluate, tune and compare, with and without workers."""
    address = farm.exactly(2).address
    outputs = []
    for name, options in (("here", []), ("there", ["--cluster", address])):
        model = tmp_path / name
        run("train", animals, "-o", model, "-m", "adaboost-mh", "--set", "n_estimators=5", *options)
        answers = run("predict", model, animals, "--scores", *options)
        figures = run("evaluate", model, animals, "--json", *options)
        outputs.append((model.read_bytes(), answers.out, figures.out))
    assert outputs[0] == outputs[1]


def test_the_same_index_and_neighbours(run, farm, animals, monkeypatch):
    """Create, add, replace and search, with and without workers, which count the terms of some documents each."""
    monkeypatch.setattr(columns, "LETTERS_IN_A_TASK", 100)
    loops, in_order = [], Cluster.in_order

    def note(place, function, *arguments, **options):
        loops.append(function.__name__)
        return in_order(place, function, *arguments, **options)

    monkeypatch.setattr(Cluster, "in_order", note)
    address = farm.exactly(2).address
    outputs = []
    for name, options in (("here", []), ("there", ["--cluster", address])):
        made = run("index", "create", name, "--set", "stemmer=none", *options, "--json")
        added = [
            run("index", "add", name, animals, *split, *options, "--json").out for split in ((), ("--split", "test"))
        ]
        found = run("index", "search", name, animals, "-k", 3, *options)
        files = {path.name: path.read_bytes() for path in Path(name).iterdir()}
        outputs.append((made.out, added, found.out, files))
        assert loops == (["count_some"] * 2 if options else [])
    assert outputs[0] == outputs[1]


def test_an_index_by_workers_of_its_own(start, animals):
    process = start("index", "add", "birds", animals, "--cluster", "local:1", "--json")
    out, err = process.communicate()
    assert process.returncode == 0, err
    assert json.loads(out)["added"] == 15


@pytest.mark.parametrize("command", ["create", "add", "search"])
@pytest.mark.parametrize("where", ["tcp://127.0.0.1:1", "local:0", "somewhere"])
def test_an_index_without_a_cluster(run, refused, animals, monkeypatch, command, where):
    monkeypatch.setattr(connecting, "SECONDS_TO_CONNECT", 0.5)
    run("index", "add", "birds", animals)
    given = {"create": ("create", "new"), "add": ("add", "birds", animals), "search": ("search", "birds", animals)}
    assert f"cluster {where}" in refused("index", *given[command], "--cluster", where).replace("'", "")
    assert not Path("new").exists()


def test_ctrl_c_with_workers_of_its_own(start, animals, tmp_path):
    """A terminal sends it to all processes: the workers write nothing of it, and end with the command."""
    given = ("-m", "adaboost-mh", "--set", "n_estimators=20000", "-o", tmp_path / "model", "--cluster", "local:2")
    process = start("train", animals, *given, start_new_session=True)
    until((tmp_path / "model.checkpoint").is_file, "the checkpoint")
    os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 1
    assert re.fullmatch(
        r"(classmark: rounds: .*\n)*classmark: warning: interrupted: kept the \d+ of 20000 .*\n", err.decode()
    )
    until(lambda: is_gone(process.pid), "the end of the workers")


def is_gone(group):
    """Say whether no process of a group is left."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return True
    return False


def test_a_lost_scheduler_is_one_line_and_a_checkpoint(start, run, animals, tmp_path):
    """Dask's client gives up after ten seconds, and is closed then; one machine goes on from the checkpoint."""
    farm, model = Farm(tmp_path), tmp_path / "model"
    given = ("train", animals, "-m", "adaboost-mh", "--set", "n_estimators=20000", "-o", model)
    checkpoint = tmp_path / "model.checkpoint"
    try:
        process = start(*given, "--cluster", farm.exactly(1).address)
        until(checkpoint.is_file, "the checkpoint")
        farm.scheduler.kill()
        _, err = process.communicate()
    finally:
        farm.close()
    assert process.returncode == 1
    told = [line for line in err.decode().splitlines() if "rounds" not in line]
    assert len(told) == 1, err
    assert told[0].startswith(f"classmark: the scheduler at {farm.address} has gone")
    run(*given, "--resume")
    run(*given[:-1], tmp_path / "other")
    assert model.read_bytes() == (tmp_path / "other").read_bytes()


def test_nobody_at_the_address(refused, animals, tmp_path, monkeypatch):
    monkeypatch.setattr(connecting, "SECONDS_TO_CONNECT", 0.5)
    given = ("train", animals, "-o", tmp_path / "model", "--cluster", "tcp://127.0.0.1:1")
    assert "cluster tcp://127.0.0.1:1: nobody answered within" in refused(*given)


@pytest.mark.parametrize("where", ["local:none", "local:0", "ftp://somewhere"])
def test_what_is_no_cluster(refused, animals, tmp_path, where):
    assert where in refused("train", animals, "-o", tmp_path / "model", "--cluster", where)
