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


REFUSED = {
    "crowd": "committee 'crowd' does not exist; choose one of growing, steps, constant, near, flat",
    "growing,size=3": "there is no setting 'size'; its settings: step=1, every=20",
    "growing,every=0": "every is too small; its settings: step=1, every=20",
    "growing,step=-1": "step is too small",
    "constant,count=2.5": "count must be a whole number; its settings: count=1",
    "constant,count": "count must be a whole number",
    "near,distance=far": "distance must be a number; its settings: distance=0.001, limit=50",
    "near,distance=nan": "distance must be finite, got nan",
    "near,distance=inf": "distance must be finite, got inf",
    "flat,slope=nan": "slope must be finite, got nan",
    "flat,limit=0": "limit is too small",
    "steps,starts=1/11": "2 starts for 3 sizes; give one each; its settings: starts=1/21/61, sizes=1/2/4",
    "steps,starts=2/11/20": "the starts are 2/11/20; let them begin with round 1, and rise",
    "steps,starts=1/11/11": "the starts are 1/11/11; let them begin with round 1, and rise",
    "steps,sizes=1/0/3": "the sizes are 1/0/3; give whole numbers from 1",
    "steps,sizes=1/two/3": "sizes must be whole numbers as 1/20/50",
    "steps,sizes=": "sizes must be whole numbers as 1/20/50",
}


@pytest.mark.parametrize("text", REFUSED)
def test_what_is_no_policy_is_refused(text):
    with pytest.raises(ValueError, match=REFUSED[text]):
        parse_committee(text)
