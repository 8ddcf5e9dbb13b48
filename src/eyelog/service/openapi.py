"""The contract of the service as an OpenAPI 3.1 document.

Record schemas come from the catalogue. If the contract leaves something open, the descriptions
state what this service does.
"""

from typing import Any

from eyelog.answers.arrow import ARROW
from eyelog.catalogue import INTERVAL_SECONDS, LOGS, Field, catalogue
from eyelog.service.auth.forms import FORM
from eyelog.service.auth.grants import ACCESS_SECONDS, SCOPE, SCOPES
from eyelog.service.records.paging import ARROW_PAGES
from eyelog.service.records.query import DATE_PATTERN

__all__ = ["VERSION", "document"]

Schema = dict[str, Any]

VERSION = "1.0.0"


def document(page_size: int, *, root_path: str = "") -> Schema:
    """Return the OpenAPI document of a service with pages of `page_size` records.

    `root_path` is the prefix of every path, or empty.
    """
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Wearable sensor data",
            "version": VERSION,
            "description": "Interval logs of smart eyewear, and OAuth 2.0 tokens to read them.",
        },
        "servers": [{"url": root_path or "/"}],
        "paths": {
            "/v1/oauth/token": {"post": _token()},
            "/v1/oauth/revoke": {"post": _revoke()},
            "/v1/oauth/authorize": {"get": _show_login(), "post": _take_login()},
            "/account": {"get": _show_account(), "post": _take_account()},
            **{f"/v2/users/me/official/{log}": {"get": _data(log, page_size)} for log in LOGS},
            "/openapi.json": {
                "get": _operation(
                    "describe",
                    "This document",
                    {"200": _json("The document", {"type": "object"})},
                )
            },
            "/health": {"get": _health()},
            "/version": {"get": _versions()},
            "/": {"get": _start()},
        },
        "components": {
            "securitySchemes": {
                "bearer": {"type": "http", "scheme": "bearer"},
                "basic": {"type": "http", "scheme": "basic"},
                "login": {
                    "type": "oauth2",
                    "flows": {
                        "authorizationCode": {
                            "authorizationUrl": f"{root_path}/v1/oauth/authorize",
                            "tokenUrl": f"{root_path}/v1/oauth/token",
                            "refreshUrl": f"{root_path}/v1/oauth/token",
                            "scopes": dict.fromkeys(SCOPES, "Read the wearer's own logs"),
                        }
                    },
                },
            },
            "schemas": {
                "Error": _object({"error": _text(), "error_description": _text()}),
                "Token": _object(
                    {
                        "access_token": _text("Valid for 30 days."),
                        "refresh_token": _text("Does not expire; a refresh returns the same one."),
                        "token_type": {"const": "Bearer"},
                        "expires_in": {"type": "number", "const": ACCESS_SECONDS},
                        "scope": _some("The scopes that were asked for and are known."),
                    }
                ),
                **{f"{log}_record": _record(log) for log in LOGS},
            },
        },
    }


# --- operations ---------------------------------------------------------------------------------


def _operation(name: str, summary: str, responses: Schema, **more: Any) -> Schema:
    return {"operationId": name, "summary": summary, "responses": _all(responses), **more}


def _token() -> Schema:
    basic = "Left out where HTTP Basic has it (RFC 6749, section 2.3.1)."
    shared = {"client_id": _some(basic), "client_secret": _some(basic), "redirect_uri": _some()}
    by_code = _object(
        {"grant_type": {"const": "authorization_code"}, **shared, "code": _some()}, closed=False
    )
    by_code["properties"]["code_verifier"] = _some(
        "Required if the login had a code_challenge (RFC 7636, S256)."
    )
    by_refresh = _object(
        {"grant_type": {"const": "refresh_token"}, **shared, "refresh_token": _some()},
        closed=False,
    )
    for form in (by_code, by_refresh):
        form["required"] = [n for n in form["required"] if not n.startswith("client_")]
    return _operation(
        "token",
        "Exchange a code or a refresh token for an access token",
        {
            "200": _json("The tokens", _ref("Token")),
            "400": _error("The request breaks a rule of RFC 6749: see error"),
            "401": _error("invalid_client: client_id or client_secret is wrong"),
        },
        requestBody=_form_body({"oneOf": [by_code, by_refresh]}),
        security=[{}, {"basic": []}],
    )


