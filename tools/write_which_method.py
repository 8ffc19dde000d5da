"""Write the decision tree of `docs/which-method.md`, in words and as a drawing, from one description.

    python tools/write_which_method.py

The figures of its answers are cells of other pages' tables. A test compares the page and the drawing with what this
writes.
"""

import re
from html import escape
from textwrap import wrap
from typing import NamedTuple

from tables import DOCS, cell, write

DRAWING = DOCS / "_static" / "which-method.svg"


class Answer(NamedTuple):
    """A method, the page that has more, and what it is worth as a sentence with places for figures."""

    method: str
    page: str
    worth: str
    figures: tuple[tuple[str, str, tuple[str, ...], str], ...]

    def said(self) -> str:
        """Give what it is worth, with the figures."""
        return self.worth.format(*(first_of(cell(*figure)) for figure in self.figures))


class Question(NamedTuple):
    """A question, and what comes after each of its answers."""

    words: str
    choices: "dict[str, Question | Answer]"


def first_of(figures: str) -> str:
    """Give the first figure of a cell, to three places."""
    first = figures.split(", ")[0].removesuffix(" (hF)")
    return f"{float(first):.3f}" if re.fullmatch(r"0?\.\d{3,}", first) else first


def of_all(corpus: str, method: str, column: str = "hF") -> tuple[str, str, tuple[str, ...], str]:
    """Say where a figure of the comparison of all methods stands."""
    return ("comparison", "Every figure", (corpus, method), column)


TREE = Question(
    "How many documents have labels?",
    {
        "none": Question(
            "How long are the texts?",
            {
                "a sentence": Answer(
                    "embedding-em",
                    "dataless.md#short-texts",
                    "clinc150, names alone: micro- / macro-F1 {} %",
                    (("dataless", "Measured", ("clinc150", "sentence", "embedding-em"), "by date"),),
                ),
                "longer": Answer(
                    "pcem-plus",
                    "dataless.md",
                    "newsgroups20, descriptions alone: micro- / macro-F1 {} %",
                    (("dataless", "Measured", ("newsgroups20, subject", "terms", "pcem-plus"), "by date"),),
                ),
            },
        ),
        "a few, and many have none": Answer(
            "pcem-plus",
            "few-labels.md",
            "newsgroups20, 1 % labelled: micro- / macro-F1 {} %; nb: {} %",
            tuple(("few-labels", "What each part gives", (name,), "1 % labelled") for name in ("pcem-plus", "nb")),
        ),
        "some for each category": Question(
            "How many categories?",
            {
                "100,000": Answer(
                    "knn-bm25-hier",
                    "neighbours.md",
                    "325,000 categories learned in {} s; wordnet_nouns: hF {}",
                    (
                        ("neighbours", "The size of LSHTC", ("knn-bm25-hier", "2,400,000"), "train (s, GB)"),
                        ("neighbours", "The hierarchy", ("knn-bm25-hier, default: Lucene's idf, α = 2.5",), "hF"),
                    ),
                ),
                "10,000": Answer(
                    "topdown-svm",
                    "topdown.md#topdown-svm-and-topdown-logistic",
                    "wordnet_nouns, 17,157 categories: hF {}",
                    (("topdown", "topdown-svm and topdown-logistic", ("topdown-svm",), "hF"),),
                ),
                "fewer": Question(
                    "What matters?",
                    {
                        "no fuss": Answer(
                            "linear-svm",
                            "methods.md#linear-svm-and-logistic",
                            "hF {} on reuters90, {} on newsgroups20",
                            (of_all("reuters90", "linear-svm"), of_all("newsgroups20", "linear-svm")),
                        ),
                        "the best answers": Answer(
                            "auto",
                            "auto.md",
                            "hF {} on reuters90, {} on newsgroups20",
                            (of_all("reuters90", "auto"), of_all("newsgroups20", "auto")),
                        ),
                        "a small model": Answer(
                            "mp-boost",
                            "boosting.md",
                            "reuters90: hF {}, {} MB, {} documents/s",
                            tuple(of_all("reuters90", "mp-boost", of) for of in ("hF", "model (MB)", "documents/s")),
                        ),
                        "short texts, a GPU": Answer(
                            "fine-tuned",
                            "encoders.md",
                            "clinc150: hF {}",
                            (("encoders", "Measured", ("clinc150",), "expected-hf"),),
                        ),
                    },
                ),
            },
        ),
    },
)


