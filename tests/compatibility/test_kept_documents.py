"""The schema and the OpenAPI document keep what they had on 2026-11-22, except descriptions."""

from tests.compatibility.recorded import KEPT, read_json
from tests.compatibility.requests import MODEL
from tests.compatibility.service import documents


def test_the_schema_equals_the_recorded_one_except_descriptions() -> None:
    sdl, _openapi = documents(MODEL)
    assert sdl == (KEPT / "schema.graphql").read_text()


def test_the_recorded_addresses_and_shapes_of_openapi_are_as_they_were_except_descriptions() -> None:
    _sdl, openapi = documents(MODEL)
    recorded = read_json("openapi.json")
    assert {path: openapi["paths"][path] for path in recorded["paths"]} == recorded["paths"]
    for kind, elements in recorded["components"].items():
        assert {name: openapi["components"][kind][name] for name in elements} == elements
