"""Marked texts: nothing is lost of the text, and the marks are the shares of the terms that stand there."""

from collections import Counter
from itertools import accumulate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from classmark import TextClassifier
from classmark.explain import Piece, explain, marking, pieces
from classmark.explain.marking import marked
from classmark.explain.piece import richest
from classmark.text import Analyser
from classmark.text.places import places
from tests.encoders import settings_for
from tests.oracles.marking import most_heard, shares_of_words

ODD = "e\u0301E\u030aİßΣσς가각\u1100\u1161\u11a8\u200f\u202e\u2066ﬁﬀ한글中文😀\U0001f468\u200d\U0001f4bb\u0338\u0345"
letters = st.text(st.one_of(st.sampled_from(ODD + "abAB '-\n\t.<>&"), st.characters(exclude_categories=["Cs"])))
analysers = st.builds(
    Analyser,
    lowercase=st.booleans(),
    token_pattern=st.sampled_from(["letters", "words", r"\S+", r"'(.)", "[ab]+ [ab]+", "."]),
    stop_words=st.sampled_from([None, "english"]),
    stemmer=st.sampled_from([None, "porter"]),
    min_length=st.sampled_from([1, 2]),
    ngrams=st.sampled_from([(1, 1), (1, 2), (2, 3)]),
)


@given(letters, analysers)
def test_the_terms_of_a_text_have_places(text, analyser):
    found = list(places(analyser.reader(), text))
    assert [place.term for place in found] == analyser.terms(text)
    for place in found:
        assert place.spans[0][0] >= 0
        assert all(start < end <= len(text) for start, end in place.spans)
        assert list(place.spans) == sorted(place.spans)


@given(st.text("ab\u0301EİSs가\u1100\u1161\u11a8 .-"), st.sampled_from([None, "porter"]))
def test_a_token_read_alone_is_the_term_that_stands_there(text, stemmer):
    analyser = Analyser(stemmer=stemmer)
    for place in places(analyser.reader(), text):
        ((start, end),) = place.spans
        assert place.term in analyser.terms(text[start:end])


@given(letters, analysers, st.data())
def test_pieces_are_the_text_and_sum_to_the_shares_found(text, analyser, data):
    terms = sorted(set(analyser.terms(text)))
    shares = {term: data.draw(st.floats(-10, 10)) for term in terms[::2]} | {"nowhere": 5.0}
    found = marked(text, [place for place in places(analyser.reader(), text) if place.term in shares], shares)
    assert "".join(piece.text for piece in found) == text
    assert all(piece.text for piece in found)
    assert sum(piece.share for piece in found) == pytest.approx(sum(shares.values()) - 5.0)


@given(
    st.lists(st.sampled_from(["Owls", "owl", "hooted", "the", "Été", "E\u0301te\u0301", "12", "x"]), max_size=12),
    st.sampled_from([(1, 1), (1, 2), (2, 3)]),
    st.data(),
)
def test_words_are_marked_as_by_the_definition(words, ngrams, data):
    analyser = Analyser(stop_words="english", stemmer="porter", ngrams=ngrams)
    terms = sorted(set(analyser.terms(" ".join(words))))
    shares = {term: data.draw(st.floats(-10, 10)) for term in terms}
    text = " ".join(words)
    found = marked(text, list(places(analyser.reader(), text)), shares)
    expected = shares_of_words(words, analyser, shares)
    begins = dict(zip(accumulate((len(piece.text) for piece in found), initial=0), found, strict=False))
    starts = list(accumulate((len(word) + 1 for word in words), initial=0))
    shown = [begins[start].share if start in begins else 0.0 for start in starts[: len(words)]]
    assert shown == pytest.approx(expected)


@given(st.lists(st.tuples(st.sampled_from(["a", "bb ", " ", "cc\n", "dd"]), st.floats(-3, 3)), min_size=1), st.data())
def test_the_richest_part(units, data):
    whole = [Piece(text=text, share=share) for text, share in units]
    text = "".join(piece.text for piece in whole)
    longest = data.draw(st.integers(1, len(text)))
    part = richest(whole, longest)
    shown = "".join(piece.text for piece in part)
    assert len(shown) <= longest
    assert shown in text
    heard = sum(abs(piece.share) for piece in part)
    assert heard <= sum(abs(share) for _, share in units) + 1e-9


@given(st.lists(st.floats(-3, 3), min_size=1, max_size=12), st.integers(3, 40))
def test_no_other_words_say_more(shares, longest):
    whole = [piece for share in shares for piece in (Piece(text="ab", share=share), Piece(text=" "))]
    part = richest(whole, longest)
    expected = most_heard([("ab ", share) for share in shares], longest)
    assert sum(abs(piece.share) for piece in part) == pytest.approx(expected)


