"""Parts of made-up reports: findings, curves, an error with the words behind it."""

from classmark.inspection import Finding
from classmark.inspection.findings import Example
from classmark.report import Curve, Piece, Series, WrongDocument

FINDINGS = (
    Finding(
        kind="duplicates",
        level="error",
        count=2,
        what="2 documents have the same id",
        then="Reading refuses the corpus.",
        remedy="give every document an id of its own",
        examples=[Example(where="tickets.csv:17", what="the id t-17 again, first in line 4")],
    ),
    Finding(
        kind="across",
        level="warning",
        count=31,
        what="31 documents of the split test are nearly the same as one to learn from",
        then="Figures are better than they would be on new documents.",
        remedy="leave them out of one of the splits",
        examples=[Example(where=f"tickets.csv:{line}", what=f"like line {line - 9}") for line in (31, 42, 57)],
    ),
    Finding(
        kind="short", level="note", count=4, what="4 texts have fewer than 3 words", then="They are kept.", remedy=""
    ),
)

LEARNING = Curve(
    name="learning",
    title="Learning curve",
    says="With twice the documents, micro F1 rose by 0.04 last: more documents would help.",
    x_axis="documents to learn from",
    y_axis="F1",
    series=[
        Series(name="micro F1", x=[100, 200, 400, 800, 1600], y=[0.52, 0.63, 0.71, 0.77, 0.81]),
        Series(name="macro F1", x=[100, 200, 400, 800, 1600], y=[0.21, 0.32, 0.45, 0.55, 0.61]),
    ],
    log_x=True,
)
CURVES = (
    Curve(
        name="precision-recall",
        title="Precision against recall",
        says="At a precision of 0.9, two thirds of the labels are found.",
        x_axis="recall",
        y_axis="precision",
        series=[
            Series(
                name="flat",
                x=[place / 60 for place in range(61)],
                y=[1 - (place / 60) ** 3 * 0.8 for place in range(61)],
            ),
            Series(
                name="top-down",
                x=[place / 60 for place in range(61)],
                y=[0.97 - (place / 60) ** 2 * 0.9 for place in range(61)],
            ),
        ],
    ),
    Curve(
        name="calibration",
        title="Calibration",
        says="Answers that the model holds for 0.8 sure are right in 0.74 of all cases: it is a little too sure.",
        x_axis="how sure the model is",
        y_axis="how often it is right",
        series=[Series(name="answers", x=[0.1, 0.3, 0.5, 0.7, 0.9], y=[0.12, 0.26, 0.44, 0.63, 0.86])],
        diagonal=True,
    ),
    Curve(
        name="coverage",
        title="Coverage against accuracy",
        says="Where the model answers the surest 60 % alone, 0.97 of the answers are right.",
        x_axis="part of the documents answered",
        y_axis="accuracy",
        series=[
            Series(
                name="accuracy",
                x=[place / 20 for place in range(1, 21)],
                y=[1 - (place / 20) ** 4 * 0.18 for place in range(1, 21)],
            )
        ],
    ),
    LEARNING,
)


def error_of(id: str, true: list[int], answered: list[int], **others: object) -> WrongDocument:
    return WrongDocument(
        id=id,
        true=true,
        answered=answered,
        sure=0.71,
        pieces=[
            Piece(text="Hello,\nI cannot get in any more since my "),
            Piece(text="password", share=0.92),
            Piece(text=" has "),
            Piece(text="expired", share=0.31),
            Piece(text=", and I would "),
            Piece(text="rather", share=0.04),
            Piece(text=" have you "),
            Piece(text="close", share=-0.55),
            Piece(text=" the "),
            Piece(text="account", share=-0.12),
            Piece(text=" than make a new one. Thank you!"),
        ],
        terms=[("password", 0.92), ("close", -0.55), ("expired", 0.31), ("account", -0.12)],
        why="What each word adds to the score of the answer, above the score of the true label.",
        **others,  # type: ignore[arg-type]
    )
