"""List what a user can do: commands, routes, settings, formats and public names, and transcripts of some of them.

The list is `tests/golden/abilities.txt`, so that the difference of a commit shows what it changes for users:

    python tools/abilities.py --write
    python tools/abilities.py --against HEAD~3

A line names one ability. Transcripts have neither folders nor times, and three decimals.
"""

import argparse
import difflib
import inspect
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
GOLDEN = ROOT / "tests" / "golden"
LIST = GOLDEN / "abilities.txt"
TRANSCRIPTS = "\nTranscripts\n"

COMMANDS = (
    "check texts.jsonl --hierarchy hierarchy.tsv",
    "info texts.jsonl",
    "train texts.jsonl --hierarchy hierarchy.tsv -m nb -o model",
    "train texts.jsonl --hierarchy hierarchy.tsv -m linear-svm --holdout 20% -o held-out",
    "info model",
    "info model --json",
    "evaluate model texts.jsonl",
    "evaluate model texts.jsonl --json",
    "predict model few.jsonl",
    "predict model few.jsonl -o answers.csv",
    "explain model 'the owl hoots in the oak'",
    "convert texts.jsonl texts.csv --hierarchy hierarchy.tsv",
    "compare texts.jsonl --hierarchy hierarchy.tsv -m majority,nb --holdout 25% --json",
    "methods",
    "methods nb",
    "index add index texts.jsonl",
    "index search index few.jsonl",
    "train missing.jsonl -o other",
    "train texts.jsonl -m unknown -o other",
    "predict model few.jsonl --unknown",
)
REQUESTS: tuple[tuple[str, str, Any], ...] = (
    ("GET", "/v1/", None),
    ("GET", "/v1/projects", None),
    ("GET", "/v1/projects/model", None),
    ("POST", "/v1/projects/model/suggest", {"text": "the owl hoots", "limit": "2"}),
    ("POST", "/v1/projects/model/suggest-batch", {"documents": [{"document_id": "a", "text": "the gull cries"}]}),
    ("POST", "/v1/projects/model/learn", [{"text": "x", "subjects": []}]),
    ("POST", "/v1/projects/model/classify", {"documents": [{"text": "the owl hoots"}]}),
    ("POST", "/v1/projects/model/explain", {"text": "the owl hoots", "category": "owls"}),
    ("GET", "/v1/projects/model/taxonomy", None),
    ("GET", "/v1/projects/model/model", None),
    ("POST", "/v1/detect-language", {"text": "the owl hoots at night", "languages": ["en", "de"]}),
    ("GET", "/v1/projects/missing", None),
    ("POST", "/v1/projects/model/classify", {"documents": "none"}),
)


NOT_THE_SAME = {
    r"\b\d+(\.\d+)? ?(s|ms|seconds)\b": "TIME",
    r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[\d.]*(Z|[+-]\d\d:\d\d)?": "MOMENT",
    r"[\d.,]+ ?(B|bytes|KiB|MiB|GiB|KB|MB|GB)\b": "SIZE",
    r"^(seconds|bytes)( +)[\d.,]+": r"\1\2N",
    r'("[a-z_]*(?:seconds|bytes|free|checksum|version|modified)": ?)("[^"]*"|[\d.e+-]+)': r"\1N",
    r'\b(classmark|numpy|scipy|scikit-learn|PyStemmer)((?:": ")| )\d[\d.]*': r"\1\2N",
    r"/tmp/\w+": "FOLDER",
    r"\b(?=\d*[a-f])[0-9a-f]{12,}\b": "HASH",
}
"""Pattern of what differs between runs and machines, and what is in its place."""


def abilities() -> list[str]:
    """Return a line for each ability, sorted."""
    lines = {*commands(), *routes(), *settings(), *formats(), *names()}
    return sorted(lines)


def commands() -> Iterator[str]:
    """Yield the commands and their options."""
    typer = import_module("typer")
    app = import_module("classmark.cli.main").app
    yield from command_lines("classmark", typer.main.get_command(app))


def command_lines(name: str, command: Any) -> Iterator[str]:
    """Yield a command, its options and what is below it."""
    yield f"command {name}"
    for option in command.params:
        facts = [
            "required" if option.required else "",
            "repeatable" if option.multiple or option.nargs != 1 else "",
            "" if option.default is None or option.required else f"default={option.default!r}",
        ]
        flags = "/".join([*option.opts, *option.secondary_opts])
        kind = getattr(option.type_descriptor, "annotation", None)
        yield " ".join(filter(None, [f"command {name} {flags}", getattr(kind, "__name__", str(kind)), *facts]))
    for below, inner in getattr(command, "commands", {}).items():
        yield from command_lines(f"{name} {below}", inner)


