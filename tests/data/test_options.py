import pytest

from classmark.data import CorpusOptions


@pytest.mark.parametrize(
    ("name", "allowed"),
    [("empty_labels", "'unlabelled' or 'nowhere'"), ("on_unknown", "'error' or 'drop'")],
)
def test_a_choice_that_there_is_not(name, allowed):
    with pytest.raises(ValueError) as caught:
        CorpusOptions(**{name: "ignore"})
    assert str(caught.value) == f"{name} is 'ignore'; it may be {allowed}"


@pytest.mark.parametrize("name", ["text_column", "label_column", "label_separator", "path_separator"])
def test_an_empty_name(name):
    with pytest.raises(ValueError, match=f"{name} is empty; give a name or a separator, or leave {name} out"):
        CorpusOptions(**{name: ""})
