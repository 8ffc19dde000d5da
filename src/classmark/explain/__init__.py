"""Why a document got its categories, and what a model knows of a category, in words.

`documents` gives the shares of terms in the score of a category, by the terms (`shares`) or by what the score loses
without a word, beside those of another category and along the path (`contrast`); `marking` puts them
where the terms stand in the text. `words` gives what speaks for a category without any document, and `nodes` what else
is known of it, its documents among that. `showing` formats both for a terminal and as
pages.
"""

from classmark.explain.contrast import Contrast, Step
from classmark.explain.documents import Explanation, NearDocument, explain
from classmark.explain.marking import pieces
from classmark.explain.nodes import NearNode, NodeDocument, NodeDocuments, NodeExplanation, explain_node
from classmark.explain.piece import Piece
from classmark.explain.showing import node_to_page, node_to_text, to_html, to_json, to_page, to_text
from classmark.explain.words import Words, strongest_words

__all__ = [
    "Contrast",
    "Explanation",
    "NearDocument",
    "NearNode",
    "NodeDocument",
    "NodeDocuments",
    "NodeExplanation",
    "Piece",
    "Step",
    "Words",
    "explain",
    "explain_node",
    "node_to_page",
    "node_to_text",
    "pieces",
    "strongest_words",
    "to_html",
    "to_json",
    "to_page",
    "to_text",
]
