import numpy as np
import pytest

from classmark import Hierarchy
from classmark.data import read_corpus
from classmark.data.features import FeatureRows
from classmark.data.synthetic_files import write_lshtc
from benchmarks.synthetic_lshtc import make_lshtc_matrix

SIZES = {"n_categories": 40, "n_terms": 900, "levels": 4}


def test_what_is_written_is_what_was_made(tmp_path):
    made = write_lshtc(tmp_path / "files", 3000, n_test=70, **SIZES)
    hierarchy = Hierarchy.from_lshtc(tmp_path / "files" / "hierarchy.txt")
    assert (made.documents, made.test_documents, made.categories) == (3000, 70, len(hierarchy))
    assert (hierarchy.depth, hierarchy.leaves.size) == (4, 40)
    for name, stream, count in (("train", 0, 3000), ("test", 1, 70)):
        corpus = read_corpus(tmp_path / "files" / f"{name}.lshtc", hierarchy=hierarchy)
        expected = make_lshtc_matrix(count, n_categories=40, n_terms=900, stream=stream)
        assert isinstance(corpus.documents, FeatureRows)
        matrix = corpus.documents.matrix
        assert np.array_equal(matrix.indices - 1, expected.counts.indices)
        assert np.array_equal(matrix.data, expected.counts.data)
        assert corpus.labels == [[str(category + 1)] for category in expected.categories]
        assert {hierarchy.position(label) for [label] in corpus.labels} <= set(hierarchy.leaves.tolist())


def test_sizes_are_in_the_challenges_proportion(tmp_path):
    made = write_lshtc(tmp_path / "files", 2400)
    assert made.test_documents == 240
    assert Hierarchy.from_lshtc(tmp_path / "files" / "hierarchy.txt").leaves.size == 325


def test_nothing_is_replaced_unasked(tmp_path):
    write_lshtc(tmp_path / "files", 100, **SIZES)
    before = (tmp_path / "files" / "train.lshtc").read_bytes()
    with pytest.raises(FileExistsError, match=r"train\.lshtc: already there"):
        write_lshtc(tmp_path / "files", 50, **SIZES)
    assert (tmp_path / "files" / "train.lshtc").read_bytes() == before
    write_lshtc(tmp_path / "files", 50, overwrite=True, **SIZES)
    assert len((tmp_path / "files" / "train.lshtc").read_bytes().splitlines()) == 50


@pytest.mark.parametrize("options", [{"n_documents": 0}, {"n_documents": 9, "n_test": 0}])
def test_sizes_that_cannot_be(tmp_path, options):
    with pytest.raises(ValueError, match="give numbers from 1"):
        write_lshtc(tmp_path / "files", **options)
    assert not (tmp_path / "files").exists()


def test_a_file_is_no_folder(tmp_path):
    (tmp_path / "files").write_text("mine")
    with pytest.raises(FileExistsError, match="name is there"):
        write_lshtc(tmp_path / "files", 50, **SIZES)
