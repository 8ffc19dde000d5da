"""The generator: Zipfian terms, power-law categories, a deep tree, the same for the same seed."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from benchmarks.synthetic_lshtc import BLOCK, make_lshtc, make_lshtc_hierarchy, make_lshtc_matrix, write_lshtc
from classmark import Hierarchy
from classmark.data import read_corpus
from classmark.data.stored import FeatureRows

SMALL = {"n_terms": 2000, "n_categories": 300}


def test_the_same_seed_gives_the_same_and_a_prefix_of_more():
    one, again = (make_lshtc_matrix(100, **SMALL, seed=3) for _ in range(2))
    more = make_lshtc_matrix(BLOCK + 5, **SMALL, seed=3)
    other = make_lshtc_matrix(100, **SMALL, seed=4)
    test = make_lshtc_matrix(100, **SMALL, seed=3, stream=1)
    assert (one.counts != again.counts).nnz == (one.counts != more.counts[:100]).nnz == 0
    assert np.array_equal(one.categories, more.categories[:100])
    assert (one.counts != other.counts).nnz > 1000
    assert (one.counts != test.counts).nnz > 1000
    assert more.counts.shape == (BLOCK + 5, 2000)


def test_terms_and_categories_follow_the_power_law():
    made = make_lshtc_matrix(BLOCK, n_terms=5000, n_categories=1000)
    chances = np.arange(1, 5001) ** -1.07
    chances /= chances.sum()
    shares = np.asarray(made.counts.sum(axis=0)) / made.counts.sum()
    # A seventh of the terms comes from the categories' own few, which are drawn by the same chances: noise on top.
    assert shares[0] == pytest.approx(chances[0], rel=0.2)
    assert shares[:50].sum() == pytest.approx(chances[:50].sum(), rel=0.1)
    sizes = np.bincount(made.categories, minlength=1000) / BLOCK
    expected = np.arange(1, 1001) ** -1.07
    assert sizes[:3] == pytest.approx(expected[:3] / expected.sum(), rel=0.1)


def test_documents_of_a_category_share_terms():
    made = make_lshtc_matrix(3000, n_terms=50_000, n_categories=20)
    present = (made.counts > 0).astype(np.float64)[:, 200:]
    common = (present @ present.T).toarray()
    same = made.categories[:, None] == made.categories[None, :]
    np.fill_diagonal(same, val=False)
    other = made.categories[:, None] != made.categories[None, :]
    assert common[same].mean() > 1.5 * common[other].mean()


@pytest.mark.parametrize(("n_categories", "levels"), [(1, 1), (7, 3), (5000, 10)])
def test_the_tree_has_its_leaves_on_the_last_level(n_categories, levels):
    hierarchy, leaves = make_lshtc_hierarchy(n_categories, levels)
    assert len(set(leaves.tolist())) == n_categories
    depths = np.diff(hierarchy.ancestors.indptr)
    assert (depths[leaves] == levels).all()
    assert depths.max() == levels


@pytest.mark.parametrize(
    "call",
    [
        lambda: next(make_lshtc(0)),
        lambda: next(make_lshtc(1, n_terms=0)),
        lambda: next(make_lshtc(1, terms_a_document=0)),
        lambda: make_lshtc_hierarchy(5, levels=0),
    ],
)
def test_what_makes_no_sense_is_refused(call):
    with pytest.raises(ValueError, match=r"levels=0|=0: must be"):
        call()


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


SCRIPT = Path(__file__).parents[2] / "benchmarks" / "synthetic_lshtc.py"


def script(*arguments):
    command = [sys.executable, SCRIPT, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_script_writes_files(tmp_path):
    done = script(tmp_path / "files", "--documents", 60, "--categories", 30, "--terms", 400, "--levels", 1)
    assert (done.returncode, done.stdout) == (0, f"{tmp_path / 'files'}: 60 documents, 6 more, 30 categories\n")
    assert len((tmp_path / "files" / "test.lshtc").read_bytes().splitlines()) == 6


def test_script_invalid_number_exits_with_2(tmp_path):
    done = script(tmp_path / "files", "--documents", 0)
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].endswith("give numbers from 1")
