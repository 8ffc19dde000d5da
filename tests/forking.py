"""Commands without their start: a process that has imported everything forks for each of them.

Nearly all the time of a short command goes into imports, some three seconds. Where many commands of a page are run,
`script` makes a `classmark` for the shell that hands its arguments, environment, folder and streams to a process which
waits with the imports done, and ends as that one's child does. What is run is `classmark.cli.main`, in a process of its
own. That the installed script itself starts, is interrupted and ends as it should is tested in `tests/cli`.
"""

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

CLIENT = """#!{python} -IS
import json, os, socket, sys
with socket.socket(socket.AF_UNIX) as server:
    server.connect({address!r})
    request = json.dumps([sys.argv[1:], os.getcwd(), dict(os.environ)]).encode()
    socket.send_fds(server, [len(request).to_bytes(4)], [0, 1, 2])
    server.sendall(request)
    sys.exit(int(server.makefile().read()))
"""


@contextmanager
def script(folder: Path) -> Iterator[Path]:
    """Give a folder that has the script, to be put first in the PATH, for the length of the block."""
    address = str(folder / "socket")
    (folder / "bin").mkdir()
    program = folder / "bin" / "classmark"
    program.write_text(CLIENT.format(python=sys.executable, address=address))
    program.chmod(0o755)
    command = [sys.executable, "-m", "tests.forking", address]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=Path(__file__).parent.parent) as server:
        assert server.stdout is not None
        assert server.stdout.readline() == b"ready\n"
        try:
            yield program.parent
        finally:
            server.kill()


def serve(address: str) -> None:
    """Import what commands use, and fork for each that is asked for."""
    import classmark
    import classmark.cli.main
    import classmark.explain
    import classmark.service

    for name in classmark.__all__:
        getattr(classmark, name)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(address)
        listener.listen()
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        while True:
            client, _ = listener.accept()
            if os.fork() == 0:
                listener.close()
                answer(client)
            client.close()
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass


def answer(client: socket.socket) -> None:
    """Be the command that a client asks for."""
    head, streams, _, _ = socket.recv_fds(client, 4, 3)
    arguments, folder, environment = json.loads(client.makefile().read(int.from_bytes(head)))
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = ["classmark", *arguments]
    code = 1
    try:
        from classmark.cli import main

        main()
    except SystemExit as stopped:
        code = int(stopped.code or 0)
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        client.sendall(str(code).encode())
        os._exit(code)


if __name__ == "__main__":
    serve(sys.argv[1])
