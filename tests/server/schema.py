"""Ask a real server whatever its own description allows, and what it does not: schemathesis, with its own checks.

No answer may be a 5xx, or one that the description does not have: its status, its type, its members.
`python -m tests.server.schema --examples 20000` asks more than the tests do.
"""

import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.server.birds import TEXTS, ask, make_index, make_model, still_well
from tests.server.running import Server, running

CONFIG = Path(__file__).with_name("schemathesis.toml")
COMMAND = (sys.executable, "-c", "from schemathesis.cli import schemathesis; schemathesis()")
GENERATED = re.compile(r"([\d,]+) generated")
SHARE = 36
"""One in so many of all examples is that of one operation, about: some have nothing to choose from."""


def ask_everything(folder: Path, examples: int, seed: int, store: str | None = None) -> int:
    """Ask at least so many things, and give how many; what does not hold is an error."""
    models = {"file": make_model(folder / "file.classmark"), "live": make_index(folder / "live")}
    with running(models, "--allow-learn", store=store, folder=folder) as server:
        _fill(server)
        asked = _run(server, folder, examples, seed)
        still_well(server)
    complaints = [line for line in server.lines if "Traceback" in line or "ours" in line]
    assert not complaints, "".join(server.lines)
    return asked


def _fill(server: Server) -> None:
    """Let there be documents to be reviewed, so that something is found."""
    documents = [{"document_id": f"d{place}", "text": text} for place, text in enumerate(TEXTS)]
    for project in ("file", "live"):
        assert ask(server.url, "POST", f"/v1/projects/{project}/review/add", {"documents": documents}).status == 200


def _run(server: Server, folder: Path, examples: int, seed: int) -> int:
    options = ("--max-examples", str(max(1, examples // SHARE)), "--seed", str(seed), "--generation-database", "none")
    command = (*COMMAND, "--config-file", str(CONFIG), "run", f"{server.url}/openapi.json", *options, "--no-color")
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    found = GENERATED.search(done.stdout)
    assert found is not None, done.stdout
    asked = int(found[1].replace(",", ""))
    assert asked >= examples, f"{asked} examples are fewer than {examples}"
    return asked


def main() -> None:
    """Print how much was asked; whatever does not hold is an error."""
    parser = argparse.ArgumentParser(prog="python -m tests.server.schema", description=__doc__)
    parser.add_argument("--examples", type=int, default=20_000, help="how many, at least")
    parser.add_argument("--seed", type=int, default=0, help="where the examples come from")
    parser.add_argument("--store", help="the address of a store; by default a new SQLite file")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        asked = ask_everything(Path(folder), given.examples, given.seed, given.store)
    print(f"{asked} examples: no 5xx, and no answer that the description does not have")


if __name__ == "__main__":
    main()