def words(node: Question | Answer = TREE, indent: str = "") -> str:
    """Give the tree as a nested list."""
    if isinstance(node, Answer):
        return f": [`{node.method}`]({node.page}). {node.said()}.\n"
    below = "".join(f"{indent}- *{choice}*{words(next_, indent + '  ')}" for choice, next_ in node.choices.items())
    return f"{node.words}\n\n{below}" if not indent else f". {node.words}\n{below}"


# The drawing: columns of questions from left to right, an answer a row.
ROW, COLUMN, BOX, LEFT = 76, 258, 132, 10
ANSWER_BOX = 310


def depth(node: Question | Answer) -> int:
    """Give how many questions are asked at most."""
    return 0 if isinstance(node, Answer) else 1 + max(depth(below) for below in node.choices.values())


def rows(node: Question | Answer) -> int:
    """Give how many answers are below a node."""
    return 1 if isinstance(node, Answer) else sum(rows(below) for below in node.choices.values())


def text(lines: list[str], x: float, y: float, kind: str) -> str:
    """Draw some lines around a place."""
    start = y - 8 * (len(lines) - 1) + 4
    return "".join(
        f'<text class="{kind}" x="{x}" y="{start + 16 * at}">{escape(line)}</text>' for at, line in enumerate(lines)
    )


def box(x: float, y: float, width: float, lines: list[str], kind: str) -> str:
    """Draw a box with lines in it."""
    height = 16 * len(lines) + 16
    frame = f'<rect class="{kind}" x="{x}" y="{y - height / 2}" width="{width}" height="{height}" rx="6"/>'
    return frame + text(lines, x + 10, y, kind)


def drawn(node: Question | Answer, level: int, top: int, last: int) -> tuple[list[str], float]:
    """Draw a node and what is below it, from a row on; give the parts and the height of its middle."""
    x = LEFT + COLUMN * level
    if isinstance(node, Answer):
        y = ROW * (top + 0.5)
        lines = [node.method, *wrap(node.said(), 45)]
        answer = box(LEFT + COLUMN * last, y, ANSWER_BOX, lines, "answer")
        return [answer.replace('<text class="answer"', '<text class="method"', 1)], y
    parts, middles = [], []
    for choice, below in node.choices.items():
        drawing, middle = drawn(below, level + 1, top, last)
        parts += drawing
        middles.append((choice, middle, below))
        top += rows(below)
    y = (middles[0][1] + middles[-1][1]) / 2
    parts.append(box(x, y, BOX, wrap(node.words, 15), "question"))
    for choice, middle, below in middles:
        end = LEFT + COLUMN * (last if isinstance(below, Answer) else level + 1)
        bend = x + BOX + 14
        parts.append(f'<path d="M{x + BOX} {y}H{bend}V{middle}H{end}"/>')
        parts.append(text(wrap(choice, 17), bend + 6, middle - 8 * len(wrap(choice, 17)) - 2, "choice"))
    return parts, y


STYLE = """text{font:14px system-ui,sans-serif;fill:#1b1b1b}.choice{font-size:12px;font-style:italic;fill:#333}
rect.question{fill:#fff;stroke:#3b5b8c;stroke-width:1.5}rect.answer{fill:#e8f0fa;stroke:#3b5b8c}.paper{fill:#fff}
text.answer{font-size:12px}text.method{font:600 13px ui-monospace,monospace}
path{fill:none;stroke:#6b7a90;stroke-width:1.3}"""


def drawing() -> str:
    """Give the tree as SVG, which reads in black and white too."""
    last = depth(TREE)
    width, height = LEFT * 2 + COLUMN * last + ANSWER_BOX, ROW * rows(TREE)
    parts, _ = drawn(TREE, 0, 0, last)
    title = "Which method? The same tree stands below as a list."
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" aria-label="{title}">\n'
        f'<title>{title}</title>\n<style>{STYLE}</style>\n<rect class="paper" width="{width}" height="{height}"/>\n'
        + "\n".join(parts)
        + "\n</svg>\n"
    )


BLOCKS = {"which-method": words}

if __name__ == "__main__":
    write(BLOCKS)
    DRAWING.write_text(drawing(), encoding="utf-8")
