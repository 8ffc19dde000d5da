"""A store in each database, and a clock that goes on when it is told to."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

pytest.importorskip("sqlalchemy", reason="the extra serve is not installed")

from classmark.store import NewDocument, Store


class Clock:
    def __init__(self) -> None:
        self.now = datetime(2026, 3, 1, 12, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def goes_on(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(params=["sqlite", "postgresql"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of a store that is not there yet, in each database."""
    if request.param == "sqlite":
        return str(tmp_path / "store.sqlite")
    return request.getfixturevalue("postgres_address")


@pytest.fixture
def store(address: str, clock: Clock) -> Iterator[Store]:
    with Store.open(address, clock=clock) as opened:
        yield opened


@pytest.fixture
def birds(store: Store) -> Store:
    """A store with four documents, of which the model doubts `b` most and has no idea of `d`."""
    doubts = {"a": 0.1, "b": 0.9, "c": 0.5, "d": None}
    store.add(
        "birds",
        [
            NewDocument(name=name, text=f"text of {name}", said={"labels": ["owl"]}, version="1", doubt=doubt)
            for name, doubt in doubts.items()
        ],
        who="ann",
    )
    return store
