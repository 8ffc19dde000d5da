import pytest
from hypothesis import given
from hypothesis import strategies as st

from classmark.text.settings import TextSettings, subject_and_body


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("From: a\nSubject: owls\n\nThey hoot.", "owls\nThey hoot."),
        ("From: a\r\nSubject: owls\r\n\r\nThey hoot.", "owls\nThey hoot."),
        ("SUBJECT: Re: RE: Fwd: owls\n\nbody", "owls\nbody"),
        ("Subject: AW: Re[2]: owls\n\nbody", "owls\nbody"),
        ("Subject: owls\n and gulls\nLines: 1\n\nbody", "owls\n and gulls\nbody"),
        ("From: a\nLines: 1\n\nbody: text\n\nmore", "body: text\n\nmore"),
        ("Subject: owls\n\n", "owls\n"),
        ("Subject:\n\nbody", "\nbody"),
        ("Subject: owls without a body", "Subject: owls without a body"),
        ("Note: no message\n\nbody", "Note: no message\n\nbody"),
        ("They said:\nSubject: owls\n\nbody", "They said:\nSubject: owls\n\nbody"),
        ("", ""),
    ],
)
def test_by_hand(text, read):
    assert subject_and_body(text) == read


@given(st.text())
def test_other_texts_stay_as_they_are(text):
    if "subject:" not in text.lower() and "from:" not in text.lower():
        assert subject_and_body(text) == text


@given(st.text(alphabet="ab: \n\t"))
def test_the_body_stays(body):
    assert subject_and_body(f"From: x\nSubject: owls\n\n{body}").endswith(f"owls\n{body}")


def test_features_and_other_settings_pass():
    documents = ["From: a\n\nowls", {"owl": 1.0}]
    assert list(TextSettings(headers="subject").prepared(documents)) == ["owls", {"owl": 1.0}]
    assert TextSettings().prepared(documents) is documents
