"""What is sent and answered about batches."""

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, Field

from classmark.server.schemas import Body, Name, Who


class BatchOut(BaseModel):
    """A file that somebody brought, and how far it is."""

    batch_id: str = Field(examples=["3fa2c4d5e6f70819"])
    name: str = Field(examples=["tickets.csv"])
    kind: Literal["csv", "tsv", "jsonl"]
    bytes: int
    who: str
    added: datetime
    state: Literal["uploaded", "running", "done", "stopped"] = Field(
        description="A column is to be chosen; rows are being answered; all are; something went wrong."
    )
    problem: str | None = Field(description="Why it stopped.")
    columns: list[str]
    text_column: str = Field(description="The column that has the texts: chosen, or guessed as long as none is.")
    sample: list[list[str]] = Field(description="The first rows, their cells cut.")
    rows: int
    done: int = Field(description="How many rows are answered.")
    problems: int = Field(description="How many rows have no text that could be read.")


class BatchList(BaseModel):
    """All batches of a project, the latest first."""

    batches: list[BatchOut]


class BatchStart(Body):
    """Which column has the texts."""

    text_column: Name


class OwnOut(BaseModel):
    """A category of a row, the most specific on its path."""

    name: str
    label: str
    path: list[str]
    chance: float | None


class BatchRow(BaseModel):
    """A row, and what is said of it."""

    number: int
    line: int = Field(description="Its last line in the file.")
    text: str = Field(description="The beginning of its text.")
    labels: list[str] | None
    own: list[OwnOut] | None
    doubt: float | None
    by: Literal["model", "accepted", "corrected", "rejected"] | None = Field(description="Whose word it is.")
    problem: str | None = Field(description="Why it has no answer.")


class BatchRows(BaseModel):
    """Some rows of a batch."""

    rows: list[BatchRow]


class BranchDocuments(BaseModel):
    """How many rows a branch has got."""

    name: str
    label: str
    children: int
    documents: int


class BranchList(BaseModel):
    """The branches below a category, or the topmost, that have got rows; the largest first."""

    branches: list[BranchDocuments]


class BatchReview(Body):
    """Which rows are to be reviewed."""

    count: int = Field(100, ge=1, le=10_000)
    order: Literal["doubt", "random"] = Field("doubt", description="The most doubtful, or a sample at random.")
    category: Name | None = Field(None, description="Only rows of this branch.")
    who: Who | None = None


class Added(BaseModel):
    """How many documents now wait for review."""

    added: int
