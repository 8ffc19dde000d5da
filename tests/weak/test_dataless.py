import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from classmark import Hierarchy, PathEM, PathNB, TextVectoriser
from classmark.data import NodeText
from classmark.weak import category_texts, weak_labels
from tests.oracles import weak as oracle

TREE = Hierarchy.from_nested({"animals": ["owls", "gulls"], "plants": ["oaks", "ferns"]})
DEEP = Hierarchy.from_parents(
    {"a": None, "b": None, "x": ["a", "b"], "y": "a", "u": ["x", "y"], "v": "x", "w": "b", "z": None}
)


def labelled(similarities, hierarchy=TREE, **settings):
    """Weak labels by an encoder whose cosines with the categories are the numbers given."""
    rows = np.asarray(similarities, dtype=float)
    rest = np.sqrt(np.maximum(0.0, 1.0 - np.square(rows).sum(axis=1)))
    names = dict(zip(category_texts(hierarchy), np.eye(len(hierarchy), len(hierarchy) + 1), strict=True))
    table = {f"document {i}": np.append(row, rest[i]) for i, row in enumerate(rows)} | names
    return weak_labels(
        [f"document {i}" for i in range(len(rows))],
        hierarchy,
        encoder=lambda texts: np.array([table[text] for text in texts]),
        **settings,
    )


@pytest.mark.filterwarnings("ignore:.* have no weakly labelled document")
class TestByHand:
    # Node order: animals, plants, owls, gulls, oaks, ferns.
    def test_a_path_is_as_similar_as_its_nodes_in_the_mean(self):
        found = labelled([[0.4, 0.0, 0.2, 0.1, 0.5, 0.0]], share=1.0)
        # owls (.4 + .2) / 2, gulls (.4 + .1) / 2, oaks (0 + .5) / 2.
        assert found.labels == [["owls"]]
        assert found.similarity == pytest.approx([0.3])
        assert found.margin == pytest.approx([0.3 - 0.25])
        assert found.node_weights.toarray().tolist() == [[1, 0, 1, 0, 0, 0]]

    def test_levels_may_disagree_as_in_the_paper(self):
        found = labelled([[0.4, 0.0, 0.2, 0.1, 0.5, 0.0]], kind="levels", share=1.0)
        assert found.node_weights.toarray().tolist() == [[1, 0, 0, 0, 1, 0]]

    def test_soft_labels_are_shares_of_a_level(self):
        found = labelled([[0.3, 0.1, 0.2, -0.5, 0.6, 0.0]], kind="soft", share=1.0)
        assert found.node_weights.toarray()[0] == pytest.approx([0.75, 0.25, 0.25, 0, 0.75, 0])

    @pytest.mark.parametrize("kind", ["path", "levels", "soft"])
    def test_no_similarity_is_no_label(self, kind):
        nothing, below = [0.0] * 6, [-0.3] * 6
        found = labelled([nothing, [0, 0, 0, 0.5, 0, 0], below], kind=kind, share=1.0)
        assert found.labels == [None, ["gulls"], None]
        assert found.ends.tolist() == [-1, 3, -1]
        assert np.diff(found.node_weights.indptr).tolist() == [0, 2 if kind == "path" else 1, 0]
        assert found.share == pytest.approx(1 / 3)

    def test_a_tie_is_no_label(self):
        # All that is said is that it is an animal.
        found = labelled([[0.5, 0, 0, 0, 0, 0], [0, 0, 0.1, 0, 0, 0]], share=1.0)
        assert found.labels == [None, ["owls"]]

    def test_below_the_least_similarity(self):
        rows = [[0.4, 0, 0.4, 0, 0, 0], [0, 0.2, 0, 0, 0.2, 0]]
        assert labelled(rows, share=1.0, min_similarity=0.3).labels == [["owls"], None]
        assert labelled(rows, share=1.0, min_similarity=0.1).labels == [["owls"], ["oaks"]]

    def test_the_surest_half_and_so_many_a_category(self):
        rows = [[0, 0, value, 0, 0, 0] for value in (0.1, 0.4, 0.3, 0.2)]
        assert labelled(rows).labelled.tolist() == [False, True, True, False]
        assert labelled(rows, per_category=1).labelled.tolist() == [False, True, False, False]
        assert labelled(rows, share=1.0, per_category=None).labelled.all()