def description() -> dict[str, Any]:
    """Return the OpenAPI document of the server."""
    with server_folder() as folder:
        return dict(client_of(folder).get("/openapi.json").json())


def routes() -> Iterator[str]:
    """Yield the routes of the server, their parameters and responses, and the fields of schemas."""
    document = description()
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            route = f"route {method.upper()} {path}"
            yield route
            for one in operation.get("parameters", ()):
                needed = " required" if one.get("required") else ""
                yield f"{route} {one['in']} {one['name']} {type_of(one['schema'])}{needed}"
            for media, body in operation.get("requestBody", {}).get("content", {}).items():
                yield f"{route} body {media} {type_of(body.get('schema', {}))}"
            failures = [status for status in operation["responses"] if status >= "400"]
            yield " ".join([f"{route} failures", *failures])
            for status, response in operation["responses"].items():
                for media, body in response.get("content", {"-": {}}).items() if status < "400" else ():
                    yield f"{route} {status} {media} {type_of(body.get('schema', {}))}"
    for name, schema in document["components"]["schemas"].items():
        yield f"schema {name} {schema.get('type', type_of(schema))}"
        for field, one in schema.get("properties", {}).items():
            needed = " required" if field in schema.get("required", ()) else ""
            yield f"schema {name} {field} {type_of(one)}{needed}"


def type_of(schema: dict[str, Any]) -> str:
    """Return the type of a JSON schema in a few words, with its limits and default."""
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    for several in ("anyOf", "oneOf", "allOf"):
        if several in schema:
            return "|".join(type_of(one) for one in schema[several]) + limits_of(schema)
    if "enum" in schema or "const" in schema:
        return "|".join(json.dumps(value) for value in schema.get("enum", [schema.get("const")])) + limits_of(schema)
    kind = str(schema.get("type", "any"))
    inner = f"[{type_of(schema['items'])}]" if "items" in schema else ""
    return kind + inner + limits_of(schema)


def limits_of(schema: dict[str, Any]) -> str:
    """Return the limits and the default of a JSON schema."""
    known = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minLength", "maxLength", "minItems")
    found = [f"{name}={schema[name]}" for name in (*known, "maxItems", "pattern") if name in schema]
    if "default" in schema:
        found.append(f"default={json.dumps(schema['default'])}")
    return "".join(f" {one}" for one in found)


def settings() -> Iterator[str]:
    """Yield the settings of each method and of each decision."""
    for name, method in import_module("classmark.registry").METHODS.items():
        yield f"method {name}"
        for setting, one in {**method.declared(), **method.declared_of_text()}.items():
            yield f"method {name} {setting} default={one.default!r}"
    for name, kind in import_module("classmark.decision").DECISIONS.items():
        yield f"decision {name}"
        for setting, one in import_module("classmark.parameters").parameters(kind).items():
            if setting not in kind.learned:
                yield f"decision {name} {setting} default={one.default!r}"
    for name in import_module("classmark.probability").CALIBRATIONS:
        yield f"calibration {name}"


def formats() -> Iterator[str]:
    """Yield the formats of files."""
    for name, form in import_module("classmark.data.formats").FORMATS.items():
        written = "read and written" if form.write else "read"
        yield " ".join(["format documents", name, written, *form.suffixes])
    for suffix in import_module("classmark.hierarchy.formats").READERS:
        yield f"format hierarchy {suffix}"
    for suffix in import_module("classmark.service.answer_formats").WRITERS:
        yield f"format predictions {suffix}"
    for metric in import_module("classmark.metrics.table").MEASURES:
        yield f"metric {metric.name}"


def names() -> Iterator[str]:
    """Yield the public names, their parameters, and the public attributes of classes.

    What every classifier has is there once.
    """
    package = import_module("classmark")
    public = {name: getattr(package, name) for name in package.__all__}
    classifiers = [set(members(value)) for value in public.values() if hasattr(value, "predict_indicator")]
    shared = set.intersection(*classifiers)
    yield from (f"every classifier{member}" for member in shared)
    for name, value in public.items():
        kind = "class" if inspect.isclass(value) else "function"
        yield f"{kind} {name}"
        common = shared if hasattr(value, "predict_indicator") else set()
        yield from (f"{kind} {name}{member}" for member in {*members(value)} - common)


