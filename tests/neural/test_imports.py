"""What learns runs on a machine that has a GPU and little else."""

import ast
import sys
from pathlib import Path

import pytest

import classmark

FOLDER = Path(classmark.__file__).parent
OUTSIDE = {"numpy", "torch", "transformers", "tokenizers", "safetensors"}
INSIDE = (
    *("neural.fine_tuning", "neural.learning", "neural.network", "neural.rates"),
    *("text.encoders.examples", "text.encoders.torch_encoder"),
)


@pytest.mark.parametrize("name", INSIDE)
def test_what_learns_imports_little(name):
    tree = ast.parse((FOLDER / f"{name.replace('.', '/')}.py").read_text())
    modules = {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    modules |= {one.name for node in ast.walk(tree) if isinstance(node, ast.Import) for one in node.names}
    own = {f"classmark.{one}" for one in INSIDE} | {"classmark.errors"}
    others = {module.partition(".")[0] for module in modules - own}
    assert others <= OUTSIDE | set(sys.stdlib_module_names)
