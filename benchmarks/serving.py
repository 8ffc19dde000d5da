"""How fast a server answers on loopback, one worker, `linear-svm`: single texts at 64 connections, and hundreds.

Beside that stand what the bare framework gives for an empty answer, and the model's own rate, all in one run.

    python benchmarks/serving.py [DATA]      DATA is a corpus; by default reuters90 of CLASSMARK_DATA, else docstrings
"""

import asyncio
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlencode
from urllib.request import urlopen

from classmark import TextClassifier
from classmark.data import read_corpus
from classmark.service.training import train

CONNECTIONS = 64
SINGLE, HUNDREDS = 6400, 60
BARE = """
import sys, uvicorn
from fastapi import FastAPI, Response
app = FastAPI()
@app.get("/")
async def empty() -> Response: return Response(b"")
uvicorn.run(app, port=int(sys.argv[1]), log_level="warning", access_log=False)
"""


@contextmanager
def started(port: int, *command: str) -> Iterator[None]:
    """Run a server, which answers once this is entered."""
    process = subprocess.Popen([sys.executable, *command], stderr=subprocess.DEVNULL)
    try:
        for _ in range(600):
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                break
            except OSError:
                time.sleep(0.1)
        yield
    finally:
        process.terminate()
        process.wait()


def free_port() -> int:
    """Give a port that nobody listens at."""
    with socket.create_server(("127.0.0.1", 0)) as found:
        return int(found.getsockname()[1])


async def _ask(port: int, requests: Sequence[bytes], times: list[float]) -> None:
    """Send requests one after the other on one connection."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    for request in requests:
        start = time.perf_counter()
        writer.write(request)
        head = (await reader.readuntil(b"\r\n\r\n")).lower()
        if not head.startswith(b"http/1.1 200"):
            raise RuntimeError(head.decode())
        await reader.readexactly(int(head.split(b"content-length:")[1].split(b"\r\n")[0]))
        times.append(time.perf_counter() - start)
    writer.close()


def rate(port: int, requests: Sequence[bytes], connections: int = CONNECTIONS) -> tuple[float, float]:
    """Give requests a second, best of three, and the 99th percentile of their seconds in that run."""
    best = (0.0, 0.0)
    for _ in range(3):
        times: list[float] = []
        start = time.perf_counter()

        async def all_of_them(times: list[float] = times) -> None:
            await asyncio.gather(*(_ask(port, requests[at::connections], times) for at in range(connections)))

        asyncio.run(all_of_them())
        found = len(requests) / (time.perf_counter() - start)
        best = max(best, (found, sorted(times)[int(len(times) * 0.99)]))
    return best


def request(path: str, body: bytes, kind: str, method: str = "POST") -> bytes:
    """Give a request as it is sent."""
    head = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


def model_rate(path: Path, texts: Sequence[str]) -> float:
    """Give how many texts a second the model itself predicts, best of five."""
    model = TextClassifier.load(path)
    seconds = []
    for _ in range(5):
        start = time.perf_counter()
        model.predict(texts)
        seconds.append(time.perf_counter() - start)
    return len(texts) / min(seconds)


def main() -> None:
    """Print all figures."""
    folder = os.environ.get("CLASSMARK_DATA")
    data = sys.argv[1] if len(sys.argv) > 1 else f"{folder}/reuters90" if folder else "docstrings"
    with tempfile.TemporaryDirectory() as place:
        path = Path(place, "model.classmark")
        train(data, str(path))
        texts = [str(text) for text in read_corpus(data).part(["test"], "test").documents]
        own = model_rate(path, texts)
        print(f"{data}: the model itself predicts {own:,.0f} texts a second")
        port = free_port()
        with started(port, "-c", BARE, str(port)):
            bare, p99 = rate(port, [request("/", b"", "text/plain", "GET")] * SINGLE)
        print(f"the bare framework: {bare:,.0f} empty answers a second, p99 {p99 * 1000:.1f} ms")
        command = ("-m", "classmark", "serve", f"m={path}", "--port", str(port), "--store", f"{place}/store.sqlite")
        with started(port, *command):
            urlopen(f"http://127.0.0.1:{port}/readyz").read()
            measure(port, texts, own)


def measure(port: int, texts: Sequence[str], own: float) -> None:
    """Print what a running server gives."""
    forms = [urlencode({"text": texts[at % len(texts)]}).encode() for at in range(SINGLE)]
    singles = [request("/v1/projects/m/suggest", form, "application/x-www-form-urlencoded") for form in forms]
    found, p99 = rate(port, singles)
    print(f"suggest, one text a request, {CONNECTIONS} connections: {found:,.0f} a second, p99 {p99 * 1000:.1f} ms")
    found, p99 = rate(port, singles[: SINGLE // 10], 1)
    print(f"suggest, one connection: {found:,.0f} a second, p99 {p99 * 1000:.1f} ms")
    hundreds = []
    for at in range(HUNDREDS):
        some = [texts[(at * 100 + one) % len(texts)] for one in range(100)]
        body = json.dumps({"documents": [{"text": text} for text in some]}).encode()
        hundreds.append(request("/v1/projects/m/classify", body, "application/json"))
    for connections in (1, 4):
        found, _ = rate(port, hundreds, connections)
        shown = f"{found * 100:,.0f} texts a second, {found * 100 / own:.0%} of the model's own rate"
        print(f"classify, 100 texts a request, {connections} connection(s): {shown}")


if __name__ == "__main__":
    main()
