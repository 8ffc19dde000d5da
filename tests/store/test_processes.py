"""Ten reviewers at once, a process each: no document is shown to two, and no verdict is lost or kept twice."""

import threading
from collections import Counter
from queue import Queue

from classmark.store import Conflict, NewDocument, Store, Verdict
from tests.store.processes import context, run_all

DOCUMENTS, REVIEWERS = 60, 10


def review(address, who, answer):
    """Judge documents until none is left; some verdicts are sent twice, as after a lost answer."""
    shown = []
    with Store.open(address) as store:
        while claimed := store.claim("birds", who, count=2, order="random"):
            for one in claimed:
                shown.append(one.name)
                verdict = Verdict(kind="accept", who=who, key=f"{who} {one.name}", revision=one.revision)
                for _ in range(2):
                    store.record("birds", one.name, verdict)
    answer.put((who, shown))


def test_none_is_shown_to_two(address):
    with Store.open(address) as store:
        new = [NewDocument(name=str(number), text="", given=["owl"]) for number in range(DOCUMENTS)]
        store.add("birds", new, who="ann")
    answer = context.Queue()
    run_all(review, [(address, f"p{number}", answer) for number in range(REVIEWERS)])
    shown = dict(answer.get(timeout=60) for _ in range(REVIEWERS))
    times = Counter(name for names in shown.values() for name in names)
    assert times == {str(number): 1 for number in range(DOCUMENTS)}
    with Store.open(address) as store:
        counts = store.counts("birds")
        assert (counts["reviewed"], counts["random"]["accepted"]) == (DOCUMENTS, DOCUMENTS)
        assert {who: kinds["accept"] for who, kinds in counts["people"].items()} == {
            who: len(names) for who, names in shown.items() if names
        }
        assert all(len(store.history("birds", name)) == 1 for name in times)


def in_threads(functions):
    """Run functions at once, and give what each gave or raised."""
    answers: Queue = Queue()

    def run(function):
        try:
            answers.put(function())
        except (Conflict, ValueError) as error:
            answers.put(error)

    threads = [threading.Thread(target=run, args=(function,)) for function in functions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return [answers.get() for _ in functions]


def test_of_several_who_correct_one_document_the_first_wins_and_the_others_are_told(birds):
    def correct(who):
        return lambda: birds.record("birds", "a", Verdict(kind="correct", labels=[who], who=who, revision=0))

    answers = in_threads([correct(f"p{number}") for number in range(6)])
    (won,) = [one for one in answers if not isinstance(one, Conflict)]
    assert [one.last.who for one in answers if isinstance(one, Conflict)] == [won.who] * 5
    assert birds.document("birds", "a").labels == [won.who]


def test_one_key_sent_at_once_is_kept_once(birds):
    verdict = Verdict(kind="accept", who="ann", key="k", revision=0)
    answers = in_threads([lambda: birds.record("birds", "a", verdict)] * 6)
    assert len({one.id for one in answers}) == 1
    lessons = [(None, "hoots", ["owl"])]
    answers = in_threads([lambda: birds.learn("fish", lessons, who="ann", key="k")] * 6)
    assert len({one.name for (one,) in answers}) == 1
    assert birds.counts("fish")["documents"] == 1


def test_names_given_at_once_are_all_different(store):
    def add():
        return [one.name for one in store.add("birds", [NewDocument(name=None, text="")] * 5, who="ann")]

    names = [name for some in in_threads([add] * 6) for name in some]
    assert sorted(names) == sorted(f"#{number}" for number in range(1, 31))
