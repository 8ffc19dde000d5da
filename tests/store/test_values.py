import pytest

from classmark.store import NewDocument

GOOD = {"name": "1", "text": "hoots"}


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ({"name": ""}, "name='': must be 1 to 400 characters"),
        ({"name": "x" * 401}, "name='xxx"),
        ({"name": 7}, "name=7: must be 1 to 400 characters"),
        ({"name": "a\0b"}, r"name has the character U\+0000 at 2,.*no store"),
        ({"text": "\ud800"}, r"the text of document '1' has the character U\+D800 at 1"),
        ({"text": None}, "the text of document '1' is None; give a string"),
        ({"given": "owl"}, "the labels of document '1' are 'owl'; give a list of names"),
        ({"given": ["owl", ""]}, "a label of document '1' is ''; give the name of a category"),
        ({"given": ["\udfff"]}, r"a label of document '1'.*character U\+DFFF"),
        ({"said": ["owl"]}, r"what was said of document '1' is \['owl'\]; give a dict with labels"),
        ({"said": {"labels": "owl"}}, "the labels of document '1' are 'owl'"),
        ({"said": {"more": [{"deep": "\0"}]}}, r"what was said of document '1' has the character U\+0000"),
        ({"said": {"\0": 1}}, r"what was said of document '1' has the character U\+0000"),
        ({"said": {"chances": {"owl": float("nan")}}}, "what was said of document '1' has nan; give strings, finite"),
        ({"said": {"labels": ["owl"], "more": object()}}, "what was said of document '1' has <object"),
        ({"doubt": float("inf")}, "the doubt of document '1' is inf; give a finite number"),
        ({"suspicion": "high"}, "the suspicion of document '1' is 'high'"),
        ({"version": ""}, "version=''"),
        ({"origin": "x" * 41}, "origin='xxx"),
    ],
)
def test_what_no_store_can_hold(store, values, told):
    with pytest.raises(ValueError, match=told) as error:
        store.add("birds", [NewDocument(**GOOD | values)], who="ann")
    assert "\n" not in str(error.value)
    assert store.projects() == []


@pytest.mark.parametrize(("project", "who"), [("", "ann"), ("birds", ""), ("b\0", "ann"), ("birds", "a" * 201)])
def test_names_that_are_none(store, project, who):
    with pytest.raises(ValueError, match=r"project|who"):
        store.add(project, [NewDocument(**GOOD)], who=who)
    with pytest.raises(ValueError, match=r"project|who"):
        store.learn(project, [("1", "hoots", ["owl"])], who=who)


def test_a_name_twice(store):
    with pytest.raises(ValueError, match="two documents are called '1'; give each a name of its own"):
        store.add("birds", [NewDocument(**GOOD), NewDocument(**GOOD)], who="ann")


def test_the_longest_names_that_are_allowed(store):
    store.add("𝔭" * 200, [NewDocument(name="𝔫" * 400, text="")], who="𝔴" * 200)
    store.learn("𝔭" * 200, [("𝔫" * 400, "", [])], who="𝔴" * 200, key="𝔨" * 200)
    assert store.document("𝔭" * 200, "𝔫" * 400).by == "𝔴" * 200
