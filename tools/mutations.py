"""Measure how many small random faults in `src/` the test suite detects (mutation testing).

    python tools/mutations.py list --number 60 --seed 0
    python tools/mutations.py map  --number 60 --seed 0 --work FOLDER -n 2
    python tools/mutations.py run  --number 60 --seed 0 --work FOLDER --jobs 2

A mutation flips a comparison, drops a statement or changes a number inside a function. `run` applies one mutation at a
time to a copy of the tree and runs tests until one fails: the test file of the same name, the test folder of the
package, then the tests of all classifiers. If `map` has run before, its tests are those that execute the statement
(`map` runs the suite once on a copy in which each chosen statement records its tests; statements of compiled kernels
cannot), then all tests of their files.

Results are appended to `WORK/results.jsonl`, so that an interrupted run continues. Sample and results depend on the
seed and the sources alone. `--jobs 2` uses two copies at a time.
"""

import argparse
import ast
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from queue import SimpleQueue

ROOT = Path(__file__).parents[1]
COPIED = (
    *("src", "tests", "docs", "examples", "tools", "benchmarks", "reproductions", "deploy", ".ci", "pyproject.toml"),
    *("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "Makefile", ".pre-commit-config.yaml"),
)
FLIPPED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    **{ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq},
    **{ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In},
}
PROBE = "_mutation_probe"
PROBE_SOURCE = """
import os
seen = set()
def hit(number):
    test = os.environ.get("PYTEST_CURRENT_TEST", "")
    if (number, test) not in seen:
        seen.add((number, test))
        with open(os.path.join(os.environ["MUTATION_PROBES"], str(os.getpid())), "a") as file:
            file.write(f"{number}\\t{test}\\n")
"""
PYTEST = (sys.executable, str(Path(sys.executable).with_name("pytest")))
SECONDS = 900
"""A run of tests that takes longer counts as a detected mutation (an endless loop)."""


@dataclass(frozen=True)
class Mutation:
    """One change of one line, and the line before which the executing tests are recorded (None in a kernel)."""

    path: str
    line: int
    kind: str
    before: str
    after: str
    start: tuple[int, int]
    end: tuple[int, int]
    probe: int | None

    def apply(self, tree: Path) -> None:
        """Write the mutated file into a tree, without stale byte code or compiled kernels."""
        file = tree / self.path
        lines = (ROOT / self.path).read_bytes().splitlines(keepends=True)
        (first, left), (last, right) = self.start, self.end
        lines[first - 1 : last] = [lines[first - 1][:left] + self.after.encode() + lines[last - 1][right:]]
        file.write_bytes(b"".join(lines))
        for cached in (file.parent / "__pycache__").glob(f"{file.stem}.*.pyc"):
            cached.unlink()
        if self.probe is None:
            # numba compares a cached kernel with its own file alone, not with the kernels that it calls.
            for cached in (tree / "src").rglob("*.nbi"):
                cached.unlink()


