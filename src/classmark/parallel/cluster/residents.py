"""Parts of a problem that stay on workers, as actors of Dask's; a part whose worker has gone is made anew elsewhere."""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple
from uuid import uuid4

from distributed import CancelledError, Client

from classmark.parallel.cluster.hosting import Host, Kind, Written, dumps, opened
from classmark.parallel.cluster.watching import STEP, ClusterLostError, PartLostError, Watch
from classmark.parallel.places import Call

ATTEMPTS = 10
"""How often a part is made anew for one question."""


class Hosted(NamedTuple):
    """A part on a worker: its address, the future that keeps it there, and the actor."""

    address: str
    future: Any
    actor: Any


class Asked(NamedTuple):
    """A question that was sent: what its answer will come by, and what Dask holds of it."""

    answer: Any
    message: Written


class ClusterResidents:
    """Parts of a problem on the workers of a cluster.

    Attributes
    ----------
    sent, received, questions, lost : int
        The bytes of all questions and answers, how many questions there were, and how often a part was made anew.
    """

    def __init__(
        self,
        client: Client,
        watch: Watch,
        kind: Kind,
        make: Callable[..., Any],
        parts: Sequence[tuple[Any, ...]],
        shared: tuple[Any, ...],
        since: Callable[[int], Iterable[Call]],
    ) -> None:
        self._client, self._watch, self._kind = client, watch, kind
        self._make, self._parts, self._shared, self._since = make, parts, shared, since
        self.sent = self.received = self.questions = self.lost = 0
        self._hosts: list[Hosted | None] = [None] * len(parts)
        self._addresses = [""] * len(parts)
        self._gone: set[str] = set()
        self._counts = [0] * len(parts)
        self._replaced = [False] * len(parts)
        try:
            self._begin_all()
        except BaseException:
            self.close()
            raise

    def _begin_all(self) -> None:
        """Make all parts, side by side where that goes well."""
        begun = [self._begun(part) for part in range(len(self._parts))]
        for part, one in enumerate(begun):
            try:
                if one is None:
                    raise PartLostError
                self._take(part, *one)
            except PartLostError:
                self._replace(part)
        self._bring_up_all()

    def _bring_up_all(self) -> None:
        """Bring all parts to where they should be, side by side; one that is lost meanwhile is brought there alone."""
        calls = [iter(self._since(part)) for part in range(len(self._parts))]
        behind = [part for part in range(len(self._parts)) if not self._replaced[part]]
        while behind:
            given = [(part, call) for part in behind if (call := next(calls[part], None)) is not None]
            asked = [(part, self._asked(part, dumps(call))) for part, call in given]
            behind = [part for part, one in asked if self._is_done(part, one)]

    def _is_done(self, part: int, asked: Asked | None) -> bool:
        """Wait for the answer of a part; where it is lost, make it anew, which brings it to where it should be."""
        try:
            self._answer(part, asked)
        except PartLostError:
            self._replace(part)
            return False
        return True

    def _begun(self, part: int) -> tuple[str, Any] | None:
        try:
            return self._begin(part)
        except PartLostError:
            return None

    def _what(self, part: int) -> str:
        return f"part {part + 1} of {len(self._parts)}"

    def _begin(self, part: int) -> tuple[str, Any]:
        """Send what a part is made of to the worker that has fewest."""
        workers = self._watch.some_worker(self._what(part))
        held = Counter(address for other, address in enumerate(self._addresses) if other != part)
        # The scheduler may not know yet that a worker has gone, and would try for long to reach it.
        there = sorted(set(workers) - self._gone) or sorted(workers)
        address = self._addresses[part] = min(there, key=lambda one: held[one])
        written = dumps((self._make, (*self._shared, *self._parts[part])))
        given = self._watch.give(Written(written), [address], self._what(part))
        future = self._client.submit(
            make_host,
            given,
            self._kind,
            key=f"classmark-part-{uuid4()}",
            actor=True,
            workers=[address],
            allow_other_workers=False,
            pure=False,
        )
        return address, future

    def _take(self, part: int, address: str, future: Any) -> None:
        """Wait until a part is made."""
        raised = self._watch.await_from([address], self._what(part), future.exception, future.done)
        if isinstance(raised, CancelledError):
            raise PartLostError
        if raised is not None:
            raise raised
        with self._client.as_current():
            self._hosts[part] = Hosted(address, future, future.result(timeout=self._watch.patience))
        self._counts[part] = 0

    def _replace(self, part: int) -> None:
        """Make a part anew, and bring it to where the others are."""
        for _ in range(ATTEMPTS):
            self.lost += 1
            self._gone.add(self._addresses[part])
            self._let_go(part)
            try:
                self._take(part, *self._begin(part))
                for call in self._since(part):
                    self._answer(part, self._ask(part, dumps(call)))
            except PartLostError:
                # The scheduler may take a moment to see that a worker has gone.
                time.sleep(STEP)
                continue
            self._replaced[part] = True
            return
        raise ClusterLostError(f"{self._what(part)} was lost {ATTEMPTS} times with its worker; look at its log")

    def _let_go(self, part: int) -> None:
        host, self._hosts[part] = self._hosts[part], None
        if host is not None:
            self._watch.let_go([host.future])

    def _ask(self, part: int, message: bytes) -> Asked:
        """Send a question to a part."""
        host = self._hosts[part]
        if host is None:
            raise PartLostError
        number, self._counts[part] = self._counts[part], self._counts[part] + 1
        self.sent += len(message)
        given = Written(message)
        try:
            return Asked(host.actor.call(number, given), given)
        except (OSError, RuntimeError) as error:
            raise PartLostError(str(error)) from None

    def _answer(self, part: int, asked: Asked | None) -> Any:
        """Wait for the answer of a part."""
        host = self._hosts[part]
        if host is None or asked is None:
            raise PartLostError
        answer = asked.answer
        written = self._watch.await_from([host.address], self._what(part), answer.result, answer.done)
        # Dask's call of an actor holds its arguments in a cycle, until the collector comes by.
        asked.message.content = b""
        self.received += len(written)
        return opened(written)

    def ask(self, method: str, *arguments: Any) -> list[Any]:
        """Call a method of every part with the same arguments; give the answers in the order of the parts."""
        message = dumps((method, arguments))
        return self._ask_all([message] * len(self._parts))

    def ask_each(self, method: str, arguments: Sequence[tuple[Any, ...]]) -> list[Any]:
        """Call a method of every part with arguments of its own; give the answers in the order of the parts."""
        return self._ask_all([dumps((method, given)) for given in arguments])

    def _ask_all(self, messages: Sequence[bytes]) -> list[Any]:
        self.questions += 1
        asked = [self._asked(part, message) for part, message in enumerate(messages)]
        return [self._answered(part, one, messages[part]) for part, one in enumerate(asked)]

    def ask_one(self, part: int, method: str, *arguments: Any) -> Any:
        """Call a method of one part; what changes it must be among what `since` gives from then on."""
        message = dumps((method, arguments))
        return self._answered(part, self._asked(part, message), message)

    def _asked(self, part: int, message: bytes) -> Asked | None:
        try:
            return self._ask(part, message)
        except PartLostError:
            return None

    def _answered(self, part: int, asked: Asked | None, message: bytes) -> Any:
        for _ in range(ATTEMPTS):
            try:
                return self._answer(part, asked)
            except PartLostError:
                self._replace(part)
                asked = self._asked(part, message)
        raise ClusterLostError(f"{self._what(part)} was lost {ATTEMPTS} times with its worker; look at its log")

    def close(self) -> None:
        """Leave nothing behind on the workers."""
        for part in range(len(self._parts)):
            self._let_go(part)


def make_host(written: Written, kind: Kind) -> Host:
    """Make a part from what was sent."""
    return Host(written, kind)
