"""The schema and the OpenAPI document keep what they had on 2026-11-22, except descriptions."""

from typing import Any

from graphql import build_schema
from graphql.utilities import find_breaking_changes

from tests.compatibility.recorded import KEPT, read_json
from tests.compatibility.requests import MODEL
from tests.compatibility.service import documents


def test_the_schema_has_everything_that_the_recorded_one_has() -> None:
    sdl, _openapi = documents(MODEL)
    recorded = build_schema((KEPT / "schema.graphql").read_text())
    assert find_breaking_changes(recorded, build_schema(sdl)) == []


METHODS = {"get", "put", "post", "delete", "patch", "head", "options"}
ADDED = (
    ("Health", "stopping"),
    ("Health", "keys"),
    ("MemberChanges", "currentPassword"),
    ("MemberChanges", "kind"),
    ("NewMember", "kind"),
    ("CurrentMember", "kind"),
    ("Member", "kind"),
    ("ListedMember", "kind"),
)
"""Optional properties that shapes have got since, by shape."""
NO_LONGER_REQUIRED = (("NewMember", "email"),)
"""Properties that requests need no longer have: a program has no email address."""


def without_additions(found: dict[str, Any], recorded: dict[str, Any]) -> dict[str, Any]:
    """Return an operation without what it has got since: optional parameters, statuses, and headers."""
    kept = recorded.get("parameters", [])
    parameters = [each for each in found.get("parameters", []) if each in kept or each.get("required")]
    responses = {
        status: _without_new_headers(answer, recorded["responses"][status])
        for status, answer in found["responses"].items()
        if status in recorded["responses"]
    }
    rest = {name: value for name, value in found.items() if name != "parameters"}
    return {**rest, **({"parameters": parameters} if parameters or kept else {}), "responses": responses}


def _without_new_headers(answer: dict[str, Any], recorded: dict[str, Any]) -> dict[str, Any]:
    headers = {
        name: value
        for name, value in answer.get("headers", {}).items()
        if name in recorded.get("headers", {})
    }
    rest = {name: value for name, value in answer.items() if name != "headers"}
    return {**rest, "headers": headers} if headers else rest


def _expand_references(before: dict[str, Any], now: dict[str, Any], recorded: dict[str, Any]) -> None:
    """Replace references to shared responses by these, where a response now has its own description."""
    for status, answer in before.items():
        if "$ref" in answer and "$ref" not in now[status]:
            before[status] = recorded["components"]["responses"][answer["$ref"].rpartition("/")[2]]


def test_the_recorded_addresses_and_shapes_of_openapi_are_as_they_were_except_descriptions() -> None:
    _sdl, openapi = documents(MODEL)
    recorded = read_json("openapi.json")
    for shape, name in ADDED:
        assert name not in openapi["components"]["schemas"][shape].get("required", ())
        del openapi["components"]["schemas"][shape]["properties"][name]
    for shape, name in NO_LONGER_REQUIRED:
        recorded["components"]["schemas"][shape]["required"].remove(name)
    for path, operations in recorded["paths"].items():
        found = openapi["paths"][path]
        for method in METHODS & operations.keys() & found.keys():
            _expand_references(operations[method]["responses"], found[method]["responses"], recorded)
            found[method] = without_additions(found[method], operations[method])
    assert {path: openapi["paths"][path] for path in recorded["paths"]} == recorded["paths"]
    for kind, elements in recorded["components"].items():
        assert {name: openapi["components"][kind][name] for name in elements} == elements
