"""Policies by hand, and what is refused in words."""

import numpy as np
import pytest

from classmark.boosting.committee import Flat, Growing, Near, SameSize, Steps, parse_committee


def test_a_growing_committee_is_that_of_the_paper():
    # Table 1 of adaboost_mh_kr_2000: the number S' of hypotheses for S, C and N.
    for rounds, step, every, total in [(50, 1, 5, 275), (50, 1, 10, 150), (100, 1, 20, 300), (500, 1, 80, 1820)]:
        policy = Growing(step, every)
        assert sum(policy.size(np.zeros(policy.most(s))) for s in range(1, rounds + 1)) == total


def test_steps_have_as_many_intervals_as_one_likes():
    policy = Steps(starts=(1, 3, 4, 7), sizes=(2, 1, 5, 3))
    assert [policy.most(s) for s in range(1, 9)] == [2, 2, 1, 5, 5, 5, 3, 3]
    assert policy.size(np.zeros(4)) == 4
    # The paper's K(s) with C = 2 and N = 3, written out.
    growing, steps = Growing(step=2, every=3), Steps((1, 4, 7), (1, 3, 5))
    assert [steps.most(s) for s in range(1, 10)] == [growing.most(s) for s in range(1, 10)]


def test_a_constant_committee_takes_what_there_is():
    assert SameSize(4).most(1) == SameSize(4).most(99) == 4
    assert SameSize(4).size(np.array([0.1, 0.2])) == 2


def test_near_takes_those_within_the_distance():
    policy = Near(distance=0.25, limit=3)
    assert policy.most(7) == 3
    assert policy.size(np.array([0.5, 0.625, 0.75])) == 3
    assert policy.size(np.array([0.5, 0.76, 0.77])) == 1


def test_flat_ends_before_the_first_steep_step():
    policy = Flat(slope=0.1, limit=3)
    assert policy.most(7) == 4
    # The best gain is 0.5, so a step above 0.05 is steep.
    assert policy.size(np.array([0.5, 0.54, 0.6, 0.61])) == 2
    assert policy.size(np.array([0.5, 0.56, 0.57, 0.58])) == 1
    assert policy.size(np.array([0.5, 0.51, 0.52, 0.53])) == 3
    assert policy.size(np.array([0.5])) == 1
    # Nothing is gained, so any step is steep.
    assert policy.size(np.array([1.0, 1.0, 1.0001])) == 2


@pytest.mark.parametrize(
    ("text", "policy"),
    [
        ("growing", Growing(1, 20)),
        ("growing, step=2 , every=30", Growing(2, 30)),
        ("steps", Steps((1, 21, 61), (1, 2, 4))),
        ("steps,starts=1/11,sizes=1/3", Steps((1, 11), (1, 3))),
        ("constant,count=5", SameSize(5)),
        ("near,distance=0.5", Near(0.5, 50)),
        ("flat,slope=0,limit=7", Flat(0.0, 7)),
    ],
)
def test_policies_are_read(text, policy):
    assert parse_committee(text) == policy


INVALID = {
    "crowd": "'crowd'.*growing, steps, constant, near, flat",
    "growing,size=3": "'growing'.*'size'.*step, every",
    "growing,every=0": "every=0.* >= 1",
    "growing,step=-1": "step=-1.* >= 0",
    "constant,count=2.5": "count=2.5.*integer",
    "constant,count": "count=.*integer",
    "near,distance=far": "distance=far.*number",
    "near,distance=nan": "distance=nan.*number",
    "near,distance=inf": "distance=inf.*number",
    "flat,slope=nan": "slope=nan.*number",
    "flat,limit=0": "limit=0.* >= 1",
    "steps,starts=1/11": "2 starts for 3 sizes",
    "steps,starts=2/11/20": r"starts.*\(2, 11, 20\)",
    "steps,starts=1/11/11": r"starts.*\(1, 11, 11\)",
    "steps,sizes=1/0/3": "sizes=1/0/3.*integers >= 1",
    "steps,sizes=1/two/3": "sizes=1/two/3.*integers >= 1",
    "steps,sizes=": "sizes=.*integers >= 1",
}


@pytest.mark.parametrize("text", INVALID)
def test_parse_committee_rejects_invalid_policies(text):
    with pytest.raises(ValueError, match=INVALID[text]):
        parse_committee(text)
