"""What is sent and what is answered: checked on the way in, and described in the interface with examples."""

from datetime import datetime
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from classmark.errors import InputError

UNKNOWN = "Whether the model reads terms and knows none of the text's, which therefore gets no category."
TEXT = "Grain prices rose in Chicago as exports of wheat increased."


def _whole(text: str) -> str:
    """Refuse halves of characters, which no file and no database can hold."""
    if any("\ud800" <= character <= "\udfff" for character in text) if not text.isascii() else False:
        raise InputError("has halves of characters (surrogates); send whole ones")
    return text


def _without_null(text: str) -> str:
    if "\0" in text:
        raise InputError("has a character 0, which no name has; leave it out")
    return _whole(text)


Text: TypeAlias = Annotated[str, AfterValidator(_whole), Field(examples=[TEXT])]
Name: TypeAlias = Annotated[str, AfterValidator(_without_null), Field(min_length=1, max_length=500)]
DocumentId: TypeAlias = Annotated[str, AfterValidator(_without_null), Field(min_length=1, max_length=400)]
Who: TypeAlias = Annotated[str, AfterValidator(_without_null), Field(min_length=1, max_length=200, examples=["Ada"])]
Key: TypeAlias = Annotated[str, AfterValidator(_without_null), Field(min_length=1, max_length=200)]


class Body(BaseModel):
    """Something that is sent; what it says beside what is known is not looked at.

    Nothing is taken for what it is not, such as `true` for the revision 1: the description does not allow that.
    """

    model_config = ConfigDict(extra="ignore", strict=True)


class StrictBody(Body):
    """Body of a review request: an unknown key is an error, because a client may mean a certain document by it."""

    model_config = ConfigDict(extra="forbid", strict=True)


class ApiInfo(BaseModel):
    """What answers here."""

    title: str = Field(examples=["classmark"])
    version: str = Field(examples=["0.1.0"])


class Vocabulary(BaseModel):
    """The categories of a model."""

    vocab_id: str = Field(examples=["news"])
    languages: list[str] = Field(examples=[["en"]])
    size: int = Field(examples=[94])
    loaded: bool


class Vocabularies(BaseModel):
    """All vocabularies."""

    vocabs: list[Vocabulary]


class Backend(BaseModel):
    """The method of a project."""

    backend_id: str = Field(examples=["linear-svm"])


class ProjectInfo(BaseModel):
    """A model, as Annif describes a project, and what else there is to know of it."""

    project_id: str = Field(examples=["news"])
    name: str = Field(examples=["news"])
    language: str = Field(examples=["en"])
    backend: Backend
    vocab: Vocabulary
    vocab_language: str = Field(examples=["en"])
    is_trained: bool
    modification_time: datetime
    version: str = Field(description="The version of the model that answers.", examples=["5f0c2a7be1d4"])
    previous: str | None = Field(description="The version before, which can be put back.", examples=["91c0d2ffab35"])
    problem: str | None = Field(description="Why what lies in the model's place does not answer.", examples=[None])
    chances: Literal["calibrated", "own", "squashed"] = Field(
        description="What scores are: calibrated probabilities, the method's own, or scores squashed into 0 to 1."
    )
    learning: Literal["at once", "with the next training", "no"] = Field(
        description="When documents that are sent to `learn` count."
    )


class ProjectList(BaseModel):
    """All projects."""

    projects: list[ProjectInfo]


class SuggestForm(Body):
    """What `suggest` is sent, as a form; fields that begin with `metadata_` are not looked at."""

    # The fields of a form are all text.
    model_config = ConfigDict(strict=False)

    text: Text
    limit: int = Field(10, ge=0, le=2**31 - 1, description="The most suggestions.")
    threshold: float = Field(0.0, ge=0, le=1, description="The least score.")
    language: str | None = Field(None, max_length=20, description="The language of labels: the vocabulary's.")


class SuggestionOut(BaseModel):
    """A category that may be right."""

    uri: str = Field(examples=["http://example.org/grain"])
    label: str = Field(examples=["grain"])
    notation: str | None = Field(None, examples=["42.42"])
    score: float = Field(ge=0, le=1, examples=[0.85])


class SuggestionList(BaseModel):
    """The best categories of a text, the best first."""

    results: list[SuggestionOut]
    no_known_terms: bool = Field(description=UNKNOWN)


class BatchedSuggestions(SuggestionList):
    """The best categories of one text of several."""

    document_id: str | None = None


class BatchDocument(Body):
    """A text, and what it is called."""

    text: Text
    document_id: str | None = Field(None, max_length=500, examples=["doc-1234"])
    metadata: dict[str, str] = Field(default_factory=dict, description="Not looked at.")


class SuggestBatch(Body):
    """What `suggest-batch` is sent."""

    documents: list[BatchDocument] = Field(max_length=32)


class Subject(Body):
    """A category that is right."""

    uri: Name = Field(examples=["http://example.org/grain"])
    label: str | None = None