def test_a_long_text_is_cut_between_words():
    text = [Piece(text="so much before it. " * 9), Piece(text="hoots", share=-1.0), Piece(text=" and after it" * 9)]
    part = "".join(piece.text for piece in richest(text, 40))
    assert "hoots" in part
    assert set(part.split()) <= {"so", "much", "before", "it.", "hoots", "and", "after", "it"}


def test_without_blanks_a_text_is_cut_where_it_must_be():
    (piece,) = richest([Piece(text="中" * 1000, share=2.0)], 100)
    assert piece.text == "中" * 100
    assert piece.share == pytest.approx(0.2)


TEXTS = ["hoots at night", "an owl hoots and hoots", "cries over the sea", "a gull at sea"]
LABELS = ["owl", "owl", "gull", "gull"]


def marks(model, text, **how):
    (one,) = explain(model, text, ["owl"], top=10_000)
    found, cut = pieces(model, text, dict(one.terms), **how)
    return one, found, cut


def test_a_message_is_marked_where_it_is_read():
    model = TextClassifier(settings={"headers": "subject"}).fit(TEXTS, LABELS)
    one, found, _ = marks(model, "From: night\nSubject: Re: HOOTS\n\nthe sea")
    assert [piece.text for piece in found if piece.share] == ["HOOTS", "the", "sea"]
    assert sum(piece.share for piece in found) == pytest.approx(one.score - one.bias)


def test_runs_are_marked_in_each_word():
    model = TextClassifier(settings={"ngrams": 2}).fit(TEXTS, LABELS)
    one, found, _ = marks(model, "An OWL, hoots!")
    assert sum(piece.share for piece in found) == pytest.approx(one.score - one.bias)
    assert [piece.text for piece in found if piece.share] == ["An", "OWL", "hoots"]


def test_all_ways_of_reading_are_marked():
    model = TextClassifier("blend", settings={"parts": "linear-svm+nb"}).fit(TEXTS * 2, LABELS * 2)
    one, found, _ = marks(model, "The owls hoots at sea")
    assert sum(piece.share for piece in found) == pytest.approx(one.score - one.bias)
    assert "hoots" in {piece.text for piece in found if piece.share}


def test_words_left_out_are_marked():
    model = TextClassifier("frozen-encoder", settings=settings_for("frozen-encoder")).fit(TEXTS, LABELS)
    one, found, _ = marks(model, "the owl\n hoots the")
    assert [piece.text for piece in found] == ["the", " ", "owl", "\n ", "hoots", " ", "the"]
    assert sum(piece.share for piece in found) == pytest.approx(one.score - one.bias)


def test_features_are_marked_one_after_another():
    model = TextClassifier().fit([{"a b": 2, "c": 1}, {"d": 1}], ["x", "y"])
    found, _ = pieces(model, {"unknown": 7, "a b": 1}, {"a b": 2.0, "d": 1.0})
    assert [(piece.text, piece.share) for piece in found] == [("unknown, ", 0.0), ("a b", 2.0)]
    assert pieces(model, {}, {"d": 1.0}) == ([], False)


def test_a_long_text_is_marked_once_through():
    model = TextClassifier().fit(TEXTS, LABELS)
    text = "who hoots over the night sea? " * 3400
    _, found, cut = marks(model, text)
    assert "".join(piece.text for piece in found) == text
    assert not cut
    _, short, cut = marks(model, text, longest=500)
    assert cut
    assert 450 < sum(len(piece.text) for piece in short) <= 500
    assert Counter(piece.text for piece in short)["hoots"] > 10


def test_explain_marked_many_categories_reads_the_text_once(monkeypatch):
    read = []
    monkeypatch.setattr(marking, "places", lambda reader, text, **how: read.append(text) or places(reader, text, **how))
    model = TextClassifier(settings={"ngrams": 2}).fit(TEXTS, LABELS)
    text = "an owl HOOTS over the sea at night"
    both = explain(model, text, ["owl", "gull"], marked=True, why_not=True)
    assert read == [text]
    apart = [explain(model, text, [name], marked=True, why_not=True)[0] for name in ("owl", "gull")]
    assert both == apart
    for found, whole in zip(both, explain(model, text, ["owl", "gull"], top=10_000), strict=True):
        assert (list(found.pieces), found.cut) == pieces(model, text, dict(whole.terms))


def test_refusals():
    model = TextClassifier().fit(TEXTS, LABELS)
    with pytest.raises(ValueError, match=r"longest=0.*>= 1"):
        pieces(model, "hoots", {}, longest=0)
