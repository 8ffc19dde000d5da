"""What the page's own routes are sent and answer, as the interface describes it."""

from typing import Any, Literal

from pydantic import BaseModel, Field

from classmark.server.schemas import Body, BranchOut, ProjectInfo, StoredOut, Who


class LinkOut(BaseModel):
    """A category, and what it is called."""

    uri: str = Field(examples=["http://example.org/grain"])
    label: str = Field(examples=["grain"])


class WeightOut(BaseModel):
    """A word, and how much it speaks for a category or against it."""

    word: str
    weight: float


class WordsOut(BaseModel):
    """The words that speak for a category and against it."""

    speaking_for: list[WeightOut] = Field(alias="for")
    against: list[WeightOut]


class NearNodeOut(LinkOut):
    """A category with the same words."""

    path: list[str]
    alike: float = Field(description="How alike the words of both are, from 0 to 1.")


class InsteadOut(LinkOut):
    """A category that documents of another got instead."""

    documents: int


class NodeFiguresOut(BaseModel):
    """How good the answers are for a category, as it was measured."""

    documents: int
    predicted: int
    precision: float
    recall: float
    f1: float
    instead: list[InsteadOut]


class NodeOut(BranchOut):
    """What is known of a category."""

    way: list[LinkOut] = Field(description="The categories from the top down to it.")
    parents: list[LinkOut]
    description: str | None
    learned: bool = Field(description="Whether it, or one below it, had a document to learn from.")
    learned_from: int | None = Field(description="How many, where the model keeps its documents.")
    words: WordsOut | None
    no_words: str | None = Field(description="Why there are no words.")
    nearest: list[NearNodeOut]
    figures: NodeFiguresOut | None


class NodeDocumentsOut(BaseModel):
    """Documents of a category."""

    documents: list[StoredOut] = Field(description="Those in the store.")
    more: bool = Field(description="Whether there are more in the store.")
    indexed: list[str] = Field(description="The ids of those in the live index.")
    indexed_total: int


class RetrainRequest(Body):
    """Who wants to train again."""

    who: Who | None = None


class RetrainingOut(BaseModel):
    """How training again is going."""

    possible: bool = Field(description="Whether the server knows what to train from.")
    state: Literal["none", "running", "ready", "failed", "taken-up", "dismissed"]
    told: str | None = Field(description="Why it failed, or what stands in the way.")
    step: str | None = Field(description="What it is doing.")
    started: str | None
    ended: str | None
    who: str | None
    corrections: int | None = Field(description="How many corrections it learned from.")
    before: str | None = Field(description="The version that the candidate was compared with.")
    version: str | None = Field(description="The version of the candidate.")
    figures: list[dict[str, Any]] | None = Field(description="Figures of both, on the same documents held out.")
    documents: int | None = Field(description="How many documents were held out.")
    against: Literal["model", "without"] | None = Field(
        description="What the candidate was compared with: the model itself, or one trained without the corrections."
    )


class PromiseOut(BaseModel):
    """What became of held-out documents where so many of the labels given should be right."""

    confidence: float = Field(description="So many should be.")
    right: float = Field(description="The share of the labels given that were right.")
    in_full: float = Field(description="The share of documents answered in full.")
    in_part: float
    without: float
    documents: int


class ModelFiguresOut(BaseModel):
    """How good the model is, as it was measured."""

    documents: int
    hf: float | None
    micro_f1: float | None
    macro_f1: float | None
    seen_in_training: int
    version: str = Field(description="The version that answered when the server was started with these figures.")


class ModelOut(ProjectInfo):
    """What is served, how it was made, and how good it is."""

    settings: dict[str, Any]
    selection: str | None
    decision: str
    because: str | None
    parts: str | None
    expected: str | None = Field(description="What a search expects of new documents.")
    hierarchy: str
    terms: int
    seed: int | None
    bytes: int | None
    promises: list[PromiseOut]
    figures: ModelFiguresOut | None
    report: bool = Field(description="Whether there is a report.")
