"""What categories are called to the outside, and back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from classmark import Hierarchy, TextClassifier
from classmark.service.naming import Called, Naming

OWL, GULL = "http://a/owl", "http://a/gull"
TEXTS = ["hoots at night", "cries over the sea"]


def naming_of(names=("owl", "gull"), **told):
    return Naming(TextClassifier("nb", hierarchy=Hierarchy.flat(names), **told).fit(TEXTS, list(names)[:2]))


def test_everything_is_known():
    naming = naming_of(titles={"owl": "owls"}, uris={"owl": OWL, "gull": GULL}, notations={"owl": "598.97"})
    assert naming.called == [Called(OWL, "owls", "598.97"), Called(GULL, "gull", None)]


def test_nothing_is_known():
    assert naming_of().called == [Called("owl", "owl", None), Called("gull", "gull", None)]


def test_empty_texts_are_none():
    naming = naming_of(titles={"owl": ""}, uris={"owl": ""}, notations={"owl": ""})
    assert naming.called[0] == Called("owl", "owl", None)


def test_names_that_are_addresses():
    naming = naming_of((OWL, GULL), titles={OWL: "owls"})
    assert naming.called == [Called(OWL, "owls", None), Called(GULL, GULL, None)]


def test_names_that_are_paths_or_numbers():
    paths = Hierarchy.from_paths([("bird", "owl"), ("bird", "gull")])
    model = TextClassifier("nb", hierarchy=paths).fit(TEXTS, [[("bird", "owl")], [("bird", "gull")]])
    naming = Naming(model)
    assert naming.called[naming.position("bird/owl")] == Called("bird/owl", "owl", None)
    naming = naming_of((1, 2))
    assert naming.called[naming.position("2")] == Called("2", "2", None)


def test_the_way_back_is_by_address_or_name():
    naming = naming_of(uris={"owl": OWL})
    assert [naming.position(called) for called in (OWL, "owl", "gull")] == [0, 0, 1]


def test_an_address_goes_before_a_name():
    naming = naming_of(uris={"owl": "gull", "gull": "owl"})
    assert (naming.position("gull"), naming.position("owl")) == (0, 1)


@pytest.mark.parametrize(
    ("called", "meant"),
    [
        ("http://a/owls", f" (did you mean '{OWL}'?)"),
        ("gul", " (did you mean 'gull'?)"),
        ("birds of the night", f" (did you mean '{OWL}'?)"),  # a label is not taken, but it is known
        ("598.97", ""),
        ("", ""),
    ],
)
def test_what_is_unknown(called, meant):
    naming = naming_of(titles={"owl": "birds of the night"}, uris={"owl": OWL}, notations={"owl": "598.97"})
    with pytest.raises(ValueError) as caught:
        naming.position(called)
    assert str(caught.value) == f"{called!r} is neither the address nor the name of a category{meant}"


def test_what_may_be_several():
    naming = naming_of(uris={"owl": OWL, "gull": OWL})
    with pytest.raises(ValueError, match=f"'{OWL}' may be any of owl, gull; give its name"):
        naming.position(OWL)
    assert naming.position("gull") == 1


NAMES = st.lists(st.text(min_size=1, max_size=4).filter(str.strip), min_size=2, max_size=5, unique=True)


@given(NAMES, st.data())
def test_every_address_that_is_one_finds_its_category(names, data):
    uris = data.draw(st.dictionaries(st.sampled_from(names), st.text(max_size=3)))
    naming = naming_of(names, uris=uris)
    told = [called.uri for called in naming.called]
    for node, uri in enumerate(told):
        if told.count(uri) == 1:
            assert naming.position(uri) == node
