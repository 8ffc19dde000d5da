from __future__ import annotations

import copy
import pickle
import sys
import unicodedata
from concurrent.futures import ThreadPoolExecutor

import pytest
import Stemmer
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

from classmark.text import STOP_WORDS, Analyser
from classmark.text.analyser import Memo
from tests.oracles.text import terms as terms_oracle

# Letters whose case, composition or class is awkward, beside plain ones and separators.
AWKWARD = "aAbBsS éÉßẞſǅİıΣσ0123²½Ⅷ_'’- \n\x1c\u0301\u0308ह"
TEXTS = st.one_of(st.text(alphabet=AWKWARD, max_size=40), st.text(max_size=40), st.text(alphabet="abAB 1_'"))
PARAMETERS = st.fixed_dictionaries(
    {
        "lowercase": st.booleans(),
        "token_pattern": st.sampled_from(["letters", "words"]),
        "stop_words": st.sampled_from([(), ("a", "ab", "é"), ("ss", "b")]),
        "stemmer": st.sampled_from([None, "porter", "german", "french"]),
        "remove_numbers": st.booleans(),
        "min_length": st.integers(1, 3),
        "ngrams": st.sampled_from([(1, 1), (1, 2), (2, 3), (3, 3)]),
    }
)


@given(TEXTS, PARAMETERS)
def test_equals_the_oracle(text: str, parameters: dict) -> None:
    assert Analyser(**parameters).terms(text) == terms_oracle(text, **parameters)


@given(TEXTS, st.booleans())
def test_a_named_pattern_equals_its_expression(text: str, lowercase: bool) -> None:
    named = Analyser(token_pattern="words", lowercase=lowercase).terms(text)
    assert named == Analyser(token_pattern=r"(?:[^\W_])+", lowercase=lowercase).terms(text)


def test_by_hand() -> None:
    text = "The 2 ponies weren't running_home in 1987, were they?"
    assert Analyser().terms(text) == [*("the", "ponies", "weren", "t", "running", "home", "in", "were", "they")]
    assert Analyser(token_pattern="words").terms(text)[1] == "2"
    words = Analyser(token_pattern="words", remove_numbers=True, stop_words="english", stemmer="porter")
    assert words.terms(text) == ["poni", "run", "home"]
    assert Analyser(min_length=5).terms(text) == ["ponies", "weren", "running"]


def test_numbers_are_tokens_of_digits_only() -> None:
    analyser = Analyser(token_pattern="words", remove_numbers=True)
    assert analyser.terms("b2b 42 ² 3rd") == ["b2b", "3rd"]


def test_german() -> None:
    text = "Die Größe der MÜHLEN, weiß; STRASSE und Straße"
    assert Analyser(stop_words="german").terms(text) == ["größe", "mühlen", "weiß", "strasse", "straße"]
    stem = Stemmer.Stemmer("german").stemWord
    analyser = Analyser(stop_words="german", stemmer="german")
    assert analyser.terms("Häuser für Hunde") == [stem("häuser"), stem("hunde")] == ["haus", "hund"]


def test_french_elisions() -> None:
    analyser = Analyser(stop_words="french")
    assert analyser.terms("L'école qu’il n'aimait pas, jusqu'à l'ÉTÉ") == ["école", "aimait", "été"]


@pytest.mark.parametrize("text", ["École à Genève", "Größe über Maß", "Ångström"])
def test_decomposed_letters_are_composed(text: str) -> None:
    decomposed = unicodedata.normalize("NFD", text)
    assert decomposed != text
    assert Analyser().terms(decomposed) == Analyser().terms(text) == text.lower().split()


def test_stop_words_are_removed_before_stemming_and_in_any_case() -> None:
    assert Analyser(stop_words=["run"], stemmer="porter").terms("run running") == ["run"]
    assert Analyser(stop_words=["THE", "E\u0301cole"], lowercase=False).terms("The école DOG") == ["DOG"]


def test_a_token_without_a_stem_is_dropped() -> None:
    assert Stemmer.Stemmer("porter").stemWord("s") == ""
    assert Analyser(stemmer="porter", ngrams=(2, 2)).terms("cat s dog") == ["cat dog"]


def test_ngrams_join_the_survivors() -> None:
    analyser = Analyser(stop_words=["of"], ngrams=(1, 3))
    assert analyser.terms("rate of interest rose") == [
        *("rate", "interest", "rose"),
        *("rate interest", "interest rose"),
        "rate interest rose",
    ]
    assert analyser.terms("rate") == ["rate"]
    assert Analyser(ngrams=(2, 2)).terms("rate") == []


