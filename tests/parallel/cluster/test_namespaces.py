"""Machines whose cables are pulled in the middle of the work, and plugged in again: the same bits, and no long wait.

A pulled cable says nothing to anybody: no connection is closed, and Dask itself notices after half a minute.
"""

import os
import subprocess
import threading
import time

import numpy as np
import pytest

pytest.importorskip("distributed")

from classmark import AdaBoostMH
from classmark.generative import em
from classmark.parallel import in_order
from classmark.parallel.cluster.residents import ClusterResidents
from classmark.parallel.cluster.tasks import LARGE, Loop
from classmark.parallel.cluster.watching import ClusterLostError
from tests.farms import Farm, until
from tests.parallel.cluster.namespaces import Network, NoNamespacesError, ip
from tests.parallel.cluster.problems import model_file
from tests.parallel.cluster.test_faults import ROUNDS, bits, problem

pytestmark = pytest.mark.slow

PATIENCE = 3.0
LONGEST = 20.0
"""Within so many seconds the work goes on: patience, and what busy cores take to begin anew. Dask would take 30."""


@pytest.fixture(scope="module")
def network():
    try:
        made = Network()
    except NoNamespacesError as error:
        pytest.skip(f"no network namespaces: {error}")
    yield made
    made.close()
    until(lambda: not made.left(), "the end of the network")


@pytest.fixture(scope="module")
def started(network, tmp_path_factory):
    made = Farm(tmp_path_factory.mktemp("farm"), network.machine)
    yield made
    made.close()


@pytest.fixture
def farm(network, started):
    """A scheduler and two workers, each on a machine of its own, all cables in, that have loaded what they need."""
    with started.cluster(2) as place:
        boost()
        assert all(address.startswith(f"tcp://10.77.{network.number}.") for address in place.watch.there)
    yield started
    network.mend_all()


def boost(callback=None, **given):
    return AdaBoostMH(ROUNDS, decision="threshold", callback=callback).fit(*problem(), **given)


@pytest.fixture(scope="module")
def expected():
    return bits(boost())


class At:
    """Do something once, when it is called for the n-th time, and note when it was called."""

    def __init__(self, number, act):
        self.number, self.act, self.times = number, act, []

    def __call__(self, *_):
        self.times.append(time.monotonic())
        if len(self.times) == self.number:
            self.act()

    @property
    def longest(self):
        """The longest time between two calls."""
        assert len(self.times) > self.number, "it was not called often enough"
        return max(np.diff(self.times))


def before(monkeypatch, owner, method, call):
    """Let something be called before each call of a method."""
    real = getattr(owner, method)

    def wrapped(self, *arguments):
        call()
        return real(self, *arguments)

    monkeypatch.setattr(owner, method, wrapped)


def drawn(seed, high):
    return int(np.random.default_rng(seed).integers(2, high))


def test_a_worker_killed_in_a_random_round(farm, expected):
    with farm.cluster(2) as place:
        assert bits(boost()) == expected
        assert place.lost == 0
        assert bits(boost(At(drawn(0, ROUNDS - 1), farm.workers[0].kill))) == expected
        assert place.lost >= 1


@pytest.mark.parametrize("spare", [False, True])
def test_a_worker_cut_off_in_a_random_round_and_brought_back(network, farm, expected, spare):
    """Its part goes to the other worker, or to one that has come since; what it says later counts no more."""
    victim = farm.workers[drawn(spare, 4) % 2]

    def cut():
        if spare:
            farm.start_worker()
            until(lambda: len(farm.known()) == 3, "the third worker")
        network.cut(victim.pid)
        cutting.times[-1] = time.monotonic()

    cutting = At(drawn(1 + spare, ROUNDS - 1), cut)
    with farm.cluster(2, patience=PATIENCE) as place:
        assert bits(boost(cutting)) == expected
        assert place.lost >= 1
        assert PATIENCE / 2 < cutting.longest < LONGEST
        assert bits(boost()) == expected
        network.mend(victim.pid)
        until(lambda: len(place.watch.workers("its return")) == 2 + spare, "the return of the worker")
        lost = place.lost
        assert bits(boost()) == expected
        assert place.lost == lost


def test_a_cut_that_heals_before_patience_ends(network, farm, expected):
    def cut():
        network.cut(farm.workers[0].pid)
        threading.Timer(1.5, network.mend, [farm.workers[0].pid]).start()

    cutting = At(drawn(4, ROUNDS - 1), cut)
    with farm.cluster(2, patience=20) as place:
        assert bits(boost(cutting)) == expected
        assert place.lost == 0
        assert 1 < cutting.longest < 20


