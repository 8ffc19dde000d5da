"""The server's log: what happened, a line each on standard error; texts are in it only where that is asked for."""

import logging

from classmark.wording import in_a_line, visible

LOG = logging.getLogger("classmark.server")
LONGEST = 500
"""So many characters of a text are logged."""


def log_texts(project: str, texts: list[str]) -> None:
    """Log texts that were asked about."""
    for text in texts:
        LOG.info("%s asked: %s", project, visible(in_a_line(text[:LONGEST])))
