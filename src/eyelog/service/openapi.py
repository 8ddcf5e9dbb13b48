"""The contract of the service as an OpenAPI 3.1 document.

Its text is `openapi.json`, in which ``${name}`` stands for what the service itself defines. Record
schemas come from the catalogue. If the contract leaves something open, the descriptions state what
this service does.
"""

import json
from collections.abc import Mapping
from importlib.resources import files
from string import Template
from typing import Any

from eyelog.catalogue import INTERVAL_SECONDS, LOGS, Field, catalogue
from eyelog.service.auth.grants import ACCESS_SECONDS, SCOPE, SCOPES, WRITE
from eyelog.service.records.paging import ARROW_PAGES
from eyelog.service.records.query import DATE_PATTERN

__all__ = ["VERSION", "document"]

Schema = dict[str, Any]

VERSION = "1.0.0"


def document(page_size: int, *, root_path: str = "") -> Schema:
    """Return the OpenAPI document of a service with pages of `page_size` records.

    `root_path` is the prefix of every path, or empty.
    """
    text = json.loads(files("eyelog.service").joinpath("openapi.json").read_text("utf-8"))
    values = {
        "version": VERSION,
        "server": root_path or "/",
        "root_path": root_path,
        "page_size": page_size,
        "arrow_page_size": page_size * ARROW_PAGES,
        "access_seconds": ACCESS_SECONDS,
        "date_pattern": DATE_PATTERN,
        "scope": SCOPE,
        "scopes": {
            scope: f"{'Add to' if scope == WRITE else 'Read'} the wearer's own logs"
            for scope in SCOPES
        },
        "scope_names": ", ".join(SCOPES),
    }
    filled: Schema = _filled(text["document"], values)
    for log in LOGS:
        of_log = {"log": log, "seconds": INTERVAL_SECONDS[log], "fields": list(catalogue(log))}
        records = _filled(text["records"], values | of_log)
        filled["paths"][f"/v2/users/me/official/{log}"] = records
        filled["components"]["schemas"][f"{log}_record"] = _record(log)
    for operations in filled["paths"].values():
        for operation in operations.values():
            operation["responses"] |= text["every_operation"]
    return filled


def _filled(node: Any, values: Mapping[str, Any]) -> Any:
    """Return a part of the document with its values; a text of just one name is that value."""
    if isinstance(node, dict):
        return {_filled(key, values): _filled(each, values) for key, each in node.items()}
    if isinstance(node, list):
        return [_filled(each, values) for each in node]
    if not isinstance(node, str) or "${" not in node:
        return node  # also a pattern that ends in $
    alone = node.removeprefix("${").removesuffix("}")
    return values[alone] if alone in values else Template(node).substitute(values)


def _record(log: str) -> Schema:
    properties = {name: _field(field) for name, field in catalogue(log).items()}
    return {"type": "object", "properties": properties, "additionalProperties": False}


def _field(field: Field) -> Schema:
    about = {
        key: value
        for key, value in (("title", field.label), ("description", field.description))
        if value
    }
    if field.value_type == "datetime":
        return {"type": "string", "format": "date-time", **about}
    return {"type": [field.json_type, "null"], **about}
