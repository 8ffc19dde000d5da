"""Terms that workers count are those that are counted here: the same vocabulary, the same counts, the same errors."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from classmark import parted
from classmark.data import Corpus, read_corpus, write_corpus
from classmark.parallel import Here, at
from classmark.parted import here
from classmark.text import TextSettings, counting, parted_terms
from classmark.text.parted_terms import count_in_parts
from tests.places import Noting

WORDS = ["owl", "owls", "the", "Gull", "cry", "ähre", "z", "a", "of", "42"]
TEXTS = st.lists(st.lists(st.sampled_from(WORDS), max_size=7).map(" ".join), min_size=1, max_size=9)
FEATURES = st.lists(
    st.dictionaries(st.sampled_from(WORDS), st.sampled_from([0.0, 1.0, 2.5]), max_size=4), min_size=1, max_size=9
)
SETTINGS = st.fixed_dictionaries(
    {"stemmer": st.sampled_from(["porter", None]), "stop_words": st.sampled_from(["english", None])},
    optional={
        "min_df": st.sampled_from([1, 2, 0.3]),
        "max_df": st.sampled_from([1.0, 0.6, 3]),
        "max_features": st.sampled_from([1, 2, 5]),
        "ngrams": st.just(2),
        "ngram_min_df": st.sampled_from([1, 2]),
        "weighting": st.just("binary"),
    },
)


def stored(folder, documents, shards):
    size = len(documents)
    given = Corpus([str(row) for row in range(size)], documents, [None] * size, [None] * size, None, "words")
    write_corpus(given, folder, shards=min(shards, size))
    with at(Here()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return read_corpus(folder, stored=True).documents


def counted(text, documents):
    vectoriser = text.vectoriser()
    return vectoriser, vectoriser.fit_transform(documents)


def outcome(work):
    """Give what is learned, or what is said against it."""
    try:
        vectoriser, counts = work()
    except ValueError as error:
        return str(error)
    counts = here(counts)
    return vectoriser.vocabulary_, vectoriser.runs_.tolist(), counts.toarray().tolist(), counts.indices.tolist()


@settings(max_examples=150)
@given(
    documents=st.one_of(TEXTS, FEATURES),
    given=SETTINGS,
    shards=st.integers(1, 5),
    workers=st.sampled_from([1, 2, 3]),
    forgets=st.booleans(),
    rows=st.one_of(st.none(), st.sets(st.integers(0, 8), min_size=1)),
    in_crumbs=st.booleans(),
)
def test_the_same_as_here(tmp_path_factory, documents, given, shards, workers, forgets, rows, in_crumbs):
    files = stored(tmp_path_factory.mktemp("shards") / "d", documents, shards)
    if rows is not None:
        chosen = sorted(row for row in rows if row < len(documents)) or [0]
        files, documents = files.take(chosen), [documents[row] for row in chosen]
    text = TextSettings(**given)
    with pytest.MonkeyPatch.context() as patch:
        if in_crumbs:
            patch.setattr(parted.ranges_of, "__defaults__", (2,))
            patch.setattr(parted_terms, "TERMS_IN_A_RANGE", 16)
            patch.setattr(parted_terms, "DOCUMENTS_AT_A_TIME", 2)
        expected = outcome(lambda: counted(text, documents))
        found = outcome(lambda: count_in_parts(Noting(workers, forgets=forgets), text, files))
    assert found == expected


def test_more_runs_than_are_counted_are_warned_of(tmp_path, monkeypatch):
    monkeypatch.setattr(counting, "MOST_TERMS", 8)
    texts = [" ".join(np.random.default_rng(row).choice(WORDS, 9)) for row in range(9)]
    files = stored(tmp_path / "d", texts, 3)
    text = TextSettings(stemmer=None, stop_words=None, ngrams=2)
    with pytest.warns(UserWarning, match=r"more than 8 different terms: runs of tokens that come later are not"):
        count_in_parts(Here(2), text, files)


def test_nothing_is_left_where_a_shard_has_gone(tmp_path):
    files, place = stored(tmp_path / "d", ["owl", "gull", "cod"], 3), Noting(2)
    (tmp_path / "d" / "docs-00002.jsonl").unlink()
    with pytest.raises(FileNotFoundError, match="has gone"):
        count_in_parts(place, TextSettings(), files)
    assert place.opened == []
