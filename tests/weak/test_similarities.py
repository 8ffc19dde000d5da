"""Similarities from a file: what is read, what is refused with its line, and a model that learns from them."""

import gzip
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from classmark import Hierarchy, TextClassifier
from classmark.service import training
from classmark.service.recipes import Recipe
from classmark.weak import labels_of_similarities, read_similarities
from tests.oracles import weak as oracle

# rock is a leaf above the last depth.
TREE = Hierarchy.from_edges([(None, "bird"), (None, "rock"), ("bird", "owl"), ("bird", "gull")])
BIRD, ROCK, OWL, GULL = range(4)
ROWS = "1\tbird\t.5\n1\towl\t0.4\n2\trock\t0.9\n2\tgull\t3e-1\n3\tbird\t.6\n3\tgull\t.7\n"


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "similarities.tsv"
    path.write_text(ROWS)
    return path


@pytest.mark.filterwarnings("ignore:.* have no weakly labelled document")
def test_similarities_of_any_scale():
    found = labels_of_similarities([[0, 7, 0, 0], [0, 4, 0, 0]], TREE, share=1.0, min_similarity=5)
    assert found.labels == [["rock"], None]


class TestReading:
    def test_by_hand(self, file):
        found = read_similarities(file, ["1", "2", "3"], TREE).toarray()
        assert found.tolist() == [[0.5, 0, 0.4, 0], [0, 0.9, 0, 0.3], [0.6, 0, 0, 0.7]]

    def test_compressed_with_a_header_and_blank_lines(self, file, tmp_path):
        path = tmp_path / "similarities.tsv.gz"
        path.write_bytes(gzip.compress(f"document\tnode\tsimilarity\r\n\n{ROWS}\n".encode()))
        found = read_similarities(path, ["1", "2", "3"], TREE)
        assert (found != read_similarities(file, ["1", "2", "3"], TREE)).nnz == 0

    def test_documents_of_another_split_are_passed_over(self, file):
        assert read_similarities(file, ["2"], TREE, others={"1", "2", "3"}).toarray().tolist() == [[0, 0.9, 0, 0.3]]

    def test_documents_without_a_row_are_named(self, file):
        with pytest.warns(
            UserWarning, match=r"similarities.tsv: 2 of 5 documents have no row, such as '0', and get no"
        ):
            read_similarities(file, ["0", "1", "2", "3", "4"], TREE)

    @pytest.mark.parametrize(
        ("line", "words"),
        [
            ("2\towl", r"2 column\(s\) instead of document<TAB>node<TAB>similarity; write three"),
            ("2\towl\thigh", "the similarity 'high' is no number; write one, such as 0.25"),
            ("2\towl\tnan", "the similarity 'nan' is not finite"),
            ("2\towl\t-inf", "the similarity '-inf' is not finite"),
            ("9\towl\t.5", "there is no document with the id '9'; take the line out"),
            ("2\tbirdd\t.5", r"'birdd'.*not in.*hierarchy \(did you mean 'bird'"),
            ("3\tgull\t.1", "the document and the category stand in line 6, too; keep one of the lines"),
        ],
    )
    def test_bad_rows_are_named_by_their_line(self, file, line, words):
        file.write_text(f"{ROWS}{line}\n1\towl\t0.4\n")
        with pytest.raises(ValueError, match=f"similarities.tsv:7: .*{words}") as error:
            read_similarities(file, ["1", "2", "3"], TREE)
        assert "\n" not in str(error.value)


