"""Workers are killed with -9 in the middle of rounds; the result has the same bits as undisturbed."""

import os
import signal
import threading

import numpy as np
import pytest
from scipy.sparse import csr_array

pytest.importorskip("distributed")

from classmark import AdaBoostMH, AdaBoostMHKR, MPBoost
from classmark.parallel.cluster.connecting import cluster
from classmark.parallel.cluster.watching import ClusterLostError
from tests.farms import Farm, until
from tests.parallel.cluster.problems import LEAVES

ROUNDS = 12


def problem(seed=0, documents=80, terms=40):
    random = np.random.default_rng(seed)
    X = (random.random((documents, terms)) < 0.2) * 1.0
    y = [[LEAVES[int(one)] for one in random.choice(len(LEAVES), 2, replace=False)] for _ in range(documents)]
    return X, y


def bits(model):
    return model.pivots_.tobytes(), model.z_.tobytes(), model.hypothesis_.bias.tobytes()


KINDS = {"AdaBoost.MH": AdaBoostMH, "AdaBoost.MH^KR": AdaBoostMHKR, "MP-Boost": MPBoost}


@pytest.mark.parametrize("attempt", range(10))
def test_a_worker_killed_in_a_random_round(farm, attempt):
    """Ten times, whichever the worker and the method: before a round, and while it is being run."""
    random = np.random.default_rng(attempt)
    kind = list(KINDS.values())[attempt % len(KINDS)]
    doomed, victim, before = int(random.integers(1, ROUNDS - 1)), int(random.integers(2)), attempt % 2 == 0
    X, y = problem(attempt)
    expected = kind(ROUNDS, decision="threshold").fit(X, y)

    def kill(found):
        if found.number == doomed and before:
            farm.workers[victim].kill()
        elif found.number == doomed:
            # Stopped, it cannot answer in the next round, however late the timer is.
            os.kill(farm.workers[victim].pid, signal.SIGSTOP)
            threading.Timer(0.2, farm.workers[victim].kill).start()

    with farm.cluster(2) as place:
        model = kind(ROUNDS, decision="threshold", callback=kill).fit(X, y)
        farm.workers[victim].wait(10)
        assert bits(model) == bits(expected)
    assert place.lost >= 1


def test_a_worker_that_was_cut_off_and_comes_back(farm):
    """Stopped, it says nothing and answers nothing; its part goes elsewhere, and what it says later counts no more."""
    X, y = problem(3)
    expected = AdaBoostMH(ROUNDS, decision="threshold").fit(X, y)

    def cut_off(found):
        if found.number == 4:
            os.kill(farm.workers[0].pid, signal.SIGSTOP)

    try:
        with farm.cluster(2, patience=3) as place:
            model = AdaBoostMH(ROUNDS, decision="threshold", callback=cut_off).fit(X, y)
            os.kill(farm.workers[0].pid, signal.SIGCONT)
            assert bits(model) == bits(expected)
            assert place.lost >= 1
            assert bits(AdaBoostMH(ROUNDS, decision="threshold").fit(X, y)) == bits(expected)
    finally:
        os.kill(farm.workers[0].pid, signal.SIGCONT)


def test_a_lost_scheduler_leaves_a_checkpoint(tmp_path):
    X, y = problem(5)
    expected = AdaBoostMH(ROUNDS, decision="threshold").fit(X, y)
    farm = Farm(tmp_path)
    kept = tmp_path / "model.checkpoint"

    def lose(found):
        if found.number == 5:
            os.kill(farm.scheduler.pid, signal.SIGKILL)

    try:
        with (
            pytest.raises(ClusterLostError, match=r"scheduler at tcp://.* has gone"),
            farm.cluster(2, patience=3),
        ):
            AdaBoostMH(ROUNDS, decision="threshold", callback=lose).fit(X, y, checkpoint=kept)
    finally:
        farm.close()
    model = AdaBoostMH(ROUNDS, decision="threshold").fit(X, y, checkpoint=kept, resume=True)
    assert bits(model) == bits(expected)


def test_too_little_memory_on_a_worker_is_said_before_the_work(tmp_path):
    """As the worker was started, and as it says how much it has; what fits is done."""
    farm = Farm(tmp_path)
    random = np.random.default_rng(0)
    X, labels = csr_array((random.random((90_000, 3)) < 0.5) * 1.0), random.integers(1200, size=90_000).astype(str)
    try:
        worker = farm.start_worker("--memory-limit", "800MB")
        until(lambda: len(farm.known()) == 1, "the worker")
        with cluster(farm.address) as place:
            with pytest.raises(ValueError, match=r"^worker tcp://\S+ has 0\.\d+ GB.*left.*part needs 0.8[67] GB"):
                AdaBoostMH(2, decision="threshold").fit(X, labels)
            assert place.questions == 0
            assert bits(boost := AdaBoostMH(2, decision="threshold").fit(X[:900], labels[:900])) and place.questions
        assert bits(AdaBoostMH(2, decision="threshold").fit(X[:900], labels[:900])) == bits(boost)
        assert worker.poll() is None
    finally:
        farm.close()


def test_nothing_is_left_behind(farm):
    X, y = problem(1)

    def fail(found):
        if found.number == 3:
            raise KeyError("as asked for")

    with farm.cluster(2) as place:
        with pytest.raises(KeyError, match="as asked for"):
            AdaBoostMH(ROUNDS, decision="threshold", callback=fail).fit(X, y)
        MPBoost(3, decision="threshold").fit(X, y)
        for _ in range(100):
            if not any(place.client.has_what().values()):
                break
            threading.Event().wait(0.1)
        assert not any(place.client.has_what().values())
