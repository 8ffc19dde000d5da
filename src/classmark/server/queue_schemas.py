"""What is sent and answered about the queue of reviewing: progress, history, likeness, disagreement."""

from typing import Literal

from pydantic import BaseModel, Field

from classmark.server.schemas import Key, Name, StoredOut, StrictBody, VerdictOut, Who


class PlaceOut(BaseModel):
    """Where a category is."""

    label: str
    path: list[str] = Field(description="Labels from the top down to it.")


class QueuedDocument(StoredOut):
    """A document of the store, and where the categories are that it names."""

    places: dict[str, PlaceOut] = Field(
        description="By the names of categories; those that the model has not are missing."
    )


class QueuedList(BaseModel):
    """Documents of the store."""

    documents: list[QueuedDocument]


class LikeDocument(QueuedDocument):
    """A document that is like another."""

    likeness: float = Field(ge=0, le=1, description="The cosine of the two texts, as the model reads them.")


class LikeList(BaseModel):
    """Documents that are like one, the most like first."""

    documents: list[LikeDocument]


class Seen(StrictBody):
    """A document, as it was seen."""

    document_id: Name
    revision: int | None = Field(None, ge=0, le=2**53)


class SameVerdict(StrictBody):
    """The same verdict on several documents."""

    documents: list[Seen] = Field(min_length=1, max_length=200)
    verdict: Literal["accept", "correct", "reject", "undo"]
    labels: list[Name] | None = Field(None, max_length=1000, description="The right categories, for `correct`.")
    key: Key | None = Field(None, description="What marks these verdicts: sending them twice changes nothing.")
    who: Who | None = None


class Conflicting(BaseModel):
    """A document on which the verdict was not kept."""

    document_id: str
    detail: str


class SameOut(BaseModel):
    """What became of the same verdict on several documents."""

    kept: list[VerdictOut]
    conflicts: list[Conflicting]


class Person(StrictBody):
    """Who it is."""

    who: Who | None = None


class Released(BaseModel):
    """How many documents were given back."""

    released: int


class PastVerdict(VerdictOut):
    """A verdict, and whether it was taken back."""

    undone: bool
    said: list[str] | None = Field(description="What the model had said.")


class History(BaseModel):
    """All that was said of a document, the earliest first."""

    verdicts: list[PastVerdict]


class CompareRequest(StrictBody):
    """Which other project is to be compared, and after which document to go on."""

    other: Name
    after: int = Field(0, ge=0, le=2**53)


class Compared(BaseModel):
    """How many waiting documents were compared, and where to go on."""

    compared: int
    differing: int
    after: int
    more: bool


class BranchProgress(BaseModel):
    """How far reviewing is in a branch."""

    name: str | None
    label: str | None
    waiting: int
    reviewed: int
    human: int
    rejected: int


class ShareOut(BaseModel):
    """The accepted share of a sample at random, with its interval at 95 %."""

    accepted: int
    of: int
    share: float
    low: float
    high: float


class Progress(BaseModel):
    """How far reviewing is, and what it has shown."""

    documents: int
    waiting: int
    reviewed: int
    human: int
    rejected: int
    claimed: int
    random: dict[str, int] = Field(description="Verdicts on the random sample, by kind.")
    people: dict[str, dict[str, int]]
    share: ShareOut
    enough: Literal["close", "in-a-row"] | None = Field(
        description="By which rule more reviewing would change little: the interval reaches no farther than 3 points "
        "from its middle (30 documents or more), or the last 50 at random were all accepted."
    )
    branches: list[BranchProgress]
    others: list[str] = Field(description="Other projects with the same categories, to disagree with.")