@given(st.integers(0, 2**32 - 1), st.booleans())
@pytest.mark.filterwarnings("ignore:.* have no (weakly|row)")
def test_what_is_read_is_compared_as_by_the_oracle(tmp_path_factory, seed, compressed):
    random = np.random.default_rng(seed)
    rows = random.integers(-2, 5, (6, len(TREE))) / 8
    rows[0] = [0.5, 0, 0.5, 0]
    pairs = [(i, node) for i in range(6) for node in range(len(TREE)) if rows[i, node]]
    random.shuffle(pairs)
    path = tmp_path_factory.getbasetemp() / f"any.tsv{'.gz' * compressed}"
    text = "".join(f"d{i}\t{TREE.names[node]}\t{rows[i, node]}\n" for i, node in pairs).encode()
    path.write_bytes(gzip.compress(text) if compressed else text)
    read = read_similarities(path, [f"d{i}" for i in range(6)], TREE)
    assert read.toarray() == pytest.approx(rows)
    for kind in ("path", "levels", "soft"):
        found = labels_of_similarities(read, TREE, kind=kind, share=1.0)
        for i in range(6):
            leaf, similarity, margin = oracle.best_path(rows[i], TREE)
            assert found.labels[i] == ([TREE.names[leaf]] if margin > 1e-9 else None)
            assert found.similarity[i] == pytest.approx(similarity)
            expected = oracle.node_weights(rows[i], kind, TREE).values() if margin > 1e-9 else [0.0] * 4
            assert found.node_weights[[i]].toarray()[0] == pytest.approx(list(expected))


@pytest.mark.parametrize(
    ("similarities", "words"),
    [
        ([[0.5, 0.5]], "similarities are to 2 categories; give 4, one a node"),
        ([[np.nan, 0, 0, 0]], "some similarity is not finite"),
        ([[0.0, 0, 0, -1]], r"no document.*similar.*give similarities above 0"),
    ],
)
def test_bad_similarities(similarities, words):
    with pytest.raises(ValueError, match=r"min_similarity=-1.*>= 0"):
        labels_of_similarities(similarities, TREE, min_similarity=-1)
    with pytest.raises(ValueError, match=words):
        labels_of_similarities(similarities, TREE)


@pytest.mark.filterwarnings("ignore:.* have no weakly labelled document")
class TestTraining:
    @pytest.fixture
    def data(self, tmp_path, file):
        folder = tmp_path / "data"
        folder.mkdir()
        texts = {"1": "hoots at night", "2": "grey and hard", "3": "cries at sea", "4": "the sea"}
        rows = [{"id": i, "text": text, "split": "test" if i == "4" else "train"} for i, text in texts.items()]
        (folder / "docs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        (folder / "hierarchy.tsv").write_text("ROOT\tbird\nROOT\trock\nbird\towl\nbird\tgull\n")
        # A row about a document for the test is none about an unknown one.
        file.write_text(ROWS + "4\tgull\t.5\n")
        return tmp_path

    def trained(self, data, method="pcem", **changes):
        recipe = Recipe(method, similarities=str(data / "similarities.tsv"), **changes)
        return training.train(str(data / "data"), str(data / "model"), recipe)

    def test_learns_from_what_was_compared_elsewhere(self, data):
        result = self.trained(data)
        assert (result.documents, result.labelled, result.without_similarity) == (3, 2, 0)
        assert result.similarities == str(data / "similarities.tsv")
        # The surest half: 2 is .9 ahead less (0 + .3) / 2, and 3 (.6 + .7) / 2 less (.6 + 0) / 2.
        model = TextClassifier.load(result.model)
        assert model.predict(["hard", "sea"]) == [["rock"], ["gull"]]

    def test_features_are_compared_elsewhere_too(self, data):
        docs = data / "data" / "docs.jsonl"
        rows = [json.loads(line) for line in docs.read_text().splitlines()]
        rows = [{"features": dict.fromkeys(row.pop("text").split(), 1.0), **row} for row in rows]
        docs.write_text("".join(json.dumps(row) + "\n" for row in rows))
        assert TextClassifier.load(self.trained(data, "pcem").model).predict([{"hard": 1.0}]) == [["rock"]]

    @pytest.mark.parametrize(
        ("changes", "words"),
        [
            ({"encoder": "terms"}, "similarities take the place of an encoder and of descriptions"),
            ({"method": "embedding-em"}, "embedding-em labels no document by similarity; leave the similarities out"),
            ({"label_rate": 0.5}, "weak labels"),
        ],
    )
    def test_bad_recipes(self, data, changes, words):
        with pytest.raises(ValueError, match=words):
            self.trained(data, **changes)

    def test_what_is_wrong_is_said_with_the_file(self, data):
        (data / "similarities.tsv").write_text("1\tbird\t0\n2\tbird\t0\n3\tbird\t0\n")
        with pytest.raises(ValueError, match=r"similarities.tsv: no document.*similar"):
            self.trained(data)
