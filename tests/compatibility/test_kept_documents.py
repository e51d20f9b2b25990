"""The schema and the OpenAPI document keep what they had on 2026-11-22, except descriptions."""

from graphql import build_schema
from graphql.utilities import find_breaking_changes

from tests.compatibility.recorded import KEPT, read_json
from tests.compatibility.requests import MODEL
from tests.compatibility.service import documents


def test_the_schema_has_everything_that_the_recorded_one_has() -> None:
    sdl, _openapi = documents(MODEL)
    recorded = build_schema((KEPT / "schema.graphql").read_text())
    assert find_breaking_changes(recorded, build_schema(sdl)) == []


ADDED = {"MemberChanges": "currentPassword"}
"""Optional properties that shapes have got since, by shape."""


def test_the_recorded_addresses_and_shapes_of_openapi_are_as_they_were_except_descriptions() -> None:
    _sdl, openapi = documents(MODEL)
    recorded = read_json("openapi.json")
    for shape, name in ADDED.items():
        assert name not in openapi["components"]["schemas"][shape].get("required", ())
        del openapi["components"]["schemas"][shape]["properties"][name]
    assert {path: openapi["paths"][path] for path in recorded["paths"]} == recorded["paths"]
    for kind, elements in recorded["components"].items():
        assert {name: openapi["components"][kind][name] for name in elements} == elements