def test_parts_and_tasks_begun_while_a_worker_is_cut_off(network, farm, expected):
    """Nobody knows it yet, and the first thing sent to it is never taken."""
    with farm.cluster(2, patience=PATIENCE) as place:
        for victim, work, answer in (
            (farm.workers[0], lambda: bits(boost()), expected),
            (farm.workers[1], lambda: list(in_order(pow, [(2,), (3,)], shared=(5,))), [25, 125]),
        ):
            until(lambda: len(place.watch.workers("both")) == 2, "both workers")
            network.cut(victim.pid)
            start = time.monotonic()
            assert work() == answer
            assert time.monotonic() - start < LONGEST
            network.mend(victim.pid)


@pytest.mark.parametrize("which", ["client", "scheduler"])
def test_a_scheduler_that_cannot_be_reached_leaves_a_checkpoint(network, farm, tmp_path, expected, which):
    kept = tmp_path / "model.checkpoint"
    process = {"client": os.getpid(), "scheduler": farm.scheduler.pid}[which]
    cutting = At(drawn(7, ROUNDS - 1), lambda: network.cut(process))
    with (
        pytest.raises(ClusterLostError, match=r"^the scheduler at tcp://10\.77\..*gone while waiting.*resume$"),
        farm.cluster(2, patience=PATIENCE),
    ):
        boost(cutting, checkpoint=kept)
    assert time.monotonic() - cutting.times[-1] < LONGEST
    network.mend(process)
    if which == "client":
        with farm.cluster(2):
            assert bits(boost(checkpoint=kept, resume=True)) == expected
    else:
        assert bits(boost(checkpoint=kept, resume=True)) == expected


def test_em_with_a_worker_cut_off(network, farm, tmp_path, monkeypatch):
    monkeypatch.setattr(em, "WORTH_A_LEAF", 1e-3)
    here = model_file(tmp_path, "pcem", unlabelled=True)
    with farm.cluster(2) as place:
        assert model_file(tmp_path, "pcem", unlabelled=True) == here
        questions = place.questions
    cutting = At(drawn(8, questions), lambda: network.cut(farm.workers[1].pid))
    before(monkeypatch, ClusterResidents, "ask", cutting)
    with farm.cluster(2, patience=PATIENCE) as place:
        assert model_file(tmp_path, "pcem", unlabelled=True) == here
        assert place.lost >= 1
        assert cutting.longest < LONGEST


def test_one_vs_rest_with_a_worker_cut_off(network, farm, tmp_path, monkeypatch):
    here = model_file(tmp_path, "linear-svm", decision="scut")
    sending = At(drawn(9, 20), lambda: network.cut(farm.workers[0].pid))
    before(monkeypatch, Loop, "_send", sending)
    with farm.cluster(2, patience=PATIENCE):
        assert model_file(tmp_path, "linear-svm", decision="scut") == here
        assert sending.longest < LONGEST


def length(shared, number, filled):
    time.sleep(0.2)
    return shared, number, len(filled)


@pytest.mark.parametrize("size", [1, LARGE])
def test_tasks_of_a_worker_that_is_cut_off_go_to_one_that_comes(network, farm, size):
    """What all share was there alone, and some of the tasks' own data too."""
    farm.exactly(1)
    answers = []
    with farm.cluster(1, patience=PATIENCE) as place:
        for answer in in_order(length, [(number, bytes(size)) for number in range(8)], shared=("all",)):
            answers.append(answer)
            if len(answers) == 2:
                network.cut(farm.workers[0].pid)
                farm.start_worker()
                start = time.monotonic()
        assert time.monotonic() - start < LONGEST
        assert answers == [("all", number, size) for number in range(8)]
        network.mend(farm.workers[0].pid)
        until(lambda: not any(place.client.has_what().values()), f"the end of {place.client.has_what()}")


def test_nothing_is_left_of_a_network(network):
    other = Network()
    try:
        assert other.number != network.number
        process = subprocess.Popen(["ip", "netns", "exec", other.machine().namespace, "sleep", "60"])
        assert len(other.left()) == 3, "two namespaces and a cable"
        until(lambda: ip("netns", "identify", str(process.pid)), "the process in its namespace")
    finally:
        other.close()
    assert process.wait(10) < 0
    until(lambda: not other.left(), "the end of the network")
