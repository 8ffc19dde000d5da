from pathlib import Path

import msgspec
import pytest

from classmark import TextClassifier
from classmark.data import CorpusOptions
from classmark.service.describing import info
from classmark.service.results import plain
from tests.service.animals import LABELS, NAMES, TEXTS, TREE

TITLED = """animal
├── bird feathered
│   ├── owl tawny owl
│   └── gull
└── fish
plant
└── oak"""


def described_as(*given, **asked):
    return plain(info(*given, **asked))


class TestModels:
    @pytest.mark.parametrize("name", ["model.classmark", "model", "model.csv"])
    def test_by_any_name(self, model, tmp_path, name):
        model.save(tmp_path / name)
        described = described_as(str(tmp_path / name))
        assert (described["method"], described["hierarchy"]) == ("linear-svm", repr(TREE))
        assert "tree" not in described

    def test_plain_data(self, model, tmp_path):
        model.save(tmp_path / "model")
        described = described_as(str(tmp_path / "model"), tree=True)
        assert msgspec.json.decode(msgspec.json.encode(described)) == described
        assert described["tree"] == str(TREE)
        assert described["terms"] == len(model.vectoriser_.vocabulary_)

    def test_the_selection(self, model, tmp_path):
        chosen = TextClassifier(hierarchy=TREE, selection="chi-square,n_terms=3").fit(TEXTS, LABELS)
        for found, selection, terms in (
            (model, None, len(model.vectoriser_.vocabulary_)),
            (chosen, "chi-square,n_terms=3", 3),
        ):
            found.save(tmp_path / "model")
            described = described_as(str(tmp_path / "model"))
            assert (described["selection"], described["terms"]) == (selection, terms)

    def test_titles(self, tmp_path):
        titles = {"owl": "tawny owl", "bird": "feathered"}
        TextClassifier(hierarchy=TREE, titles=titles).fit(TEXTS, LABELS).save(tmp_path / "model")
        assert described_as(str(tmp_path / "model"), tree=True)["tree"] == TITLED


class TestCorpora:
    @pytest.mark.parametrize("size", [1, 1000])
    def test_a_table_is_no_model_however_short_or_long(self, tmp_path, size):
        (tmp_path / "docs.csv").write_text("text\n" + "an owl\n" * size)
        assert described_as(str(tmp_path / "docs.csv"))["documents"] == size

    def test_counts(self, data):
        assert described_as(data) == {
            "corpus": data,
            "documents": 10,
            "unlabelled": 0,
            "belonging_nowhere": 0,
            "splits": {"train": 5, "test": 5},
            "hierarchy": repr(TREE),
        }

    def test_tree_with_titles(self, data):
        assert described_as(data, tree=True)["tree"] == str(TREE)
        Path(data, "nodes.tsv").write_text(NAMES)
        assert described_as(data, tree=True)["tree"] == TITLED

    def test_no_hierarchy_no_tree(self, tmp_path):
        (tmp_path / "docs.csv").write_text("text\nan owl\n")
        assert "tree" not in described_as(str(tmp_path / "docs.csv"), tree=True)

    def test_options(self, tmp_path):
        (tmp_path / "shop.csv").write_text("title,kinds,part\na tent,outdoors>tents,new\na pan,,old\n")
        options = CorpusOptions(
            text_column="title",
            label_column="kinds",
            split_column="part",
            path_separator=">",
            empty_labels="nowhere",
        )
        described = described_as(str(tmp_path / "shop.csv"), options, tree=True)
        assert (described["documents"], described["belonging_nowhere"]) == (2, 1)
        assert described["splits"] == {"new": 1, "old": 1}
        assert described["tree"] == "outdoors\n└── outdoors>tents"

    def test_nothing_there(self, tmp_path):
        with pytest.raises(FileNotFoundError, match="no such file"):
            described_as(str(tmp_path / "missing.classmark"))
