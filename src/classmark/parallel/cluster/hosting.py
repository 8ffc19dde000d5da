"""What runs on a worker: tasks, and the host of a part.

Arguments and answers are bytes to Dask, which does not look into them; and bytes can be counted.
"""

import platform
from functools import cache
from importlib.metadata import version
from pickle import PickleBuffer
from typing import Any, NamedTuple

from distributed import get_worker
from distributed.protocol.pickle import dumps as _dumps
from distributed.protocol.pickle import loads as _loads
from threadpoolctl import threadpool_limits

from classmark.errors import InputError
from classmark.parallel.places import working_in


class Kind(NamedTuple):
    """What must be the same for results to have the same bits."""

    classmark: str
    python: str
    numpy: str
    scipy: str
    sklearn: str
    numba: str
    processor: str


@cache
def kind() -> Kind:
    """Say what this process is."""
    import llvmlite.binding
    import numba
    import numpy
    import scipy
    import sklearn

    return Kind(
        version("classmark"),
        platform.python_version(),
        numpy.__version__,
        scipy.__version__,
        sklearn.__version__,
        numba.__version__,
        f"{platform.machine()} {llvmlite.binding.get_host_cpu_name()}",
    )


def dumps(value: Any) -> bytes:
    """Write a value, functions and classes of `__main__` included."""
    return bytes(_dumps(value, protocol=5))


def loads(written: bytes) -> Any:
    """Read a value; its arrays are its own."""
    return _loads(written)


class Written:
    """Bytes that Dask passes on as they are, and that can be let go while something of Dask's still holds this."""

    def __init__(self, content: bytes) -> None:
        self.content = content

    def __reduce__(self) -> Any:
        """Be sent without a copy."""
        return Written, (PickleBuffer(self.content),)


class Shared:
    """What all tasks of a loop share: kept whole, so that Dask does not look for tasks in it."""

    def __init__(self, values: tuple[Any, ...]) -> None:
        self.values = values


def run_task(shared: Shared, written: bytes, asked_by: Kind) -> bytes:
    """Call a function with what is shared and with a task; what it raises is an answer, too."""
    return dumps(_answer(lambda: _run(shared, written, asked_by)))


def _run(shared: Shared, written: bytes, asked_by: Kind) -> Any:
    refuse_others({"this worker": kind()}, asked_by)
    function, task = loads(written)
    # As on one machine: short vectors want one thread, and sums must not depend on how many there are.
    with threadpool_limits(1, user_api="blas"):
        return function(*shared.values, *task)


class Host:
    """A part of a problem on a worker, an actor of Dask's; its calls are numbered, so that none is lost or done twice.

    Dask may make an actor again where it was lost, without what it had learned since: its numbers give that away.
    """

    def __init__(self, written: Written, asked_by: Kind) -> None:
        self.count = 0
        refuse_others({"this worker": kind()}, asked_by)
        make, arguments = loads(written.content)
        with working_in(get_worker().local_directory):
            self.part = make(*arguments)

    def call(self, number: int, written: Written) -> bytes:
        """Call a method of the part; what it raises is an answer, too."""
        if number != self.count:
            raise LookupError(f"call {number} of a part that has had {self.count}")
        self.count += 1
        method, arguments = loads(written.content)
        with working_in(get_worker().local_directory):
            return dumps(_answer(lambda: getattr(self.part, method)(*arguments)))


def _answer(call: Any) -> tuple[bool, Any]:
    try:
        return True, call()
    except Exception as error:  # noqa: BLE001 - raised again where it was asked for
        return False, error


def opened(written: bytes) -> Any:
    """Give an answer, or raise what was raised in its place."""
    good, answer = loads(written)
    if good:
        return answer
    raise answer


def refuse_others(found: dict[str, Kind], ours: Kind) -> None:
    """Refuse workers with another version of classmark or Python, whose answers would be others.

    >>> ours = kind()
    >>> refuse_others({"tcp://10.0.0.7:4000": ours._replace(classmark="9.9")}, ours._replace(classmark="0.1.0"))
    Traceback (most recent call last):
    classmark.errors.InputError: worker tcp://10.0.0.7:4000 has classmark 9.9, and this process 0.1.0; install the ...
    """
    for address, theirs in found.items():
        for name in ("classmark", "python"):
            other, own = getattr(theirs, name), getattr(ours, name)
            if other != own:
                raise InputError(
                    f"worker {address} has {name} {other}, and this process {own}; install the same on both"
                )
