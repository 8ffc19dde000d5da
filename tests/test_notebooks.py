"""What notebooks show: escaped, small, without scripts; and scikit-learn's diagram where nothing was learned."""

from html.parser import HTMLParser

import pytest
from sklearn import config_context
from sklearn.pipeline import make_pipeline

from classmark import Hierarchy, TermWeighting, TextClassifier
from classmark.data import Corpus, NodeText, read_corpus

EVIL = "<script>alert('x')</script>"
HIERARCHY = Hierarchy.from_nested({EVIL: {"a & b": ["<b>x"]}, "owl": None})


class Tags(HTMLParser):
    """Sees that every tag that opens closes, and which there are."""

    def __init__(self, page):
        super().__init__()
        self.open, self.seen, self.text = [], set(), []
        self.feed(page)
        assert not self.open

    def handle_starttag(self, tag, attributes):
        self.open.append(tag)
        self.seen.add(tag)
        assert {name for name, _ in attributes} <= {"style"}

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


def said(page):
    """Give the text of a page that is as it should be."""
    tags = Tags(page)
    assert tags.seen <= {"div", "strong", "span", "details", "summary", "table", "tr", "td"}
    return " ".join(" ".join(tags.text).split())


@pytest.fixture(scope="module")
def corpus():
    columns = {
        "id": ["1", EVIL, "3"],
        "text": [f"hoots {EVIL} " + "far " * 1000, "cries", "swims"],
        "labels": [["owl"], [EVIL, "<b>x"], None],
        "split": ["train", EVIL, None],
    }
    made = Corpus.from_frame(columns, hierarchy=HIERARCHY)
    made.nodes["owl"] = NodeText(f"the {EVIL} owl")
    return made


@pytest.fixture(scope="module")
def model(corpus):
    titles = {name: text.name for name, text in corpus.nodes.items()}
    chosen = TextClassifier("linear-svm", settings={"C": 3}, hierarchy=HIERARCHY, titles=titles)
    return chosen.fit(corpus.documents[:2], corpus.labels[:2])


def test_a_hierarchy():
    page = said(HIERARCHY._repr_html_())
    assert page.startswith("Hierarchy: a tree of 4 categories, 2 leaves, depth 3")
    assert EVIL in page
    assert "<b>x" in page


@pytest.mark.parametrize(
    "edges",
    [
        [(None if node < 10 else node // 10, node) for node in range(1, 100_000)],
        [(node - 1 if node else None, node) for node in range(3000)],
        [(None, node) for node in range(100_000)],
    ],
    ids=["tree", "chain", "flat"],
)
def test_a_large_hierarchy_is_no_longer_than_a_page(edges):
    hierarchy = Hierarchy.from_edges(edges)
    page = hierarchy._repr_html_()
    assert len(page) < 50_000
    assert f"more of {len(hierarchy):,} categories" in said(page)


def test_every_node_of_a_small_one_is_there_once():
    hierarchy = Hierarchy.from_parents({"a": None, "b": None, "c": ["a", "b"], "d": "c"})
    page = said(hierarchy._repr_html_())
    assert "more of" not in page
    assert page.count(" c ") == 1
    assert "b (1) … 1 more" in page


def test_a_corpus(corpus):
    page = said(corpus._repr_html_())
    assert page.startswith("Corpus: 3 documents from a dict")
    assert "labels a document 1.50" in page
    assert "categories used 3 of 4" in page
    assert f"the {EVIL} owl" in page
    assert "fa…" in page
    assert len(corpus._repr_html_()) < 20_000


def test_a_corpus_whose_file_has_gone(tmp_path):
    file = tmp_path / "a.csv"
    file.write_text("text,labels\nhoots,owl\n")
    stored = read_corpus(file, stored=True)
    assert "hoots" in said(stored._repr_html_())
    file.unlink()
    assert "a.csv" in said(stored._repr_html_())


def test_a_model_says_what_it_learned(model):
    for page in (model._repr_html_(), model._repr_mimebundle_()["text/html"]):
        assert said(page).startswith("TextClassifier: linear-svm settings C=3 trained on 2 documents terms ")
        assert "exactly one own" in said(page)
        assert f"owl the {EVIL} owl" in said(page)
    page = said(model.classifier_._repr_html_())
    assert page.startswith("LinearSVMClassifier settings ")
    assert f"learned from {model.classifier_.n_features_in_:,} columns of X" in page


def test_what_was_measured_is_said():
    texts, labels = ["hoots at night", "cries over the sea"] * 20, ["owl", "gull"] * 20
    model = TextClassifier("nb", calibration="platt").fit(texts, labels)
    assert "held-out documents were answered in full" in said(model._repr_html_())


def test_nothing_learned_is_shown_by_scikit_learn(model):
    for one in (TextClassifier(), type(model.classifier_)()):
        assert "sk-top-container" in one._repr_html_()
        assert "sk-top-container" in one._repr_mimebundle_()["text/html"]
    assert "sk-top-container" in make_pipeline(TermWeighting(), model.classifier_)._repr_html_()


def test_who_wants_text_gets_text(model):
    with config_context(display="text"):
        assert not hasattr(model, "_repr_html_")
        assert list(model._repr_mimebundle_()) == ["text/plain"]