def _revoke() -> Schema:
    return _operation(
        "revoke",
        "Revoke one of the caller's own tokens",
        {
            "200": _json("The token cannot be used", {"type": "object"}),
            "400": _error("The form is not valid, or the token belongs to someone else"),
            "401": _unauthorized(),
        },
        requestBody=_form_body(_object({"token": _some()}, closed=False)),
        security=[{"bearer": []}],
        description="Revoking an access token leaves all others valid; revoking a refresh token"
        " revokes all tokens of its grant. An unknown token is not an error (RFC 7009).",
    )


def _show_login() -> Schema:
    state = {"schema": _text(), "description": "Returned with the code."}
    return _operation(
        "show_login",
        "The login page",
        {
            "200": _page("A form for name, password and consent"),
            "303": _redirect("The request breaks a rule: redirect to the application with error"),
            "400": _page("client_id is unknown, or redirect_uri is not registered", or_json=True),
        },
        parameters=[
            _query("response_type", {"const": "code"}, required=True),
            _query("client_id", _some(), required=True),
            _query("redirect_uri", _some("A loopback address may have any port."), required=True),
            {"name": "state", "in": "query", **state},
            _query(
                "scope",
                _text(
                    f"Names of {' and '.join(SCOPES)}, separated by spaces; others are ignored."
                    f" Default: {SCOPE}. The scope granted comes back with the tokens."
                ),
            ),
            _query("login_hint", _text("The name to begin with in the form.")),
            _query("code_challenge", {"type": "string", "pattern": "^[A-Za-z0-9_-]{43}$"}),
            _query("code_challenge_method", {"const": "S256"}),
        ],
    )


def _take_login() -> Schema:
    form = _object(
        {"form": _some(), "decision": {"enum": ["allow", "deny"]}, "name": _text()}, closed=False
    )
    form["required"] = ["form", "decision"]
    form["properties"]["password"] = _text()
    return _operation(
        "take_login",
        "The submitted form of the login page",
        {
            "303": _redirect("Redirect to the application with code, or with error=access_denied"),
            "400": _page("Wrong name or password, or the form is too old", or_json=True),
            "429": _page("Too many wrong passwords"),
        },
        requestBody=_form_body(form),
    )


def _show_account() -> Schema:
    return _operation(
        "show_account",
        "The wearer's own page, or the login to it",
        {"200": _page("Who has access, the password, the wearer's data; or a form for the login")},
        parameters=[_query("done", _text("The action just done, for a note on the page."))],
    )


def _take_account() -> Schema:
    form = _object({"form": _some()}, closed=False)
    form["properties"]["do"] = {
        "enum": ["log-in", "withdraw", "change-password", "download", "log-out"]
    }
    more = ("name", "password", "grant", "old", "new", "again")
    form["properties"] |= {name: _text() for name in more}
    data = {
        "description": "The wearer's records, as a zip file of CSV",
        "content": {"application/zip": {"schema": {"type": "string", "format": "binary"}}},
    }
    return _operation(
        "take_account",
        "A form of the wearer's own page",
        {
            "200": data,
            "303": _redirect("It is done: back to the page"),
            "400": _page("A field is wrong, or the form is too old or another browser's"),
            "403": _page("The session has ended, or another site sent the form"),
            "429": _page("Too many wrong passwords"),
            "500": _page("A record of the wearer cannot be read", or_json=True),
            "503": _page("Too many downloads are under way", or_json=True),
        },
        requestBody=_form_body(form),
    )


def _health() -> Schema:
    age = {"type": ["integer", "null"], "minimum": 0}
    well = _object(
        {"state": {"const": "ok"}, "archive": {"const": "ok"}, "seconds_since_last_write": age}
    )
    return _operation(
        "health",
        "Whether the service can read its state and its archive",
        {
            "200": _json("Both can be read, and their disks have room", well),
            "503": _error("error_description names what cannot be read"),
        },
    )


def _versions() -> Schema:
    return _operation(
        "version",
        "Versions of the program, of its catalogue of fields, and of this contract",
        {"200": _json("The versions", _object(_of_versions()))},
    )


def _of_versions() -> Schema:
    return {name: _some() for name in ("eyelog", "catalogue", "contract")}


def _start() -> Schema:
    found = _json("Where to begin", _object({"description": _some(), **_of_versions()}))
    found["content"]["text/html"] = {"schema": {"type": "string"}}
    return _operation("start", "Where to find this document", {"200": found})


