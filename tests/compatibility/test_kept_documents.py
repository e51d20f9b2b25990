"""The schema and the OpenAPI document equal those of 2026-11-22, except descriptions."""

from tests.compatibility.recorded import KEPT, read_json
from tests.compatibility.requests import MODEL
from tests.compatibility.service import documents


def test_schema_and_openapi_equal_the_recorded_ones_except_descriptions() -> None:
    sdl, openapi = documents(MODEL)
    assert sdl == (KEPT / "schema.graphql").read_text()
    assert openapi == read_json("openapi.json")