def members(value: Any) -> Iterator[str]:
    """Yield the parameters of a function or class, and the public attributes of a class, fitted ones included."""
    parameters = inspect.signature(value).parameters
    for parameter in parameters.values():
        yield f"({parameter.name}{default_of(parameter)})"
    if not inspect.isclass(value):
        return
    for attribute in dir(value):
        if attribute.startswith("_") or attribute in parameters:
            continue
        found = inspect.getattr_static(value, attribute)
        function = getattr(found, "__func__", found)
        if inspect.isfunction(function):
            given = [one for one in inspect.signature(function).parameters.values() if one.name not in ("self", "cls")]
            yield f".{attribute}({', '.join(one.name + default_of(one) for one in given)})"
        else:
            yield f".{attribute}"
    for attribute in {name for one in value.__mro__ for name in inspect.get_annotations(one)}:
        if attribute.endswith("_") and not attribute.startswith("_"):
            yield f".{attribute}"


def default_of(parameter: inspect.Parameter) -> str:
    """Return the default of a parameter; nothing if there is none."""
    if parameter.default is inspect.Parameter.empty:
        return ""
    text = repr(parameter.default)
    return "=..." if " at 0x" in text else f"={text}"


def server_folder() -> Any:
    """Return a context manager of a folder with a model to serve."""
    folder = tempfile.TemporaryDirectory()
    documents, labels = ["the owl hoots", "the gull cries", "an oak grows"], ["owls", "gulls", "trees"]
    package = import_module("classmark")
    tree = package.Hierarchy.from_tsv(GOLDEN / "hierarchy.tsv")
    package.TextClassifier("nb", hierarchy=tree).fit(documents, labels).save(Path(folder.name) / "model")
    return folder


def client_of(folder: str) -> Any:
    """Return a client of the server over the model in a folder."""
    server = import_module("classmark.server")
    given = server.ServerSettings(models={"model": f"{folder}/model"}, store=f"{folder}/store.sqlite", allow_learn=True)
    client = import_module("starlette.testclient").TestClient
    return client(server.create_app(given), base_url="http://127.0.0.1:8000", raise_server_exceptions=False)


def transcripts() -> Iterator[str]:
    """Yield what commands print, and what the server responds."""
    with tempfile.TemporaryDirectory() as folder:
        for name in ("texts.jsonl", "hierarchy.tsv"):
            (Path(folder) / name).write_bytes((GOLDEN / name).read_bytes())
        lines = (GOLDEN / "texts.jsonl").read_text(encoding="utf-8").splitlines()
        (Path(folder) / "few.jsonl").write_text("\n".join([*lines[::20], ""]), encoding="utf-8")
        environment = os.environ | {"CLASSMARK_CACHE": "off", "COLUMNS": "120", "OMP_NUM_THREADS": "1"}
        for command in COMMANDS:
            done = subprocess.run(
                [sys.executable, "-m", "classmark", *shlex.split(command)],
                cwd=folder,
                env=environment,
                capture_output=True,
                text=True,
                check=False,
            )
            yield f"\n$ classmark {command}\n{done.stdout}{done.stderr}exit code {done.returncode}"
    with server_folder() as folder, client_of(folder) as client:
        for method, path, body in REQUESTS:
            form = {"data": body} if path.endswith("/suggest") else {} if body is None else {"json": body}
            response = client.request(method, path, **form)
            request = f"{method} {path} {'' if body is None else json.dumps(body)}".strip()
            yield f"\n{request}\n{response.status_code} {response.text}"


def normalized(text: str) -> str:
    """Return a transcript without what differs from run to run and from machine to machine.

    >>> normalized("trained in 3.2 s, loss 0.12345")
    'trained in TIME, loss 0.123'
    """
    for pattern, replacement in NOT_THE_SAME.items():
        text = re.sub(pattern, replacement, text, flags=re.MULTILINE)
    return re.sub(r"\d+\.\d{4,}(e[+-]?\d+)?|\d+(\.\d+)?e-\d+", lambda match: f"{float(match[0]):.3f}", text)


def whole() -> str:
    """Return the list with transcripts."""
    return "\n".join(abilities()) + "\n" + TRANSCRIPTS + normalized("\n".join(transcripts())) + "\n"


def at(commit: str) -> str:
    """Return the list that a commit has."""
    where = f"{commit}:{LIST.relative_to(ROOT).as_posix()}"
    done = subprocess.run(["git", "-C", str(ROOT), "show", where], capture_output=True, text=True, check=False)
    return done.stdout if done.returncode == 0 else sys.exit(done.stderr.strip())


def main() -> int:
    """Run the command line; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help=f"write {LIST.relative_to(ROOT)}")
    parser.add_argument("--against", metavar="COMMIT", help="print the difference from the list of a commit")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    found = whole()
    if arguments.write:
        LIST.write_text(found, encoding="utf-8")
    elif arguments.against:
        before = at(arguments.against).splitlines()
        lines = list(difflib.unified_diff(before, found.splitlines(), arguments.against, "here", lineterm="", n=0))
        print("\n".join(lines) if lines else "nothing differs")
        return int(bool(lines))
    else:
        print(found, end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
