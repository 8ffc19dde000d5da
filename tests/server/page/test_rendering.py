"""Pages: languages, and what may stand in them."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from classmark.html import script_json
from classmark.server.page.rendering import wanted_language


@given(st.text())
def test_data_inside_a_script_element_cannot_end_it(text: str) -> None:
    written = str(script_json({"text": text}))
    assert not set(written) & set("<>&\u2028\u2029")
    assert json.loads(written) == {"text": text}


@pytest.mark.parametrize(
    ("accepted", "language"),
    [("", "en"), ("de", "de"), ("en-GB,de;q=0.9", "en"), ("fr,de-CH;q=0.3", "de"), ("de;q=0", "en"), (";;,,q=", "en")],
)
def test_the_language_is_the_browsers(accepted: str, language: str) -> None:
    assert wanted_language(accepted) == language
