"""A process that keeps another: it ends it when the server ends, however that ends, or when it is asked to.

The server starts it as `python keeping.py FOLDER COMMAND…`, so that it imports nothing of ours. It has a lock from the
server, which lasts as long as it lives, so that every worker can tell whether it does; and its standard input, which
closes when the server is gone. What the command prints goes to `result.json` and `log.txt` in the folder, and how it
ended to `ended.json`.
"""

import contextlib
import ctypes
import json
import os
import selectors
import signal
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

RESULT, LOG, ENDED, STOP = "result.json", "log.txt", "ended.json", "stop"
SECONDS_BETWEEN_LOOKS = 0.2
PR_SET_PDEATHSIG = 1


def keep(folder: Path, command: list[str]) -> str:
    """Run a command to its end, unless the server goes or somebody says stop, and say how it ended."""
    with (folder / RESULT).open("wb") as result, (folder / LOG).open("wb") as log:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=result, stderr=log, start_new_session=True, preexec_fn=_with_us
        )
    with selectors.DefaultSelector() as watched:
        watched.register(sys.stdin.fileno(), selectors.EVENT_READ)
        while process.poll() is None:
            gone = any(not os.read(key.fd, 1) for key, _ in watched.select(SECONDS_BETWEEN_LOOKS))
            if gone or (folder / STOP).exists():
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                return "gone" if gone else "stopped"
    return "done" if process.returncode == 0 else "failed"


def _with_us() -> None:
    """Let the command end with this process, where the system can see to that."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def main(folder: Path, command: list[str]) -> None:
    """Keep a command, and write down how it ended."""
    how = keep(folder, command)
    written = json.dumps({"how": how, "ended": datetime.now(UTC).isoformat(timespec="seconds")})
    temporary = folder / f".{ENDED}"
    temporary.write_text(written, encoding="utf-8")
    temporary.replace(folder / ENDED)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