def is_kernel(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Return whether a function is compiled by numba."""
    names = {
        node.id for decorator in function.decorator_list for node in ast.walk(decorator) if isinstance(node, ast.Name)
    }
    return bool(names & {"kernel", "njit", "jit"})


def statement_mutations(statement: ast.stmt, path: str, source: str, compiled: bool) -> Iterator[Mutation]:
    """Yield the mutations of one statement, without those of the statements inside it."""

    def mutation(kind: str, node: ast.expr | ast.stmt, after: str) -> Mutation:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        before = ast.get_source_segment(source, node) or ""
        start, end = (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)
        return Mutation(path, node.lineno, kind, before, after, start, end, None if compiled else statement.lineno)

    is_docstring = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    if isinstance(statement, ast.Expr | ast.Assign | ast.AugAssign) and not is_docstring:
        yield mutation("drop", statement, "pass")
    nodes: list[ast.AST] = [node for node in ast.iter_child_nodes(statement) if not isinstance(node, ast.stmt)]
    while nodes:
        node = nodes.pop()
        if isinstance(node, ast.stmt | ast.JoinedStr | ast.excepthandler | ast.match_case):
            continue
        nodes.extend(ast.iter_child_nodes(node))
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            other = ast.Compare(node.left, [FLIPPED[type(node.ops[0])]()], node.comparators)
            yield mutation("compare", node, f"({ast.unparse(other)})")
        elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
            yield mutation("constant", node, repr(not node.value))
        elif isinstance(node, ast.Constant) and isinstance(node.value, int | float):
            yield mutation("constant", node, repr(node.value + 1))


def mutations() -> Iterator[Mutation]:
    """Yield every mutation of the sources."""
    for file in sorted((ROOT / "src").rglob("*.py")):
        source = file.read_text("utf-8")
        path = file.relative_to(ROOT).as_posix()

        def visit(
            node: ast.AST, inside: bool, compiled: bool, path: str = path, source: str = source
        ) -> Iterator[Mutation]:
            for child in ast.iter_child_nodes(node):
                if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
                    yield from visit(child, True, compiled or is_kernel(child))
                    continue
                if inside and isinstance(child, ast.stmt):
                    yield from statement_mutations(child, path, source, compiled)
                yield from visit(child, inside and not isinstance(child, ast.ClassDef), compiled)

        yield from visit(ast.parse(source), inside=False, compiled=False)


def sample(number: int, seed: int) -> list[Mutation]:
    """Draw mutations, as many of each kind."""
    by_kind: dict[str, list[Mutation]] = defaultdict(list)
    for mutation in mutations():
        by_kind[mutation.kind].append(mutation)
    rng = random.Random(seed)
    drawn = [rng.sample(by_kind[kind], number // 3) for kind in ("compare", "drop", "constant")]
    return [mutation for kind in drawn for mutation in kind]


def copy_tree(target: Path) -> Path:
    """Copy what the tests need."""
    if not target.exists():
        for name in COPIED:
            source = ROOT / name
            if source.is_dir():
                shutil.copytree(source, target / name, ignore=shutil.ignore_patterns("_build", "gallery"))
            else:
                target.mkdir(parents=True, exist_ok=True)
                shutil.copy2(source, target / name)
    return target


def environment(tree: Path, **more: str) -> dict[str, str]:
    """Return the variables of a run with the package of a tree in place of the installed one."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return kept | {"PYTHONPATH": str(tree / "src")} | more


def pytest(tree: Path, *arguments: str, **more: str) -> tuple[int, str]:
    """Run tests in a tree; return the exit code (99 if they took too long) and the last lines of the output."""
    command = [*PYTEST, "-q", "-p", "no:cacheprovider", "--no-header", *arguments]
    try:
        done = subprocess.run(
            command,
            cwd=tree,
            env=environment(tree, **more),
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return 99, "timeout"
    return done.returncode, done.stdout[-3000:]


def write_probes(tree: Path, chosen: list[Mutation]) -> None:
    """Insert a recording call before the statement of each mutation."""
    (tree / "src" / f"{PROBE}.py").write_text(PROBE_SOURCE)
    by_file: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for number, mutation in enumerate(chosen):
        if mutation.probe is not None:
            by_file[mutation.path].append((mutation.probe, number))
    for path, probes in by_file.items():
        lines = (ROOT / path).read_text("utf-8").splitlines(keepends=True)
        for line, number in sorted(probes, reverse=True):
            text = lines[line - 1]
            indent = text[: len(text) - len(text.lstrip())]
            # `elif` and `else` begin no statement of their own: the function is recorded at the line before the chain.
            while text.lstrip().startswith(("elif ", "else:", "except", "case ", "finally:")):
                line -= 1
                while len(lines[line - 1]) - len(lines[line - 1].lstrip()) > len(indent):
                    line -= 1
                text = lines[line - 1]
            lines.insert(line - 1, f"{indent}__import__({PROBE!r}).hit({number})\n")
        (tree / path).write_text("".join(lines), "utf-8")


def record(chosen: list[Mutation], work: Path, arguments: list[str]) -> None:
    """Run the suite once and write which tests reach which mutation to `WORK/map.json`."""
    tree = copy_tree(work / "probes")
    write_probes(tree, chosen)
    folder = work / "hits"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    command = [*PYTEST, "-q", *arguments]
    subprocess.run(command, cwd=tree, env=environment(tree, MUTATION_PROBES=str(folder)), check=False)
    reached: dict[int, set[str]] = defaultdict(set)
    for file in folder.iterdir():
        for line in file.read_text().splitlines():
            number, _, test = line.partition("\t")
            name, _, phase = test.rpartition(" ")
            # What a fixture executes serves all tests of its file.
            reached[int(number)].add(name.split("[")[0] if phase == "(call)" else name.split("::")[0])
    (work / "map.json").write_text(json.dumps({number: sorted(tests - {""}) for number, tests in reached.items()}))


def mirrored(path: str) -> list[str]:
    """Return the test file and folder that mirror a source file, those that exist."""
    inner = Path(path).relative_to("src/classmark")
    file = ROOT / "tests" / inner.with_name(f"test_{inner.name}")
    folder = ROOT / "tests" / inner.parent
    return [str(one.relative_to(ROOT)) for one in (file, folder) if one.exists() and one != ROOT / "tests"]


def test_groups(mutation: Mutation, reached: list[str] | None) -> list[list[str]]:
    """Return the tests to run for a mutation, in the order in which to run them."""
    if mutation.probe is None or reached is None:
        return [*([path] for path in mirrored(mutation.path)), ["tests/test_contract.py"]]
    near = mirrored(mutation.path)[:1]
    tests = sorted(reached, key=lambda test: (not test.startswith(tuple(near) or "-"), test.count("::") == 0))
    files = sorted({test.split("::")[0] for test in reached})
    return [tests, files]


def try_mutation(
    number: int, mutation: Mutation, reached: list[str] | None, tree: Path, arguments: list[str]
) -> dict[str, object]:
    """Apply a mutation, run its tests until one fails, and restore the tree."""
    began = time.monotonic()
    mutation.apply(tree)
    killer = ""
    try:
        for group in test_groups(mutation, reached):
            # Long lists of tests do not fit on a command line.
            listed = tree / "selected.txt"
            listed.write_text("\n".join(group))
            code, output = pytest(tree, "-x", *arguments, f"@{listed}") if group else (0, "")
            if code not in (0, 5):
                failed = [line for line in output.splitlines() if line.startswith(("FAILED", "ERROR"))]
                killer = failed[0].split(" - ")[0] if failed else f"exit code {code}"
                break
    finally:
        shutil.copy2(ROOT / mutation.path, tree / mutation.path)
        for cached in (tree / mutation.path).parent.glob(f"__pycache__/{Path(mutation.path).stem}.*"):
            cached.unlink()
    seconds = round(time.monotonic() - began, 1)
    return {"number": number, "killed": bool(killer), "by": killer, "seconds": seconds, **asdict(mutation)}


def run(chosen: list[Mutation], work: Path, jobs: int, arguments: list[str]) -> None:
    """Try every mutation that has no result yet, and print the share that was detected."""
    map_file = work / "map.json"
    reached = json.loads(map_file.read_text()) if map_file.exists() else None
    results = work / "results.jsonl"
    done = {json.loads(line)["number"] for line in results.read_text().splitlines()} if results.exists() else set()
    trees: SimpleQueue[Path] = SimpleQueue()
    for job in range(jobs):
        trees.put(copy_tree(work / f"tree-{job}"))

    def attempt(number: int) -> None:
        tree = trees.get()
        try:
            tests = None if reached is None else reached.get(str(number), [])
            result = try_mutation(number, chosen[number], tests, tree, arguments)
        finally:
            trees.put(tree)
        with results.open("a") as file:
            file.write(json.dumps(result) + "\n")
        verdict = f"killed by {result['by']}" if result["killed"] else "SURVIVED"
        print(f"{number:3d} {chosen[number].path}:{chosen[number].line} {chosen[number].kind}: {verdict}", flush=True)

    with ThreadPoolExecutor(jobs) as pool:
        list(pool.map(attempt, [number for number in range(len(chosen)) if number not in done]))
    killed = [json.loads(line)["killed"] for line in results.read_text().splitlines()]
    print(f"{sum(killed)} of {len(killed)} mutations detected")


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=("list", "map", "run"))
    parser.add_argument("--number", type=int, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--work", type=Path, default=Path(tempfile.gettempdir(), "mutations"))
    parser.add_argument("--jobs", type=int, default=1)
    options, arguments = parser.parse_known_args()
    chosen = sample(options.number, options.seed)
    if options.action == "list":
        for number, one in enumerate(chosen):
            print(
                f"{number:3d} {one.path}:{one.line} {one.kind}: {one.before!r} -> {one.after!r} {one.probe or 'kernel'}"
            )
    elif options.action == "map":
        record(chosen, options.work, arguments)
    else:
        run(chosen, options.work, options.jobs, arguments)


if __name__ == "__main__":
    main()
