"""How long a single-text `suggest` takes beside one hostile or heavy client, for each kind of such a client.

The server, with one worker, and both clients run in processes of their own; clients ask on 127.0.0.1, each with its own
token. The heavy client asks for some seconds, with a bounded number of connections, and then ends.

    python benchmarks/fairness.py [DATA]     DATA is a corpus; by default reuters90 of CLASSMARK_DATA, else docstrings
"""

import asyncio
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from multiprocessing import get_context
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from serving import free_port, started

from classmark.data import read_corpus
from classmark.service.training import train

SECONDS = 10.0
"""How long each heavy client asks."""
SECONDS_TO_START = 3
"""How long the process of a heavy client takes to start, on a busy machine."""
SECONDS_BETWEEN = 0.01
"""How long the light client waits from an answer to its next question."""
FORM, JSON = "application/x-www-form-urlencoded", "application/json"
LIGHT, HEAVY = "light-token-of-the-benchmark", "heavy-token-of-the-benchmark"
SUGGEST, CLASSIFY, EXPLAIN = (f"/v1/projects/m/{name}" for name in ("suggest", "classify", "explain"))
BODY = 16 << 20


def request(path: str, body: bytes, kind: str, token: str = HEAVY, length: int | None = None) -> bytes:
    """Return a POST request as it is sent."""
    size = len(body) if length is None else length
    head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {token}\r\nContent-Type: {kind}\r\n"
    return f"{head}Content-Length: {size}\r\n\r\n".encode() + body


async def answer(reader: asyncio.StreamReader) -> int:
    """Read a response, and return its status."""
    head = (await reader.readuntil(b"\r\n\r\n")).lower()
    await reader.readexactly(int(head.split(b"content-length:")[1].split(b"\r\n")[0]))
    return int(head.split()[1])


