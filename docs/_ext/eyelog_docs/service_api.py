"""The service's contract as a page, made from its OpenAPI document."""

from typing import Any

from eyelog.catalogue import LOGS
from eyelog_service.app import document

__all__ = ["service_page"]

Schema = dict[str, Any]
PAGE_SIZE = 500  # the default of `eyelog serve`


def service_page() -> str:
    """Return the page of the service's endpoints, as Markdown."""
    described = document(PAGE_SIZE)
    lines = [
        "# The service's interface",
        "",
        described["info"]["description"] + " A running service describes itself at"
        " `/openapi.json` (OpenAPI 3.1); this page is made from the same document, with pages of"
        f" {PAGE_SIZE} records.",
        "",
    ]
    for path, methods in described["paths"].items():
        for method, operation in methods.items():
            lines += _operation(f"{method.upper()} {path}", operation)
    lines += ["## Schemas", ""]
    for name, schema in described["components"]["schemas"].items():
        log = name.removesuffix("_record")
        lines += [f"(schema-{_anchor(name)})=", f"### `{name}`", ""]
        if log in LOGS:
            page = log.replace("_", "-")
            lines += [
                f"One record; its {len(schema['properties'])} fields are those of"
                f" [the catalogue]({page}.md).",
                "",
            ]
        else:
            lines += _properties(schema)
    return "\n".join(lines).rstrip() + "\n"


def _anchor(name: str) -> str:
    return name.lower().replace("_", "-")


def _operation(title: str, operation: Schema) -> list[str]:
    lines = [f"## `{title}`", "", f"{operation['summary']}.", ""]
    if "description" in operation:
        lines += [operation["description"], ""]
    if "security" in operation:
        lines += ["Needs a bearer token.", ""]
    if operation.get("parameters"):
        lines += ["| parameter | needed | meaning |", "|---|---|---|"]
        lines += [_parameter(parameter) for parameter in operation["parameters"]]
        lines += [""]
    for kind, content in operation.get("requestBody", {}).get("content", {}).items():
        schema = content["schema"]
        lines += [f"Body: `{kind}`.", ""]
        for one in schema.get("oneOf", [schema]):
            lines += _properties(one)
    lines += ["| status | meaning |", "|---|---|"]
    lines += [
        f"| {status} | {_cell(answer['description'])}{_returned(answer)} |"
        for status, answer in sorted(operation["responses"].items())
    ]
    return [*lines, ""]


def _parameter(parameter: Schema) -> str:
    need = "yes" if parameter.get("required") else "no"
    schema = parameter["schema"]
    about = parameter.get("description") or schema.get("description", "")
    words = [about, _type(schema)] if len(_type(schema)) < 90 else [about]
    text = "; ".join(word.rstrip(".") for word in words if word)
    return f"| `{parameter['name']}` | {need} | {_cell(text)} |"


def _properties(schema: Schema) -> list[str]:
    required = schema.get("required", [])
    lines = ["| field | needed | meaning |", "|---|---|---|"]
    for name, part in schema.get("properties", {}).items():
        need = "yes" if name in required else "no"
        text = "; ".join(x.rstrip(".") for x in (part.get("description", ""), _type(part)) if x)
        lines.append(f"| `{name}` | {need} | {_cell(text)} |")
    return [*lines, ""]


def _type(schema: Schema) -> str:
    if "const" in schema:
        return f"`{schema['const']}`"
    if "enum" in schema:
        return "one of " + ", ".join(f"`{value}`" for value in schema["enum"])
    kind = schema.get("type", "")
    kind = " or ".join(kind) if isinstance(kind, list) else kind
    pattern = f" that matches `{schema['pattern']}`" if "pattern" in schema else ""
    return f"{kind}{pattern}" if kind else ""


def _returned(answer: Schema) -> str:
    """Return a link to the schema of an answer, where it has a name."""
    for content in answer.get("content", {}).values():
        reference = content.get("schema", {}).get("$ref", "")
        if reference:
            name = reference.rsplit("/", 1)[-1]
            return f" ([`{name}`](#schema-{_anchor(name)}))"
    return ""


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
