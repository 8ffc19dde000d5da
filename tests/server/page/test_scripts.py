"""The page's scripts in node, with its own test runner and a fake `fetch`."""

import shutil
import subprocess
from pathlib import Path

import pytest

import classmark.server.page

STATIC = Path(classmark.server.page.__file__).parent / "static"
SCRIPTS = Path(__file__).parent / "scripts"


@pytest.mark.parametrize("script", sorted(SCRIPTS.glob("*.test.js")), ids=lambda path: path.name)
def test_scripts_pass_their_tests_in_node(script: Path, tmp_path: Path) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("needs node: apt-get install nodejs")
    # Without this file, node before version 20.19 takes the scripts for CommonJS.
    (tmp_path / "package.json").write_text('{"type": "module"}', "utf-8")
    shutil.copytree(STATIC, tmp_path / "static")
    shutil.copytree(SCRIPTS, tmp_path, dirs_exist_ok=True)
    done = subprocess.run([node, "--test", script.name], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "# pass 0" not in done.stdout
