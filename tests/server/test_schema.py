"""A share of what `python -m tests.server.schema --examples 20000` asks."""

from tests.server.schema import ask_everything


def test_no_answer_that_the_description_does_not_have(tmp_path):
    assert ask_everything(tmp_path, 100, seed=0) >= 100
