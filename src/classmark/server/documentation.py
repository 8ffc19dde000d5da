"""`/docs`: the interface as a page for people, made of its own description; nothing is loaded from elsewhere."""

from collections.abc import Iterator, Mapping
from html import escape
from typing import Any

import msgspec

STYLE = """
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 54rem; margin: 2rem auto; padding: 0 1rem; }
h1, h2 { line-height: 1.2; } h2 { margin-top: 2.5rem; }
details { border-top: 1px solid #8886; padding: .4rem 0; } summary { cursor: pointer; }
code, pre { font: .875rem/1.45 ui-monospace, monospace; } pre { overflow-x: auto; padding: .6rem; background: #8881; }
.method { display: inline-block; min-width: 4.2rem; font-weight: 700; }
dt { font-weight: 600; } dd { margin: 0 0 .4rem 1.2rem; }
"""
METHODS = ("get", "post", "put", "delete")


def page(openapi: Mapping[str, Any]) -> str:
    """Give the page that describes an interface."""
    groups: dict[str, list[str]] = {}
    for path, operations in openapi["paths"].items():
        for method in METHODS:
            if method in operations:
                operation = operations[method]
                group = groups.setdefault(operation.get("tags", ["The server"])[0], [])
                group.append(_operation(openapi, method, path, operation))
    sections = "".join(f"<h2>{escape(name)}</h2>{''.join(parts)}" for name, parts in groups.items())
    title = escape(openapi["info"]["title"])
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        '<meta name="viewport" content="width=device-width"><link rel="stylesheet" href="/docs/style.css"></head>'
        f"<body><main><h1>{title} {escape(openapi['info']['version'])}</h1>"
        f'<p>{escape(openapi["info"]["description"])} As a file: <a href="/openapi.json">/openapi.json</a>.</p>'
        f"{sections}</main></body></html>"
    )


def _operation(openapi: Mapping[str, Any], method: str, path: str, operation: Mapping[str, Any]) -> str:
    parts = "".join(_parts(openapi, operation))
    head = f'<summary><span class="method">{method.upper()}</span> <code>{escape(path)}</code></summary>'
    return f"<details>{head}<p>{escape(operation.get('description', ''))}</p>{parts}</details>"


def _parts(openapi: Mapping[str, Any], operation: Mapping[str, Any]) -> Iterator[str]:
    if parameters := operation.get("parameters"):
        yield "<dl>" + "".join(_parameter(one) for one in parameters) + "</dl>"
    for kind, content in operation.get("requestBody", {}).get("content", {}).items():
        yield f"<p>Send <code>{escape(kind)}</code>:</p>{_example(openapi, content)}"
    for status, response in operation["responses"].items():
        for kind, content in response.get("content", {}).items():
            if status == "200":
                yield f"<p>{status}, <code>{escape(kind)}</code>:</p>{_example(openapi, content)}"
    others = [f"{status}: {escape(one['description'])}" for status, one in operation["responses"].items()]
    yield f"<p>{'<br>'.join(one for one in others if not one.startswith('200'))}</p>"


def _parameter(one: Mapping[str, Any]) -> str:
    told = one.get("description", "")
    return f"<dt><code>{escape(one['name'])}</code> ({escape(one['in'])})</dt><dd>{escape(told)}</dd>"


def _example(openapi: Mapping[str, Any], content: Mapping[str, Any]) -> str:
    example = example_of(openapi, content.get("schema", {}))
    written = msgspec.json.format(msgspec.json.encode(example), indent=2).decode()
    return f"<pre>{escape(written)}</pre>"


def example_of(openapi: Mapping[str, Any], schema: Mapping[str, Any], depth: int = 0) -> Any:
    """Make an example of what a schema describes.

    >>> example_of({}, {"type": "object", "properties": {"text": {"type": "string", "examples": ["owl"]}}})
    {'text': 'owl'}
    """
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return example_of(openapi, openapi["components"]["schemas"][name], depth + 1)
    for key in ("examples", "enum"):
        if key in schema:
            return schema[key][0]
    if "default" in schema:
        return schema["default"]
    if "anyOf" in schema:
        return example_of(openapi, schema["anyOf"][0], depth)
    if schema.get("type") == "object":
        return {name: example_of(openapi, inner, depth) for name, inner in schema.get("properties", {}).items()}
    if schema.get("type") == "array":
        return [example_of(openapi, schema.get("items", {}), depth)]
    return {"string": "…", "integer": 0, "number": 0.5, "boolean": True}.get(schema.get("type", ""))
