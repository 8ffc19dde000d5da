"""Pages: whole, safe and readable whatever the text and the names are."""

import pytest

from classmark import Hierarchy, TextClassifier
from classmark.explain import explain, explain_node, node_to_page, to_page
from classmark.explain.piece import Piece
from classmark.html import environment
from tests.explain.whole import Page, check_nodes, check_text

EVIL = ["</div>", "<script>alert('1')</script>", "\u202eRTL\u202c", "a\x00b\x1b[31m", "&amp;", "'\"><img src=x>"]
TEXTS = ["hoots at night", "cries over the sea", "grows acorns", "a tall tree", "swims deep", "a cold fish"]


@pytest.fixture(scope="module", params=["linear-svm", "nb", "knn-bm25", "adaboost-mh"])
def evil(request):
    tree = Hierarchy.from_nested({"<b>top</b>": EVIL})
    titles = {name: f"{name}!" for name in EVIL}
    return TextClassifier(request.param, hierarchy=tree, titles=titles).fit(TEXTS, EVIL)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " \n\t",
        "<script>alert('hoots')</script>",
        "\u202ehoots \u2066at\u2069 \u200fnight\u202c",
        "שלום hoots عليكم\u200f night",
        "h\x00oots\x1b[31m \x85 night",
        "e\u0301te\u0301 hoots 😀",
        "hoots</div></main></body>",
    ],
)
def test_whatever_the_text_says_the_page_is_whole(evil, text):
    check_text(evil, text)


def test_whatever_categories_are_called_their_pages_are_whole(evil):
    for one in check_nodes(evil):
        assert "<img" not in node_to_page(one)


def test_a_long_text_is_cut_where_it_says_least(evil):
    text = "so much of nothing. " * 3000 + "hoots at night " + "and nothing again. " * 2500
    (one,) = explain(evil, text, why_not=True, along=True, marked=True)
    assert one.cut
    page = to_page([one])
    assert len(page) < 60_000
    assert "hoots" in Page(page).text
    assert "The text is longer; this is the part that says most." in page


def marked_text(pieces, cut):
    return environment().get_template("explain/macros.html").module.marked_text(pieces, cut)


def test_marks_differ_without_colours():
    html = marked_text([Piece(text="hoots", share=1.0), Piece(text=" "), Piece(text="sea", share=-0.1)], cut=False)
    assert '<mark class="for loud" title="+1.000">hoots</mark> <mark class="against" title="-0.100">sea</mark>' in html
    assert "<mark" not in marked_text([Piece(text="hoots", share=0.0)], cut=False)


def test_what_was_not_asked_for_is_not_there():
    model = TextClassifier().fit(TEXTS[:2], ["owl", "gull"])
    page = Page(to_page(explain(model, "hoots"))).text
    assert "What makes the score" in page
    assert all(heading not in page for heading in ("The text", "Along the path", "Why not"))
    assert "There is no category to explain" in Page(to_page([])).text


def test_the_sections_of_a_page():
    model = TextClassifier("knn-bm25").fit(TEXTS[:2], ["owl", "gull"], ids=["first", "second"])
    page = Page(to_page(explain(model, "hoots at sea", why_not=True, along=True, marked=True), "best-path")).text
    for words in ("The text", "Along the path", "What makes the score", "Why not", "The nearest documents", "first"):
        assert words in page


def test_terms_stand_on_a_page_as_they_are_written_in_the_text():
    model = TextClassifier("nb-plus").fit(["hooting at night", "cries over the sea"], ["owl", "gull"])
    (one,) = explain(model, "Hooted, and hooting!", why_not=True, along=True, marked=True)
    assert one.written == {"hoot": "Hooted"}
    page = Page(to_page([one])).text
    assert page.count("Hooted") == 6
    assert "hoot+" not in page


def test_a_page_says_nothing_where_no_word_does():
    model = TextClassifier().fit(TEXTS[:2], ["owl", "gull"])
    assert "No word of the text says anything about it." in Page(to_page(explain(model, "xyzzy"))).text


def test_the_page_of_a_category_without_words():
    model = TextClassifier("majority").fit(TEXTS[:2], ["owl", "gull"])
    page = Page(node_to_page(explain_node(model, "owl"))).text
    assert "There are none: majority looks at no word" in page