class Heavy:
    """Connections of the heavy client: each sends the same request again and again.

    Parameters
    ----------
    port : int
        Where the server listens.
    sent : bytes
        The request.
    connections : int
        Number of connections.
    reads, ends : bool
        Whether responses are read, and whether the request is complete; otherwise a connection is held open.
    leaves_after : float, optional
        Seconds after which the client leaves without its response, and connects again.
    """

    def __init__(
        self,
        port: int,
        sent: bytes,
        connections: int,
        *,
        reads: bool = True,
        ends: bool = True,
        leaves_after: float | None = None,
    ) -> None:
        self.statuses: dict[int, int] = {}
        self._port, self._sent = port, sent
        self._reads, self._ends, self._leaves_after = reads, ends, leaves_after
        self._tasks = [asyncio.create_task(self._connection()) for _ in range(connections)]

    async def _connection(self) -> None:
        while True:
            with suppress(OSError, asyncio.IncompleteReadError):
                await self._ask()
            await asyncio.sleep(0.01)

    async def _ask(self) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", self._port, limit=1 << 16)
        try:
            while True:
                writer.write(self._sent)
                if self._leaves_after is not None:
                    await asyncio.sleep(self._leaves_after)
                    return
                if not self._reads:
                    # What comes back stays in the buffers; the next request follows until they are full.
                    await writer.drain()
                    await asyncio.sleep(0.5)
                    continue
                await writer.drain()
                status = await answer(reader)
                self.statuses[status] = self.statuses.get(status, 0) + 1
                if not self._ends:
                    return
                if status != 200:
                    await asyncio.sleep(0.05)
        finally:
            writer.transport.abort()

    async def stop(self) -> None:
        """Close all connections."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


def ask_heavily(name: str, port: int, texts: Sequence[str], names: Sequence[str], done: Any) -> None:
    """Be a heavy client for some seconds, in a process of its own."""

    async def ask() -> None:
        heavy = heavy_clients(texts, names)[name](port)
        await asyncio.sleep(SECONDS + SECONDS_TO_START)
        await heavy.stop()
        done.put(heavy.statuses)

    asyncio.run(ask())


async def light(port: int, requests: Sequence[bytes]) -> tuple[list[float], int]:
    """Ask for single texts one after the other, and return the seconds of each, and how many were not answered."""
    seconds, failed = [], 0
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    end = time.perf_counter() + SECONDS
    at = 0
    while time.perf_counter() < end:
        start = time.perf_counter()
        writer.write(requests[at % len(requests)])
        failed += await answer(reader) != 200
        seconds.append(time.perf_counter() - start)
        at += 1
        await asyncio.sleep(SECONDS_BETWEEN)
    writer.close()
    return seconds, failed


def heavy_clients(texts: Sequence[str], names: Sequence[str]) -> dict[str, Callable[[int], Heavy]]:
    """Return what makes each heavy client."""
    many = json.dumps({"documents": [{"text": texts[at % len(texts)]} for at in range(1000)]}).encode()
    large = json.dumps({"documents": [{"text": " ".join(texts)[:16_000]}] * 1000}).encode()
    long = json.dumps({"documents": [{"text": (" ".join(texts) * 9)[:1_000_000]}] * 10}).encode()
    asked = {"text": " ".join(texts)[:100_000], "categories": list(names[:20]), "marked": True, "along": True}
    why = json.dumps(asked | {"why_not": True, "near": 20}).encode()
    single = urlencode({"text": texts[0]}).encode()
    half = request(CLASSIFY, many[: BODY // 4], JSON, length=BODY)
    parts = request(CLASSIFY, b"[" * (BODY - 1), JSON, length=BODY)
    return {
        "64 held bodies": lambda port: Heavy(port, half, 64, ends=False),
        "16 held bodies of 16 MiB": lambda port: Heavy(port, parts, 16, ends=False),
        "8 x 1,000 texts": lambda port: Heavy(port, request(CLASSIFY, many, JSON), 8),
        "32 x 1,000 texts": lambda port: Heavy(port, request(CLASSIFY, many, JSON), 32),
        "8 x 1,000 texts of 16 KB": lambda port: Heavy(port, request(CLASSIFY, large, JSON), 8),
        "4 x 10 texts of 1 MB": lambda port: Heavy(port, request(CLASSIFY, long, JSON), 4),
        "8 x 1,000 texts, given up": lambda port: Heavy(port, request(CLASSIFY, many, JSON), 8, leaves_after=0.1),
        "512 x suggest": lambda port: Heavy(port, request(SUGGEST, single, FORM), 512),
        "32 x explain 100 KB": lambda port: Heavy(port, request(EXPLAIN, why, JSON), 32),
        "64 slow readers": lambda port: Heavy(port, request(CLASSIFY, many, JSON), 64, reads=False),
    }


def measure(port: int, name: str | None, texts: Sequence[str], names: Sequence[str]) -> str:
    """Return a row of the table."""
    requests = [request(SUGGEST, urlencode({"text": text}).encode(), FORM, LIGHT) for text in texts[:500]]
    statuses: dict[int, int] = {}
    context = get_context("spawn")
    done = context.Queue()
    heavy = context.Process(target=ask_heavily, args=(name, port, texts, names, done), daemon=True)
    if name is not None:
        heavy.start()
        time.sleep(SECONDS_TO_START)
    seconds, failed = asyncio.run(light(port, requests))
    if name is not None:
        statuses = done.get(timeout=60)
        heavy.join(60)
    ranked = sorted(seconds)
    p50, p99 = (ranked[int(len(ranked) * share)] * 1000 for share in (0.5, 0.99))
    shown = ", ".join(f"{count:,} times {status}" for status, count in sorted(statuses.items())) or "no answers"
    return f"{p50:7.1f} {p99:7.1f}   {len(ranked):5} {failed:5}   {shown}"


def main() -> None:
    """Train a model, serve it, and print all rows."""
    folder = os.environ.get("CLASSMARK_DATA")
    data = sys.argv[1] if len(sys.argv) > 1 else f"{folder}/reuters90" if folder else "docstrings"
    with tempfile.TemporaryDirectory() as place:
        path, tokens = Path(place, "model.classmark"), Path(place, "tokens")
        train(data, str(path))
        tokens.write_text(f"read {LIGHT} light\nwrite {HEAVY} heavy\n")
        corpus = read_corpus(data)
        texts = [str(text) for text in corpus.part(["test"], "test").documents]
        names = sorted({str(label) for labels in corpus.labels for label in labels or ()})
        port = free_port()
        options = ("--port", str(port), "--store", f"{place}/store.sqlite", "--token-file", str(tokens))
        print(f"suggest of a text beside one heavy client, {data}, linear-svm, {os.cpu_count()} cores")
        print(f"  {'heavy client':28} p50 ms  p99 ms   asked  429s   the heavy client's answers")
        with started(port, "-m", "classmark", "serve", f"m={path}", *options):
            time.sleep(2)
            for name in (None, *heavy_clients(texts, names)):
                if os.environ.get("FAIRNESS_ROWS", "") in str(name):
                    print(f"  {name or 'none':28} {measure(port, name, texts, names)}", flush=True)
                    time.sleep(2)


if __name__ == "__main__":
    main()
