"""How much memory uploads of 16 MB take in the server, well-formed and malformed, beside what it had before.

Each file is sent to one server; the peak is that of its process (`VmHWM`, Linux), reset before each file. The bound is
64 MB and 4 times the largest row.

    python benchmarks/uploads.py
"""

import json
import re
import subprocess
import sys
import tempfile
import urllib.error
from collections.abc import Callable
from pathlib import Path
from urllib.request import Request, urlopen

from serving import free_port

from classmark import TextClassifier

SIZE = 16_000_000
MEGABYTE = 1_000_000


def repeated(head: str, row: str) -> str:
    """Return a file of as many rows as fit."""
    return head + row * ((SIZE - len(head)) // len(row))


OPEN = "an open quote"
"""All of that file is one row."""
WORDS = "an owl hoots at night over the sea "
FILES: dict[str, tuple[str, Callable[[], str]]] = {
    "short rows": ("a.csv", lambda: repeated("id,text\n", "1,an owl hoots at night\n")),
    "rows of 80 KB": ("a.csv", lambda: repeated("id,text\n", f"1,{WORDS * 2300}\n")),
    "one row of 16 MB": ("a.csv", lambda: f"id,text\n1,{WORDS * (SIZE // len(WORDS))}\n"),
    "JSON Lines": ("a.jsonl", lambda: repeated("", '{"text": "an owl hoots", "n": [1, 2]}\n')),
    "JSON Lines, one row": ("a.jsonl", lambda: json.dumps({"text": WORDS * (SIZE // len(WORDS))}) + "\n"),
    "too few cells": ("a.csv", lambda: repeated("id,text\n", "1\n")),
    "too many cells": ("a.csv", lambda: repeated("id,text\n", "1,2,3\n")),
    "a row of commas": ("a.csv", lambda: "id,text\n" + "," * SIZE),
    "a header of commas": ("a.csv", lambda: "," * SIZE),
    "a header of names": ("a.csv", lambda: ",".join(map(str, range(2_000_000)))),
    OPEN: ("a.csv", lambda: repeated('id,text\n1,"', "an owl\n")),
    "no JSON": ("a.jsonl", lambda: repeated("", "x\n")),
    "lists instead of objects": ("a.jsonl", lambda: repeated("", "[]\n")),
    "one row of lists": ("a.jsonl", lambda: '{"text": [' + "[]," * (SIZE // 3) + "[]]}\n"),
    "one row of keys": ("a.jsonl", lambda: json.dumps({str(key): 1 for key in range(SIZE // 13)}) + "\n"),
}


def memory(process: int, name: str) -> int:
    """Return what the kernel says of the memory of a process, in bytes."""
    status = Path(f"/proc/{process}/status").read_text()
    return int(re.findall(rf"{name}:\s+(\d+) kB", status)[0]) * 1024


def main() -> None:
    """Print a row for each file."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        TextClassifier("nb").fit(["hoots at night", "cries over the sea"], ["owl", "gull"]).save(folder / "m")
        port = free_port()
        command = ["-m", "classmark", "serve", f"m={folder / 'm'}", "--port", str(port), "--store", f"{name}/s.sqlite"]
        server = subprocess.Popen([sys.executable, *command], stderr=subprocess.PIPE)
        try:
            assert server.stderr is not None
            while b"http" not in server.stderr.readline():
                pass
            print(f"  {'file of 16 MB':26} peak MB  bound MB  kept MB   answer")
            for shown, (called, content) in FILES.items():
                print(
                    f"  {shown:26} {measure(server.pid, port, called, content().encode(), shown == OPEN)}", flush=True
                )
        finally:
            server.terminate()
            server.wait()


def measure(process: int, port: int, called: str, content: bytes, one_row: bool) -> str:
    """Upload a file, and return its row."""
    before = memory(process, "VmRSS")
    Path(f"/proc/{process}/clear_refs").write_text("5")
    asked = Request(f"http://127.0.0.1:{port}/v1/projects/m/batches?name={called}", content, method="POST")
    try:
        with urlopen(asked, timeout=600) as answer:
            told = f"{json.load(answer)['rows']:,} rows"
    except urllib.error.HTTPError as error:
        told = json.load(error)["detail"][:80]
    peak, after = (memory(process, name) - before for name in ("VmHWM", "VmRSS"))
    bound = 64 + 4 * (len(content) if one_row else max(map(len, content.split(b"\n")))) / MEGABYTE
    return f"{peak / MEGABYTE:7.0f}  {bound:8.0f}  {after / MEGABYTE:7.0f}   {told}"


if __name__ == "__main__":
    main()
