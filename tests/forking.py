"""Processes that start in milliseconds: a template process imports classmark once and forks for each request.

Imports take a command about three seconds of CPU time and a server four. `Process` is a `subprocess.Popen` whose
process is a fork of the template, and `script` makes an executable `classmark` for shells that does the same. Each is
a process of its own, with its own arguments, environment, folder, and streams, and ends as a Python process does.
What depends on the start of a process (environment variables that are read during imports, the installed script,
Ctrl-C before `main` runs) is tested with real ones in `tests/cli`.
"""

import atexit
import contextlib
import gc
import io
import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import traceback
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn

ROOT = Path(__file__).parent.parent
AVAILABLE = sys.platform == "linux"
COMMAND = "from classmark.cli import main; main()"
LENGTH = 8
"""Bytes that hold the length of a request."""

CLIENT = """#!{python} -IS
import json, os, socket, sys
with socket.socket(socket.AF_UNIX) as template:
    template.connect({address!r})
    request = json.dumps([{program!r}, sys.argv, os.getcwd(), dict(os.environ)]).encode()
    socket.send_fds(template, [len(request).to_bytes({length})], [0, 1, 2])
    template.sendall(request)
    answer = template.makefile().read().split()
    sys.exit(int(answer[1]) if len(answer) > 1 else 1)
"""


class Process(subprocess.Popen[Any]):
    """A process that runs a program text with some arguments, forked from the template."""

    def __init__(self, arguments: Sequence[object], program: str, **options: Any) -> None:
        self._program = program
        super().__init__(["classmark", *map(str, arguments)], **options)

    def _execute_child(self, args: Any, *others: Any, **named: Any) -> None:
        # The order of these arguments is the same in Python 3.11 to 3.14.
        folder, variables, pipes = others[4], others[5], others[9:15]
        streams = [standard if end == -1 else end for standard, end in enumerate((pipes[0], pipes[3], pipes[5]))]
        environment = dict(os.environ if variables is None else variables)
        request = json.dumps([self._program, args, str(Path(folder or ".").resolve()), environment]).encode()
        self._template = socket.socket(socket.AF_UNIX)
        try:
            self._template.connect(template_address())
            socket.send_fds(self._template, [len(request).to_bytes(LENGTH)], streams)
            self._template.sendall(request)
            self._answers = self._template.makefile("rb")
            self.pid = int(self._answers.readline())
            self._child_created = True
        finally:
            self._close_pipe_fds(*pipes)  # type: ignore[attr-defined]

    def _internal_poll(self, *_: Any, **__: Any) -> int | None:
        if self.returncode is None and select.select([self._template], [], [], 0)[0]:
            self._read_status()
        return self.returncode

    def _wait(self, timeout: float | None) -> int:
        if self.returncode is None:
            if not select.select([self._template], [], [], timeout)[0]:
                assert timeout is not None
                raise subprocess.TimeoutExpired(self.args, timeout)
            self._read_status()
        return self.returncode

    def _read_status(self) -> None:
        with self._template, self._answers:
            self.returncode = int(self._answers.readline())


def start(arguments: Sequence[object], program: str = COMMAND, **options: Any) -> "subprocess.Popen[Any]":
    """Start `classmark ARGUMENTS`, or another program with these arguments, forked from the template if possible."""
    if AVAILABLE and "start_new_session" not in options:
        return Process(arguments, program, **options)
    return subprocess.Popen([sys.executable, "-c", program, *map(str, arguments)], **options)


@cache
def template_address() -> str:
    """Start this process's template when it is first needed, and return the path of its socket."""
    folder = tempfile.TemporaryDirectory(prefix="classmark-template-")
    atexit.register(folder.cleanup)
    address = str(Path(folder.name, "socket"))
    command = [sys.executable, "-m", "tests.forking", address]
    # The template ends with its standard input, that is with this process.
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT)
    atexit.register(process.communicate)
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    return address


def write_script(folder: Path) -> Path:
    """Write an executable `classmark` that runs in forks of the template, and return its folder."""
    program = folder / "classmark"
    program.write_text(CLIENT.format(python=sys.executable, program=COMMAND, address=template_address(), length=LENGTH))
    program.chmod(0o755)
    return folder


