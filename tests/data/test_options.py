import pytest

from classmark.data import CorpusOptions


@pytest.mark.parametrize(
    ("name", "allowed"),
    [("empty_labels", "'unlabelled' or 'nowhere'"), ("on_unknown", "'error' or 'drop'")],
)
def test_a_choice_that_there_is_not(name, allowed):
    with pytest.raises(ValueError) as caught:
        CorpusOptions(**{name: "ignore"})
    assert str(caught.value) == f"{name}='ignore': must be {allowed}"


@pytest.mark.parametrize("name", ["text_column", "label_column", "label_separator", "path_separator"])
def test_an_empty_name(name):
    with pytest.raises(ValueError, match=f"{name} is empty; give a name or a separator, or leave {name} out"):
        CorpusOptions(**{name: ""})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"path_columns": "a,b"}, "path_columns='a,b': must be a tuple of column names, the top level first"),
        ({"path_columns": ("a", "")}, "path_columns=('a', ''): must be a tuple of column names, the top level first"),
        ({"path_columns": ("a", "a")}, "path_columns is ('a', 'a'); name each column once"),
        (
            {"path_columns": ("a",), "label_column": "b"},
            "path_columns and label_column are both given; labels stand in one or the other",
        ),
        ({"reuters_split": "x"}, "reuters_split='x': must be 'modapte', 'modlewis' or 'modhayes'"),
        ({"delimiter": ""}, "delimiter is empty; give a name or a separator, or leave delimiter out"),
        ({"delimiter": "::"}, "delimiter='::': must be one character, such as ';', or a tab"),
        ({"delimiter": '"'}, "delimiter='\"': must be one character, such as ';', or a tab"),
        ({"max_line": 0}, "max_line=0: must be an integer >= 1 and <= 1,048,576, in MiB"),
        ({"max_line": 2.5}, "max_line=2.5: must be an integer >= 1 and <= 1,048,576, in MiB"),
        ({"kind": ""}, "kind is empty; give a name or a separator, or leave kind out"),
    ],
)
def test_options_that_cannot_be(options, message):
    with pytest.raises(ValueError) as caught:
        CorpusOptions(**options)
    assert str(caught.value) == message


def test_path_columns_make_paths():
    assert CorpusOptions().tree_separator is None
    assert CorpusOptions(path_columns=("a",)).tree_separator == "/"
    assert CorpusOptions(path_columns=("a",), path_separator=">").tree_separator == ">"
