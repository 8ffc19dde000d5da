"""Several people at once, and a server that is killed: the short form of `benchmarks/reviewers.py`."""

import pytest

from benchmarks.reviewers import PROJECT, faults, simulate
from classmark.store import Store, Verdict


@pytest.fixture(scope="module")
def reviewed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("reviewers")
    store = str(folder / "store.sqlite")
    return simulate(folder, store, people=10, seconds=6, documents=4000, kills=1), store


def test_no_document_is_shown_to_two_and_no_verdict_is_lost(reviewed):
    ledger, store = reviewed
    assert faults(ledger, store, 4000) == []
    assert len({person for _, _, person in ledger.kept.values()}) == 10
    assert ledger.tries > 0  # the server was away in the middle
    assert ledger.undone


def test_what_is_wrong_would_be_found(reviewed):
    ledger, store = reviewed
    name = next(name for name in ledger.shown if name not in ledger.skipped)
    ledger.shown[name].add("somebody else")
    assert any("was shown to" in fault for fault in faults(ledger, store, 4000))
    with Store.open(store) as opened:
        waiting = opened.documents(PROJECT, state="waiting", limit=1)
        opened.record(PROJECT, waiting[0].name, Verdict(kind="reject", who=waiting[0].claimed_by or "somebody"))
    assert len(faults(ledger, store, 4000)) >= 2
