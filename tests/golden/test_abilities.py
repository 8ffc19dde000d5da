"""The committed list of what a user can do is that of this code."""

import difflib
from importlib.metadata import version
from pathlib import Path

import pytest

from tools import abilities

pytest.importorskip("fastapi")


CONSTRAINTS = (Path(__file__).parents[2] / "constraints.txt").read_text(encoding="utf-8").split()
OTHERS = [f"{name}=={version(name)}" for name in ("typer", "fastapi", "pydantic")]


@pytest.mark.skipif(not set(OTHERS) <= set(CONSTRAINTS), reason="describes options and schemas as other versions do")
def test_list_of_abilities_is_current():
    committed, _, transcripts = abilities.LIST.read_text(encoding="utf-8").partition(abilities.TRANSCRIPTS)
    differing = difflib.unified_diff(committed.splitlines(), abilities.abilities(), "committed", "here", n=0)
    assert not [*differing][:20], "run tools/abilities.py --write, and read its difference"
    assert all(f"$ classmark {command}\n" in transcripts for command in abilities.COMMANDS)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("fitted in 3.2 s, loss 0.123456", "fitted in TIME, loss 0.123"),
        ('{"train_seconds": 1.25, "score": 0.123456789012345}', '{"train_seconds": N, "score": 0.123}'),
        ("score 4.4e-15", "score 0.000"),
        ("numpy 2.4.6, scipy 1.17.1", "numpy N, scipy N"),
        ("25,921 bytes in 0a1b2c3d4e5f6a7b", "SIZE in HASH"),
    ],
)
def test_normalized_text_has_no_times_sizes_and_hashes(text, expected):
    assert abilities.normalized(text) == expected


def test_type_of_a_schema_has_its_limits():
    schema = {"anyOf": [{"type": "integer", "minimum": 1}, {"type": "null"}], "default": None}
    assert abilities.type_of(schema) == "integer minimum=1|null default=null"
    assert abilities.type_of({"type": "array", "items": {"$ref": "#/components/schemas/Name"}}) == "array[Name]"
