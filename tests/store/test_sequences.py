"""Whatever two people do in whatever order, the store is what a simple model of it says."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from classmark.store import Conflict, Missing, NewDocument, Store, Verdict

NAMES, PEOPLE = "abc", ("ann", "ben")
STATES = {"accept": "reviewed", "correct": "human", "reject": "rejected"}
START = datetime(2026, 3, 1, tzinfo=UTC)

verdicts = st.tuples(
    st.sampled_from(["accept", "correct", "reject", "skip"]),
    st.sampled_from(PEOPLE),
    st.sampled_from(NAMES),
    st.lists(st.sampled_from(["owl", "gull"]), unique=True),
)
actions = st.one_of(
    verdicts,
    st.tuples(st.just("undo"), st.sampled_from(PEOPLE), st.sampled_from(NAMES)),
    st.tuples(st.just("claim"), st.sampled_from(PEOPLE), st.sampled_from(["doubt", "random"])),
    st.tuples(st.just("release"), st.sampled_from(PEOPLE)),
    st.tuples(st.just("wait")),
)


class Model:
    """What should hold: states and labels, the verdicts that made them, and who has what before them."""

    def __init__(self) -> None:
        self.now = START
        self.documents = dict.fromkeys(NAMES, ("waiting", None))
        self.verdicts: list[dict] = []
        self.claims: dict[str, tuple[str, datetime]] = {}

    def holder(self, name):
        who, until = self.claims.get(name, (None, self.now))
        return who if until > self.now else None

    def judge(self, kind, who, name, labels):
        """Judge a document, or give the error that refuses it."""
        if self.holder(name) not in (None, who):
            return Conflict
        self.claims.pop(name, None)
        self.verdicts.append({"kind": kind, "who": who, "name": name, "before": self.documents[name], "holds": True})
        self.verdicts[-1]["number"] = len(self.verdicts)
        if kind != "skip":
            after = {"accept": ["owl"], "correct": labels, "reject": None}[kind]
            self.documents[name] = (STATES[kind], after)
        return None

    def undo(self, who, name):
        """Take back the last verdict of a person on a document, or give the error that refuses it."""
        mine = [one for one in self.verdicts if one["holds"] and (one["who"], one["name"]) == (who, name)]
        if not mine:
            return Missing
        last = mine[-1]
        later = self.verdicts[last["number"] :]
        if last["kind"] != "skip":
            if any(one["holds"] and one["name"] == name and one["kind"] != "skip" for one in later):
                return Conflict
            self.documents[name] = last["before"]
            if last["before"][0] == "waiting":
                self.claims[name] = (who, self.now + timedelta(seconds=600))
        last["holds"] = False
        return None

    def skips(self, who, name):
        return sum(
            one["holds"] and (one["kind"], one["who"], one["name"]) == ("skip", who, name) for one in self.verdicts
        )


def claim(model, store, who, order):
    waiting = [name for name in NAMES if model.documents[name][0] == "waiting"]
    mine = [name for name in waiting if model.holder(name) == who]
    free = [name for name in waiting if model.holder(name) is None]
    found = [one.name for one in store.claim("birds", who, order=order)]
    if mine:
        assert found == mine[:1]
    elif fresh := [name for name in free if not model.skips(who, name)]:
        assert found[0] in fresh
        assert len(found) == 1
    elif any(not model.skips(who, name) for name in waiting):
        assert found == []
    else:
        fewest = min((model.skips(who, name) for name in free), default=None)
        assert [model.skips(who, name) for name in found] == [fewest] * bool(free)
    for name in found:
        model.claims[name] = (who, model.now + timedelta(seconds=600))


def outcome(function, *arguments):
    try:
        function(*arguments)
    except (Conflict, Missing) as error:
        return type(error)
    return None


def run(model, store, action):
    kind, *rest = action
    if kind == "claim":
        claim(model, store, *rest)
    elif kind == "release":
        store.release("birds", rest[0])
        model.claims = {name: held for name, held in model.claims.items() if held[0] != rest[0]}
    elif kind == "wait":
        model.now += timedelta(seconds=400)
    elif kind == "undo":
        assert outcome(store.undo, "birds", *rest) == model.undo(*rest)
    else:
        who, name, labels = rest
        verdict = Verdict(kind=kind, who=who, labels=labels if kind == "correct" else None)
        assert outcome(store.record, "birds", name, verdict) == model.judge(*action)


def check(model, store):
    found = store.documents("birds")
    assert {one.name: (one.state, one.labels) for one in found} == model.documents
    counts = store.counts("birds")
    assert counts["documents"] == sum(counts[state] for state in ("waiting", "reviewed", "human", "rejected")) == 3
    for one in found:
        history = store.history("birds", one.name)
        changes = [verdict for verdict in history if verdict.kind != "skip"]
        undone_skips = sum(verdict.kind == "skip" and verdict.undone for verdict in history)
        assert one.revision == len(changes) - undone_skips
        assert len({verdict.key for verdict in history}) == len(history)
    people = {who: sum(one["holds"] and one["who"] == who for one in model.verdicts) for who in PEOPLE}
    assert {who: sum(kinds.values()) for who, kinds in counts["people"].items()} == {
        k: n for k, n in people.items() if n
    }
    assert [one.name for one in store.labelled("birds")] == [
        name for name in NAMES if model.documents[name][0] in ("reviewed", "human")
    ]


def play(address, sequence):
    model = Model()
    with Store.open(address, clock=lambda: model.now) as store:
        new = [NewDocument(name=name, text=name, said={"labels": ["owl"]}, doubt=ord(name)) for name in NAMES]
        store.add("birds", new, who="ann")
        for action in sequence:
            run(model, store, action)
        check(model, store)


@given(st.lists(actions, max_size=20))
def test_any_sequence_in_sqlite(sequence):
    with TemporaryDirectory() as folder:
        play(Path(folder) / "s", sequence)


@settings(max_examples=15)
@given(st.lists(actions, max_size=20))
def test_any_sequence_in_postgresql(postgres, postgres_database, sequence):
    with postgres.connect(postgres_database) as connection:
        connection.execute("DROP SCHEMA public CASCADE")
        connection.execute("CREATE SCHEMA public")
    play(postgres.address(postgres_database), sequence)