def import_all() -> None:
    """Import what commands and servers use."""
    import classmark
    import classmark.cli.main
    import classmark.explain
    import classmark.service

    for name in classmark.__all__:
        getattr(classmark, name)
    with contextlib.suppress(ImportError):
        import psycopg  # noqa: F401
        import uvicorn.lifespan.on
        import uvicorn.loops.auto
        import uvicorn.protocols.http.httptools_impl  # noqa: F401

        import classmark.server.running
        import classmark.store
    with contextlib.suppress(ImportError):
        import dask.__main__  # noqa: F401
        import distributed.cli.dask_scheduler
        import distributed.cli.dask_worker  # noqa: F401

        import classmark.parallel.cluster.connecting


def serve(address: str) -> None:
    """Fork for each request until standard input ends."""
    import_all()
    # Objects that the garbage collector skips are not copied into forks.
    gc.freeze()
    # What a terminal sends to all processes is not meant for the template.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # The client of each process that runs, by the descriptor that becomes readable when it ends.
    running: dict[int, tuple[int, socket.socket]] = {}
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(address)
        listener.listen(128)
        os.write(1, b"ready\n")
        while 0 not in (ready := select.select([listener, 0, *running], [], [])[0]):
            for descriptor in running.keys() & set(ready):
                process, client = running.pop(descriptor)
                os.close(descriptor)
                report(client, os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]))
                client.close()
            if listener in ready:
                client, _ = listener.accept()
                request, streams = receive(client)
                process = os.fork()
                if process == 0:
                    for opened in (listener, client, *(other for _, other in running.values())):
                        opened.close()
                    for descriptor in running:
                        os.close(descriptor)
                    run(request, streams)
                for stream in streams:
                    os.close(stream)
                running[os.pidfd_open(process)] = process, client
                report(client, process)


def receive(client: socket.socket) -> tuple[bytes, list[int]]:
    """Return the request of a client, and the descriptors of its standard streams."""
    head, streams, _, _ = socket.recv_fds(client, LENGTH, 3)
    size = int.from_bytes(head)
    request = b""
    while len(request) < size:
        request += client.recv(size - len(request))
    return request, streams


def report(client: socket.socket, number: int) -> None:
    """Send a process number or an exit code to a client, which may have gone."""
    with contextlib.suppress(OSError):
        client.sendall(f"{number}\n".encode())


def run(request: bytes, streams: list[int]) -> NoReturn:
    """Run the program of a request in this process, a fork of the template."""
    program, arguments, folder, environment = json.loads(request)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
    for stream in streams:
        if stream > 2:
            os.close(stream)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    open_streams()
    # As in `python -c PROGRAM ARGUMENTS`; processes that this one spawns look at its main module.
    sys.argv, sys.path[0] = arguments, ""
    sys.modules["__main__"] = main = ModuleType("__main__")
    code = 0
    try:
        exec(compile(program, "<string>", "exec"), vars(main))
    except SystemExit as stopped:
        code = int(stopped.code or 0)
    except BaseException as error:  # noqa: BLE001 - as the interpreter does
        traceback.print_exc()
        code = -signal.SIGINT if isinstance(error, KeyboardInterrupt) else 1
    end(code)


def end(code: int) -> NoReturn:
    """End this process as Python does, except that its memory is not taken apart, which takes longer than a command."""
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    for stream in filter(None, (sys.stdout, sys.stderr)):
        try:
            stream.flush()
        except OSError:
            code = code or 120
    if code < 0:
        signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code)


def open_streams() -> None:
    """Open the standard streams as Python does at its start."""
    unbuffered = bool(os.environ.get("PYTHONUNBUFFERED"))
    sys.stdin = sys.__stdin__ = io.TextIOWrapper(io.BufferedReader(io.FileIO(0, "rb", closefd=False)), "utf-8")
    for number, name, errors in ((1, "stdout", "strict"), (2, "stderr", "backslashreplace")):
        raw: Any = io.FileIO(number, "wb", closefd=False)
        raw = raw if unbuffered else io.BufferedWriter(raw)
        by_line = name == "stderr" or os.isatty(number)
        stream = io.TextIOWrapper(raw, "utf-8", errors, line_buffering=by_line, write_through=unbuffered)
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)


if __name__ == "__main__":
    serve(sys.argv[1])
