"""Mail and news messages: what their headers say of the subject, and the rest of them left out."""

import re

HEADERS = re.compile(r"(?:[!-9;-~]+:.*\n(?:[ \t].*\n)*)+\r?\n")
"""Lines with a name, a colon and a value, perhaps going on in the next line after a space, and then an empty line."""
SENDER = re.compile(r"^(?:from|subject):", re.IGNORECASE | re.MULTILINE)
SUBJECT = re.compile(r"^subject:[ \t]*((?:.*)(?:\n[ \t].*)*)", re.IGNORECASE | re.MULTILINE)
REPLY = re.compile(r"^(?:(?:re|aw|fwd?)[ \t]*(?:\[\d+\])?:[ \t]*)+", re.IGNORECASE)


def subject_and_body(text: str) -> str:
    r"""Give the subject, without what replies put before it, and the body of a message; other texts as they are.

    >>> subject_and_body("From: Ann <ann@owl.org>\nSubject: Re: Owls\nLines: 2\n\nThey hoot.")
    'Owls\nThey hoot.'
    >>> subject_and_body("Note: owls hoot.\n\nThey do.")
    'Note: owls hoot.\n\nThey do.'
    """
    return "\n".join(text[span] for span in spans_read(text))


def spans_read(text: str) -> list[slice]:
    r"""Give where the subject and the body of a message are; all of another text.

    >>> spans_read("From: Ann\nSubject: Re: Owls\n\nThey hoot.")
    [slice(23, 27, None), slice(29, 39, None)]
    """
    headers = HEADERS.match(text)
    if headers is None or not SENDER.search(headers[0]):
        return [slice(0, len(text))]
    subject = SUBJECT.search(headers[0])
    body = slice(headers.end(), len(text))
    if subject is None:
        return [body]
    words = subject[1].rstrip()
    reply = REPLY.match(words)
    start = subject.start(1)
    return [slice(start + (reply.end() if reply else 0), start + len(words)), body]
