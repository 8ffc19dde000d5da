"""How long the server takes to show 100,000 categories: the first page, what is below one, and a search as one types.

The model has made-up categories on two levels, or on one, and as good as no documents. Everything is asked of the
application itself, in this process: the time is what the server needs, not the network. Opening the page for the first
time makes what all searches use, and is shown apart, as is the search after it.
"""

import asyncio
import tempfile
import time
from itertools import islice, product
from pathlib import Path
from urllib.parse import urlencode

import httpx

from classmark import Hierarchy, TextClassifier
from classmark.server import ServerSettings, create_app

CATEGORIES = 100_000
BRANCHES = 300
RUNS = 20
FIRST = ["marine", "alpine", "urban", "medieval", "organic", "nuclear", "rural", "solar", "digital", "ancient"]
SECOND = ["law", "biology", "trade", "music", "engines", "medicine", "history", "bridges", "poetry", "soil"]
THIRD = [f"{kind} {number}" for number in range(1, 251) for kind in ("of groups", "by period", "in theory", "in use")]
TYPED = ["m", "me", "med", "medicine", "e", "in", "alpine tra", "trade alpine theory 7", "nothing like it"]


def names() -> list[str]:
    """Give made-up names, each another."""
    return [" ".join(words) for words in islice(product(THIRD, FIRST, SECOND), CATEGORIES)]


def two_levels() -> Hierarchy:
    """Put some categories on top and the others below them."""
    top, below = names()[:BRANCHES], names()[BRANCHES:]
    edges: list[tuple[str | None, str]] = [(None, name) for name in top]
    return Hierarchy.from_edges(edges + [(top[place % BRANCHES], name) for place, name in enumerate(below)])


async def measured(path: Path) -> None:
    """Ask the application, and print the times."""
    app = create_app(ServerSettings(models={"large": str(path)}, store=str(path.with_suffix(".sqlite"))))
    transport = httpx.ASGITransport(app=app)
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        start = time.perf_counter()
        (await client.get("/projects/large/browse")).raise_for_status()
        print(f"  {'opening the page, once':<32} {1000 * (time.perf_counter() - start):7.1f} ms")
        await timed(client, "first search", 1, q="med")
        first = (await client.get("/v1/projects/large/taxonomy")).json()["categories"][0]["uri"]
        await timed(client, "top", RUNS, limit=50)
        await timed(client, "top, last page", RUNS, limit=50, offset=CATEGORIES)
        await timed(client, "children", RUNS, parent=first, limit=50)
        for words in TYPED:
            await timed(client, f"search {words!r}", RUNS, q=words, limit=12)


async def timed(client: httpx.AsyncClient, what: str, runs: int, **asked: object) -> None:
    """Ask several times, and print the usual and the longest time."""
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        answer = await client.get(f"/v1/projects/large/taxonomy?{urlencode(asked)}")
        times.append(time.perf_counter() - start)
        answer.raise_for_status()
    middle, longest = sorted(times)[len(times) // 2], max(times)
    total = answer.json()["total"]
    print(f"  {what:<32} {1000 * middle:7.1f} ms, at most {1000 * longest:7.1f} ms {total:>9,} found")


def main() -> None:
    """Make the models, and print the times."""
    for kind, hierarchy in {"two levels": two_levels(), "one level": Hierarchy.flat(names())}.items():
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "large.classmark")
            texts = ["medicine of the sea", "bridges in the alps"]
            model = TextClassifier("knn-bm25", hierarchy=hierarchy)
            model.fit(texts, [[hierarchy.names[-1]], [hierarchy.names[-2]]]).save(path)
            print(f"{CATEGORIES:,} categories on {kind}")
            asyncio.run(measured(path))


if __name__ == "__main__":
    main()
