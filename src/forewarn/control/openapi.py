"""The OpenAPI 3.1 document, drawn from the route tables."""

import re
from collections.abc import Iterable
from typing import Any

import msgspec
from msgspec import Struct

from forewarn.control.bodies import Nothing
from forewarn.control.endpoints import Endpoint
from forewarn.control.errors import Error

Json = dict[str, Any]
ERRORS = "4XX", "5XX"
IDEMPOTENCY: Json = {
    "name": "Idempotency-Key",
    "in": "header",
    "description": "The same key on the same path stands for the same command: sent again, it is not done again.",
    "schema": {"type": "string", "minLength": 1, "maxLength": 200},
}
TOKEN: Json = {
    "type": "http",
    "scheme": "bearer",
    "bearerFormat": "JWT",
    "description": "From /TENANT/oauth2/v2.0/token, with a client id and its secret.",
}
DESCRIPTION = """The native API of Forewarn's control plane.

Times are RFC 3339 in UTC, by the fleet's clock. Durations are ISO 8601; in requests also `15m`, `1h30m`.
Lists are paged: while an answer has `next`, ask again with `after` set to it.
A path parameter may hold slashes, as they are or as %2F.
"""


def document(endpoints: Iterable[Endpoint[Any, Any]], version: str) -> Json:
    rows = list(endpoints)
    shapes: list[type[Struct]] = list(dict.fromkeys([*_shapes(rows), Error]))
    references, components = msgspec.json.schema_components(shapes, ref_template="#/components/schemas/{name}")
    reference: dict[type[Struct], Json] = dict(zip(shapes, references, strict=True))
    paths: dict[str, Json] = {}
    for row in rows:
        paths.setdefault(template(row.path), {})[row.method.lower()] = _operation(row, reference, components)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Forewarn",
            "version": version,
            "description": DESCRIPTION,
            "license": {"name": "Apache-2.0"},
        },
        "servers": [{"url": "/"}],
        "paths": paths,
        "components": {"schemas": components, "securitySchemes": {"token": TOKEN}},
        "security": [{"token": []}],
    }


def template(path: str) -> str:
    """A route's path as OpenAPI writes it."""
    return re.sub(r":\w+\}", "}", path)


def _shapes(rows: Iterable[Endpoint[Any, Any]]) -> Iterable[type[Struct]]:
    for row in rows:
        yield from (shape for shape in (row.query, row.body) if shape is not Nothing)
        if not isinstance(row.answer, str):
            yield row.answer


def _operation(row: Endpoint[Any, Any], reference: dict[type[Struct], Json], components: Json) -> Json:
    operation: Json = {
        "operationId": _name(row),
        "summary": row.does,
        "parameters": [*_path_parameters(row), *_query_parameters(row, components)],
        "responses": {str(row.status): _success(row, reference), **_failures(reference)},
    }
    if row.public:
        operation["security"] = []
    if row.keyed:
        operation["parameters"].append(IDEMPOTENCY)
    if row.body is not Nothing:
        needed = any(field.required for field in msgspec.structs.fields(row.body))
        operation["requestBody"] = {
            "required": needed,
            "content": {"application/json": {"schema": reference[row.body]}},
        }
    return operation


def _name(row: Endpoint[Any, Any]) -> str:
    words = re.findall(r"\w+", template(row.path).removeprefix("/forewarn/v1"))
    return "_".join([row.method.lower(), *words])


def _path_parameters(row: Endpoint[Any, Any]) -> Iterable[Json]:
    for name in re.findall(r"\{(\w+)", row.path):
        yield {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}


def _query_parameters(row: Endpoint[Any, Any], components: Json) -> Iterable[Json]:
    if row.query is Nothing:
        return
    for name, schema in components[row.query.__name__]["properties"].items():
        told = {"description": schema["description"]} if "description" in schema else {}
        yield {"name": name, "in": "query", "required": False, **told, "schema": schema}


def _success(row: Endpoint[Any, Any], reference: dict[type[Struct], Json]) -> Json:
    if isinstance(row.answer, str):
        kind = "object" if row.answer == "application/json" else "string"
        return {"description": row.does, "content": {row.answer: {"schema": {"type": kind}}}}
    answer: Json = {"description": row.does, "content": {"application/json": {"schema": reference[row.answer]}}}
    if row.status in (201, 202):
        answer["headers"] = {"Location": {"description": "Where it is.", "schema": {"type": "string"}}}
    return answer


def _failures(reference: dict[type[Struct], Json]) -> Json:
    failure = {"description": "Refused, and why.", "content": {"application/json": {"schema": reference[Error]}}}
    return dict.fromkeys(ERRORS, failure)