def test_the_group_of_an_expression_is_the_token() -> None:
    assert Analyser(token_pattern=r"#(\w+)").terms("a #Tag and #another") == ["tag", "another"]
    assert Analyser(token_pattern=r"x*").terms("axxb") == ["xx"]


@pytest.mark.parametrize("text", ["", " \n", "1 2 3", "...", "\u0301"])
def test_texts_without_terms(text: str) -> None:
    assert Analyser().terms(text) == []


def test_pickle_copy_and_clone_after_use() -> None:
    analyser = Analyser(stop_words=["the"], stemmer="porter")
    assert analyser.terms("the ponies") == ["poni"]
    for twin in (pickle.loads(pickle.dumps(analyser)), copy.deepcopy(analyser), clone(analyser)):
        assert twin.get_params() == analyser.get_params()
        assert twin.terms("the ponies") == ["poni"]
    assert set(analyser.__getstate__()) == set(analyser.get_params())


def test_a_changed_parameter_counts_at_once() -> None:
    analyser = Analyser()
    assert analyser.terms("The ponies") == ["the", "ponies"]
    assert analyser.set_params(stemmer="porter").terms("The ponies") == ["the", "poni"]
    analyser.stop_words = "english"
    assert analyser.terms("The ponies") == ["poni"]


def test_threads_agree() -> None:
    texts = [" ".join(f"{chr(97 + i % 26)}{chr(97 + j % 26)}nations" for j in range(40)) for i in range(60)]
    expected = [terms_oracle(text, stemmer="porter") for text in texts]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(8) as pool:
            assert list(pool.map(Analyser(stemmer="porter").terms, texts)) == expected
    finally:
        sys.setswitchinterval(interval)


def test_memo_forgets_at_its_limit() -> None:
    asked: list[str] = []

    def length(key: str) -> int:
        asked.append(key)
        return len(key)

    memo = Memo(length, limit=2)
    assert [memo[key] for key in ("a", "bb", "a", "ccc", "a")] == [1, 2, 1, 3, 1]
    assert asked == ["a", "bb", "ccc", "a"]
    assert dict(memo) == {"ccc": 3, "a": 1}


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"lowercase": "yes"}, "lowercase='yes': must be True or False"),
        ({"remove_numbers": None}, "remove_numbers=None: must be True or False"),
        ({"min_length": 0}, r"min_length=0.*integer >= 1"),
        ({"min_length": 1.5}, r"min_length=1\.5.*integer >= 1"),
        ({"min_length": True}, r"min_length=True.*integer >= 1"),
        ({"stemmer": "klingon"}, "stemmer='klingon': must be one of "),
        ({"stemmer": ["porter"]}, r"stemmer=\['porter'\]: must be one of "),
        ({"token_pattern": "leters"}, r"token_pattern='leters' is not known.*'letters', 'words' or"),
        ({"token_pattern": None}, "token_pattern=None.*'letters', 'words'"),
        ({"token_pattern": "[a"}, r"token_pattern='\[a'.*no regular expression \(unterminated"),
        ({"token_pattern": "(a)(b)"}, r"token_pattern='\(a\)\(b\)' has 2 groups: give one at most, \(\?:\.\.\.\) for"),
        ({"stop_words": "klingon"}, "stop_words='klingon'.*dutch,"),
        ({"stop_words": 3}, "stop_words=3.*dutch,"),
        ({"stop_words": b"the"}, "stop_words=b'the'.*dutch,"),
        ({"stop_words": iter(["the"])}, "stop_words=<list_iterator.*dutch,"),
        ({"stop_words": ["the", 3]}, r"stop_words=\['the', 3\].*dutch,"),
        ({"ngrams": (0, 1)}, r"ngrams=\(0, 1\).*1 <= low <= high"),
        ({"ngrams": (3, 2)}, r"ngrams=\(3, 2\).*1 <= low <= high"),
        ({"ngrams": (1, 10**6)}, r"ngrams=\(1, 1000000\).*high <= 20"),
        ({"ngrams": 2}, r"ngrams=2.*\(low, high\)"),
        ({"ngrams": (1, 2, 3)}, r"ngrams=\(1, 2, 3\).*\(low, high\)"),
    ],
)
def test_bad_parameters_are_refused_in_one_line(parameters: dict, message: str) -> None:
    for call in (Analyser.check, lambda analyser: analyser.terms("text")):
        with pytest.raises(ValueError, match=message) as caught:
            call(Analyser(**parameters))
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("language", sorted(STOP_WORDS))
def test_stop_words_are_what_the_analyser_looks_up(language: str) -> None:
    words = STOP_WORDS[language]
    assert 100 <= len(words) <= 350
    assert Analyser().terms(" ".join(sorted(words))) == sorted(words)
    assert Analyser(stop_words=language).terms(" ".join(words).title()) == []