@given(st.sampled_from(["path", "levels", "soft"]), st.integers(0, 2**32 - 1), st.booleans())
@pytest.mark.filterwarnings("ignore:.* have no weakly labelled document")
def test_equals_the_oracle(kind, seed, deep):
    tree = DEEP if deep else TREE
    random = np.random.default_rng(seed)
    rows = random.integers(-2, 4, (9, len(tree))) / 16
    rows[0, tree.leaves[0]] = 0.5
    found = labelled(rows, tree, kind=kind, share=0.7, per_category=2)
    ends, similarity, margin = zip(*(oracle.best_path(row, tree) for row in rows), strict=True)
    assert found.similarity == pytest.approx(similarity)
    assert found.margin == pytest.approx(margin)
    assert [int(end) for end in found.ends] == [
        end if gap > 1e-9 else -1 for end, gap in zip(ends, margin, strict=True)
    ]
    kept = oracle.surest(found.ends.tolist(), found.margin.tolist(), 7, 2)
    assert np.flatnonzero(found.labelled).tolist() == kept
    for row in range(len(rows)):
        expected = list(oracle.node_weights(rows[row], kind, tree).values()) if row in kept else [0.0] * len(tree)
        assert found.node_weights[[row]].toarray()[0] == pytest.approx(expected)


class TestTexts:
    TEXTS = ["An owl hoots", "The gull cries", "Oak leaves", "A fern", "hoots and hoots", "", "  "]

    def test_weak_labels_teach_a_path_model_soft_or_hard(self):
        found = weak_labels(self.TEXTS, TREE, share=1.0)
        assert found.labels == [["owls"], ["gulls"], ["oaks"], ["ferns"], None, None, None]
        X = TextVectoriser().fit_transform(self.TEXTS)
        hard = PathEM(hierarchy=TREE).fit(X, found.labels)
        soft = PathEM(hierarchy=TREE).fit_soft(X, found.node_weights)
        assert hard.node_scores(X) == pytest.approx(soft.node_scores(X))
        assert soft.predict(X)[4] == ["owls"]
        levels = weak_labels(self.TEXTS, TREE, share=1.0, kind="levels")
        assert PathNB(hierarchy=TREE).fit_soft(X, levels.node_weights).predict(X)[:4] == found.labels[:4]

    def test_descriptions_take_the_place_of_names(self):
        nodes = {"owls": NodeText("hoots"), "gulls": NodeText("G", "cries at sea"), "plants": NodeText("")}
        assert category_texts(TREE, nodes) == ["animals", "plants", "hoots", "G cries at sea", "oaks", "ferns"]
        found = weak_labels(self.TEXTS, TREE, nodes, share=1.0)
        assert found.labels[4] == ["owls"]

    def test_names_become_words(self):
        tree = Hierarchy.from_edges([(None, "comp.sys"), (None, ("a", "snowy_owl")), (None, "oil-seed/rape")])
        assert category_texts(tree) == ["comp sys", "snowy owl", "oil seed rape"]

    def test_categories_that_nothing_is_like_are_named(self):
        with pytest.warns(UserWarning, match=r"1 of 4 categories .* such as 'ferns',.*not be predicted"):
            weak_labels(self.TEXTS[:3], TREE, share=1.0)

    def test_blocks_change_nothing(self, monkeypatch):
        whole = weak_labels(self.TEXTS, TREE, share=1.0)
        monkeypatch.setattr("classmark.text.encoders.kinds.TEXTS_AT_A_TIME", 2)
        monkeypatch.setattr("classmark.weak.dataless.CELLS_IN_A_BLOCK", 7)
        parts = weak_labels(self.TEXTS, TREE, share=1.0)
        assert (parts.margin.tobytes(), parts.labels) == (whole.margin.tobytes(), whole.labels)
        assert (parts.node_weights != whole.node_weights).nnz == 0


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"nodes": {"moss": NodeText("moss")}}, "'moss' is described, but not in the hierarchy"),
        ({"nodes": {}}, "no category is described"),
        ({"nodes": {"owls": NodeText("")}}, r"no category.*described"),
        ({"kind": "best"}, "kind='best'.*path, levels, soft"),
        ({"min_similarity": 2}, "min_similarity=2.*>= 0 and <= 1"),
        ({"share": 0}, "share=0.*> 0"),
        ({"per_category": 0}, "per_category=0.*>= 1"),
        ({"documents": []}, "none of 0 documents has any text"),
        ({"documents": ["an owl", {"owl": 1.0}]}, "document 1 is no text"),
        ({"documents": ["", " "]}, "none of 2 documents has any text"),
        ({"documents": ["rain"]}, "no document is similar to any category"),
        ({"encoder": "nonsense"}, "unknown encoder 'nonsense'"),
        ({"encoder": lambda texts: np.ones(3)}, r"shape \(3,\) for 1 texts"),
        ({"encoder": lambda texts: np.full((len(texts), 2), np.nan)}, "not finite"),
    ],
)
def test_bad_input(wrong, words):
    with pytest.raises(ValueError, match=words) as error:
        weak_labels(**({"documents": ["owls"], "hierarchy": TREE} | wrong))
    assert "\n" not in str(error.value)
