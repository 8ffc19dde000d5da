"""What cannot be imported here is not searched for examples, and is named."""

from importlib.util import find_spec

LEARNS_BY_TORCH = [
    *(f"classmark/neural/{name}.py" for name in ("fine_tuning", "learning", "network")),
    "classmark/text/encoders/torch_encoder.py",
]
collect_ignore = LEARNS_BY_TORCH if find_spec("torch") is None or find_spec("transformers") is None else []


def pytest_report_header() -> list[str]:
    """Name what is left out."""
    return [f"no torch or no transformers: left out {', '.join(collect_ignore)}"] if collect_ignore else []
