"""A report that means no good."""

from classmark.inspection import Finding
from classmark.inspection.findings import Example
from classmark.report import Change, Curve, Destination, Doubt, Fact, Node, Pair, Piece, Report, Series, WrongDocument

EVIL = "<script>alert(1)</script>"
TURN = "\u202eabc\u202c \u200f\u2066"


def hostile() -> Report:
    """Names and texts that a page must not obey."""
    nodes = [
        Node(name="</div>", documents=3, f1=0.1, precision=float("nan"), words=[EVIL, '"onload="']),
        Node(name=EVIL, title="</script><img src=x onerror=alert(1)>", parents=[0], documents=2, f1=1.0),
        Node(name=TURN, parents=[0, 1], documents=1, f1=0.5),
        Node(name="", parents=[2]),
        Node(name="\x00\x1b[31m\ud800" + "x" * 10_000, parents=[2], documents=0),
    ]
    text = [
        [],
        [Piece(text="")],
        [Piece(text=EVIL, share=0.5), Piece(text=TURN, share=-1.0)],
        [Piece(text="word " * 20_000)],
    ]
    return Report(
        title=f"</title>{EVIL}",
        summary=[EVIL, TURN],
        facts=[Fact(name="</dl>", value=EVIL)],
        figures=[Fact(name=EVIL, value="\u2028</dd>")],
        nodes=nodes,
        destinations=[Destination(kind="</ul>", labels=0, words=EVIL)],
        pairs=[Pair(true=1, answered=None, documents=1, kind=EVIL)],
        curves=[
            Curve(
                name='"><x',
                title=EVIL,
                says=EVIL,
                x_axis=EVIL,
                y_axis=EVIL,
                series=[Series(name=EVIL, x=[0, float("nan")], y=[float("inf"), 1])],
            ),
            Curve(name="none", title="Nothing", says="", x_axis="", y_axis="", series=[], log_x=True, diagonal=True),
        ],
        errors=[
            WrongDocument(id=EVIL, true=[], answered=[1, 2], pieces=pieces, why=EVIL, terms=[(EVIL, 1.0)], cut=True)
            for pieces in text
        ],
        n_errors=4,
        findings=[
            Finding(
                kind=EVIL,
                level="warning",
                count=1,
                what=EVIL,
                then=EVIL,
                remedy=EVIL,
                examples=[Example(where=EVIL, what=TURN)],
            )
        ],
        doubts=[Doubt(id=EVIL, split=EVIL, labels=[0], rather=[], chance=0.0, text="")],
        doubts_by=EVIL,
        alike=[(0, 1, 1.0)],
        empty=[3],
        names=[EVIL, "b"],
        changes=[Change(name=EVIL, first=0.0, second=1.0, chance=0.5)],
    )