def _data(log: str, page_size: int) -> Schema:
    hours = {
        "type": "object",
        "patternProperties": {
            "^(1?[0-9]|2[0-3])$": {
                "type": "array",
                "minItems": 1,
                "items": _ref(f"{log}_record"),
            }
        },
        "additionalProperties": False,
    }
    date = {"type": "string", "pattern": DATE_PATTERN, "examples": ["2026-10-24T09:00:00+09:00"]}
    fields = {
        "name": "fields",
        "in": "query",
        "style": "form",
        "explode": False,
        "schema": {"type": "array", "minItems": 1, "items": {"enum": list(catalogue(log))}},
        "description": "Each record has exactly these fields; date, too, is returned only if named."
        " Default: all fields.",
    }
    return _operation(
        log,
        f"Records of the {INTERVAL_SECONDS[log]}-second log",
        {
            "200": _limited(_records(log, hours, page_size)),
            "400": _limited(_error("A date, the range, fields or the cursor breaks its rule")),
            "401": _unauthorized(),
            "429": _limited(
                _error("The account has made its requests of this hour"),
                **{"Retry-After": "Seconds until the next hour"},
            ),
        },
        parameters=[
            _query("date_from", date, required=True),
            _query("date_to", date, required=True),
            fields,
            _query(
                "cursor",
                _text("The cursor of the previous response; all other parameters unchanged."),
            ),
        ],
        security=[{"bearer": []}],
        description="Both ends are included, and lie on the same local date in the same offset,"
        " which is also the offset of the records. Without records the object is empty and the"
        " cursor null.",
    )


def _records(log: str, hours: Schema, page_size: int) -> Schema:
    answer = _json(
        f"At most {page_size} records in order of time, grouped by the hour of their date. A"
        f" client that prefers {ARROW} gets an Arrow IPC stream of at most"
        f" {page_size * ARROW_PAGES} records: date in UTC microseconds, numbers as float64,"
        " booleans and texts, a missing value as null; the schema's metadata have eyelog.log and,"
        " unless it is the last page, eyelog.cursor. The cursors of both forms are the same."
        " Errors are JSON.",
        _object({log: hours, "cursor": {"type": ["string", "null"]}}),
    )
    answer["content"][ARROW] = {"schema": {"type": "string", "format": "binary"}}
    return answer


# --- parts --------------------------------------------------------------------------------------


def _all(responses: Schema) -> Schema:
    """Add the responses that every operation can give."""
    return responses | {
        "408": _error("The request did not arrive in time"),
        "413": _error("The body is too large"),
        "431": _error("The address and headers are too large"),
        "500": _error("The service failed"),
        "503": _error("The service is too busy"),
    }


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


def _object(properties: Schema, *, closed: bool = True) -> Schema:
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    return schema | {"additionalProperties": False} if closed else schema


def _text(description: str = "") -> Schema:
    return {"type": "string"} | ({"description": description} if description else {})


def _some(description: str = "") -> Schema:
    return _text(description) | {"minLength": 1}


def _ref(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


def _query(name: str, schema: Schema, *, required: bool = False) -> Schema:
    return {"name": name, "in": "query", "required": required, "schema": schema}


def _form_body(schema: Schema) -> Schema:
    return {"required": True, "content": {FORM: {"schema": schema}}}


def _json(description: str, schema: Schema) -> Schema:
    return {"description": description, "content": {"application/json": {"schema": schema}}}


def _error(description: str) -> Schema:
    return _json(description, _ref("Error"))


def _limited(response: Schema, **more: str) -> Schema:
    """Add the headers that state the requests left in the account's hour."""
    described = {
        "X-RateLimit-Limit": "Requests for data per account and hour; left out without a limit",
        "X-RateLimit-Remaining": "How many are left",
        "X-RateLimit-Reset": "When the next hour begins, in seconds since 1970",
        **more,
    }
    headers = {
        name: {"schema": {"type": "integer", "minimum": 0}, "description": text}
        for name, text in described.items()
    }
    return response | {"headers": headers}


def _unauthorized() -> Schema:
    header = {"schema": {"type": "string", "pattern": "^Bearer "}, "required": True}
    return _error("The bearer token is missing, unknown, expired or revoked") | {
        "headers": {"WWW-Authenticate": header}
    }


def _page(description: str, *, or_json: bool = False) -> Schema:
    content: Schema = {"text/html": {"schema": {"type": "string"}}}
    if or_json:
        content["application/json"] = {"schema": _ref("Error")}
    return {"description": description, "content": content}


def _redirect(description: str) -> Schema:
    return {
        "description": description,
        "headers": {"Location": {"schema": {"type": "string"}, "required": True}},
    }
