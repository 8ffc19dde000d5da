"""Made-up reports: small and large, of one model, of two, of none; and (`hostile`) one that means no good."""

import random
from dataclasses import replace

from classmark.report import Change, Destination, Doubt, Fact, Node, Pair, Report
from tests.report.hostile import hostile
from tests.report.parts import CURVES, FINDINGS, LEARNING, error_of

WORDS = [
    *("wheat", "corn", "crude", "oil", "ship", "port", "trade", "bank", "rate", "money", "gold", "copper"),
    *("tin", "cocoa", "coffee", "sugar", "grain", "soy", "rubber"),
]


def nodes_of(count: int, branching: int, seed: int = 0, *, judged: bool = True) -> list[Node]:
    """Give a tree of so many nodes, documents added up along it."""
    random_ = random.Random(seed)
    parents = [-1] + [random_.randrange(max(0, place - branching), place) // 2 for place in range(1, count)]
    tops = min(branching, count)
    parents = [-1 if place < tops else min(parents[place], place - 1) for place in range(count)]
    own = [int(random_.paretovariate(0.9)) for _ in range(count)]
    documents = list(own)
    for place in range(count - 1, -1, -1):
        if parents[place] >= 0:
            documents[parents[place]] += documents[place]
    return [
        _node(
            place,
            parents[place],
            0 if random_.random() < 0.06 and own[place] == documents[place] else documents[place],
            random_,
            judged,
        )
        for place in range(count)
    ]


def _node(place: int, parent: int, documents: int, random_: random.Random, judged: bool) -> Node:
    quality = min(1.0, max(0.0, random_.gauss(0.78, 0.25)))
    node = Node(
        name=f"{random_.choice(WORDS)}-{place}",
        parents=[parent] if parent >= 0 else [],
        documents=documents,
        training=3 * documents + 1,
        words=random_.sample(WORDS, 5),
    )
    if not judged or not documents:
        return node
    return replace(
        node,
        predicted=int(documents * random_.uniform(0.7, 1.2)),
        precision=min(1.0, quality * 1.05),
        recall=quality * 0.95,
        f1=quality,
    )


def tiny() -> Report:
    """A corpus of 20 documents."""
    nodes = [
        Node(
            name="billing",
            documents=9,
            training=18,
            predicted=8,
            precision=1.0,
            recall=0.89,
            f1=0.94,
            words=["invoice", "card"],
        ),
        Node(
            name="billing/refund",
            title="Refunds",
            parents=[0],
            documents=5,
            training=9,
            predicted=5,
            precision=0.8,
            recall=0.8,
            f1=0.8,
            words=["refund", "back"],
        ),
        Node(
            name="billing/invoice",
            title="Invoices",
            parents=[0],
            documents=4,
            training=9,
            predicted=3,
            precision=0.67,
            recall=0.5,
            f1=0.57,
            words=["invoice"],
        ),
        Node(
            name="account",
            documents=11,
            training=20,
            predicted=12,
            precision=0.9,
            recall=1.0,
            f1=0.95,
            words=["password", "login"],
        ),
        Node(
            name="account/password",
            title="Passwords",
            parents=[3],
            documents=8,
            training=12,
            predicted=9,
            precision=0.88,
            recall=1.0,
            f1=0.94,
        ),
        Node(
            name="account/close",
            title="Closing an account",
            parents=[3],
            documents=3,
            training=7,
            predicted=0,
            recall=0.0,
            f1=0.0,
        ),
        Node(name="account/merge", title="Merging accounts", parents=[3], documents=0, training=1),
    ]
    return Report(
        title="support.classmark on tickets.csv",
        summary=[
            "17 of 20 documents get the right category; 3 do not.",
            "The weakest category is “Closing an account”: none of its 3 documents is found.",
        ],
        facts=[
            Fact(name="Model", value="linear-svm, learned from 38 documents"),
            Fact(name="Documents", value="20, the split test"),
        ],
        figures=[
            Fact(name="micro F1", value="0.85"),
            Fact(name="macro F1", value="0.66"),
            Fact(name="documents", value="20"),
        ],
        nodes=nodes,
        destinations=[Destination(kind="sibling", labels=3, words="They went to a category beside the right one.")],
        pairs=[
            Pair(true=5, answered=4, documents=2, kind="sibling"),
            Pair(true=2, answered=None, documents=1, kind="nowhere"),
        ],
        errors=[error_of("t-3", [5], [4])],
        n_errors=3,
        curves=[LEARNING],
        empty=[6],
        findings=FINDINGS[2:],
    )


def medium(count: int = 94, branching: int = 9) -> Report:
    """A corpus of newspaper size: two or three levels."""
    nodes = nodes_of(count, branching)
    random_ = random.Random(1)

    def leaf() -> int:
        return random_.randrange(branching, count)

    return Report(
        title="news.classmark on reuters",
        summary=[
            "2,413 of 3,019 documents get exactly the right categories; micro F1 is 0.86.",
            "Most labels that are wrong went to a sibling of the right one.",
            "31 documents of the split test are nearly the same as one to learn from.",
        ],
        facts=[
            Fact(name="Model", value="blend of linear-svm and knn, learned from 7,769 documents in 41 s"),
            Fact(name="Documents", value="3,019 of the split test"),
            Fact(name="Categories", value=f"{count} in 3 levels"),
            Fact(name="Made by", value="classmark 0.1.0, Python 3.12"),
        ],
        figures=[
            Fact(name="micro F1", value="0.861"),
            Fact(name="macro F1", value="0.642"),
            Fact(name="hierarchical F1", value="0.894"),
            Fact(name="right altogether", value="79.9 %"),
            Fact(name="documents", value="3,019"),
        ],
        nodes=nodes,
        destinations=[
            Destination(kind="sibling", labels=412, words="A category beside the right one was answered."),
            Destination(kind="parent", labels=121, words="The answer stopped above the right category."),
            Destination(kind="elsewhere", labels=93, words="Another branch of the tree was answered."),
            Destination(kind="nowhere", labels=61, words="Nothing was answered."),
        ],
        pairs=[Pair(true=leaf(), answered=leaf(), documents=40 - 3 * place, kind="sibling") for place in range(8)],
        curves=CURVES,
        errors=[error_of(f"test/{14800 + place}", [leaf()], [leaf(), leaf()]) for place in range(12)],
        n_errors=606,
        findings=FINDINGS,
        doubts=[
            Doubt(
                id=f"training/{place}",
                split="train",
                labels=[leaf()],
                rather=[leaf()],
                chance=0.02 * place,
                text="Grain shipments rose " * 12,
            )
            for place in range(4)
        ],
        doubts_by="Five linear models doubt, each learned from four fifths of the documents.",
        alike=[(leaf(), leaf(), 0.97 - 0.05 * place) for place in range(3)],
        empty=[node for node in range(count) if not nodes[node].documents],
    )


def large(count: int = 17_157) -> Report:
    """A deep tree of many nodes."""
    return replace(medium(count, 11), title="wordnet.classmark on wordnet_nouns")


def two_models() -> Report:
    """Two models compared."""
    random_ = random.Random(2)
    report = medium()
    nodes = [
        node if node.f1 is None else replace(node, other_f1=min(1.0, max(0.0, node.f1 + random_.gauss(0.03, 0.1))))
        for node in report.nodes
    ]
    return replace(
        report,
        title="first.classmark and second.classmark on reuters",
        nodes=nodes,
        names=["first.classmark", "second.classmark"],
        changes=[
            Change(name="micro F1", first=0.861, second=0.874, chance=0.0004),
            Change(name="macro F1", first=0.642, second=0.631, chance=0.31),
            Change(name="right altogether", first=0.799, second=0.799),
        ],
        errors=[replace(error, other=error.true) for error in report.errors],
    )


def corpus_only() -> Report:
    """Documents, and no model."""
    report = medium()
    return Report(
        title="reuters",
        summary=["10,788 documents in 94 categories; 31 are nearly the same as others."],
        facts=report.facts[1:],
        nodes=nodes_of(94, 9, judged=False),
        findings=FINDINGS,
        alike=report.alike,
        empty=report.empty,
    )


def nothing() -> Report:
    """A report that says nothing."""
    return Report(title="", summary=[], facts=[], nodes=[])


def without_documents() -> Report:
    """Categories, and not a single document."""
    return Report(
        title="none",
        summary=["There are no documents."],
        facts=[],
        nodes=[Node(name="bird"), Node(name="owl", parents=[0])],
    )


EXAMPLES = {
    "tiny": tiny,
    "medium": medium,
    "large": large,
    "two_models": two_models,
    "corpus_only": corpus_only,
    "hostile": hostile,
    "nothing": nothing,
    "without_documents": without_documents,
}