class IndexedDocument(Body):
    """A document, and its categories."""

    text: Text
    subjects: list[Subject] = Field(max_length=1000)
    document_id: DocumentId | None = None
    metadata: dict[str, str] = Field(default_factory=dict, description="Not looked at.")


class DetectLanguage(Body):
    """What `detect-language` is sent."""

    text: Text
    languages: list[Annotated[str, Field(min_length=2, max_length=3)]] = Field(
        min_length=1, max_length=5, examples=[["en", "fi", "sv"]]
    )


class DetectedLanguage(BaseModel):
    """A language, or None for any other."""

    language: str | None
    score: float


class DetectedLanguages(BaseModel):
    """How probable languages are."""

    results: list[DetectedLanguage]


class ClassifyRequest(Body):
    """Texts to put into categories."""

    documents: list[BatchDocument]
    min_precision: float | None = Field(
        None, gt=0, lt=1, description="The share of labels that are to be right, as `predict --min-confidence`."
    )


class PlacedOut(BaseModel):
    """A category of a text, the most specific on its path."""

    uri: str
    label: str
    notation: str | None
    name: str
    path: list[str] = Field(description="Labels from the top down to it.", examples=[["goods", "grain"]])
    chance: float = Field(ge=0, le=1)


class ClassifiedOut(BaseModel):
    """What a model decides about a text."""

    document_id: str | None
    labels: list[str] = Field(description="All categories, ancestors included, as `classmark predict` gives them.")
    own: list[PlacedOut]
    doubt: float = Field(ge=0, le=1)
    no_known_terms: bool = Field(description=UNKNOWN)


class ClassifiedList(BaseModel):
    """What a model decides about texts."""

    version: str
    documents: list[ClassifiedOut]


class ExplainRequest(Body):
    """A text to explain."""

    text: Text
    categories: list[Name] | None = Field(
        None, min_length=1, max_length=20, description="Which to explain; by default those that the text gets."
    )
    top: int = Field(10, ge=1, le=1000, description="How many terms to give.")
    why_not: bool | Name = Field(False, description="Set each against the runner-up, or against this category.")
    along: bool = Field(False, description="Say what each category on the path scored.")
    marked: bool = Field(False, description="Give the text in pieces, with what each adds.")
    near: int = Field(0, ge=0, le=20, description="How many of the categories to give that nearly made it.")


class ExplainedOut(BaseModel):
    """Why a text gets its categories."""

    version: str
    decision: str
    explanations: list[dict[str, Any]]
    near: list[PlacedOut] = Field(description="The best of the categories that it does not get.")


class BranchOut(BaseModel):
    """A category in its place."""

    uri: str
    label: str
    notation: str | None
    name: str
    path: list[str]
    children: int
    below: int


class TaxonomyPage(BaseModel):
    """Some categories, of so many."""

    total: int
    offset: int
    categories: list[BranchOut]


class ReviewDocument(Body):
    """A document to be reviewed."""

    text: Text
    document_id: DocumentId | None = Field(None, description="What it is called; otherwise it gets a number.")
    labels: list[Name] | None = Field(None, max_length=1000, description="The labels that it came with.")


class ReviewAdd(Body):
    """Documents to be reviewed."""

    documents: list[ReviewDocument] = Field(min_length=1)
    who: Who | None = None


class ReviewClaim(StrictBody):
    """Who wants to review, and in which order."""

    who: Who | None = None
    order: Literal["doubt", "disagreement", "suspicion", "random"] = "doubt"
    count: int = Field(1, ge=1, le=100)


class ReviewVerdict(StrictBody):
    """What a person says of a document."""

    document_id: DocumentId | None = Field(
        None, description="Which document; for undo, by default the last one judged."
    )
    verdict: Literal["accept", "correct", "reject", "skip", "undo"]
    labels: list[Name] | None = Field(None, max_length=1000, description="The right categories, for `correct`.")
    revision: int | None = Field(None, ge=0, le=2**53, description="The revision that was seen.")
    key: Key | None = Field(None, description="What marks this verdict: sending it twice changes nothing.")
    who: Who | None = None


class StoredOut(BaseModel):
    """A document of the store."""

    document_id: str
    text: str
    state: str
    labels: list[str] | None
    given: list[str] | None
    said: dict[str, Any] | None
    version: str | None
    doubt: float | None
    disagreement: float | None
    suspicion: float | None
    revision: int
    added: datetime
    by: str


class StoredList(BaseModel):
    """Documents of the store."""

    documents: list[StoredOut]


class VerdictOut(BaseModel):
    """A verdict that was kept."""

    document_id: str
    verdict: str
    labels: list[str] | None
    state: str
    revision: int
    who: str
    at: datetime
    key: str


class Forgotten(BaseModel):
    """How many documents were deleted."""

    forgotten: int


class ProblemOut(BaseModel):
    """What is wrong."""

    type: str = Field(examples=["about:blank"])
    title: str = Field(examples=["Bad Request"])
    status: int = Field(examples=[400])
    detail: str = Field(examples=["text: field required; see /docs"])


class Health(BaseModel):
    """Whether the server is well."""

    status: Literal["ok"]
