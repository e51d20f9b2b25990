"""Each restriction of an attribute accepts a valid value and refuses an invalid one."""

from typing import Any

import pytest

from tests.core.schema.graph_api import GraphApi
from tests.everything_model import EVERYTHING, EverythingObjects

GOOD: dict[str, Any] = {
    "code": "AB123",
    "shade": "dark",
    "story": "Found in a drawer.",
    "amount": 100,
    "price": "999.5",
    "fragile": False,
    "found_on": "31/12/2099",
    "opens_at": "06:00",
    "seen_at": "01/01/1900 00:00",
    "made_in": 1950,
    "mood": "BAD",
    "email": "ada@example.com",
    "phone": "+39 06 1234567",
    "vat": "00743110157",
    "tax_code": "RSSMRA85T10A562S",
}


@pytest.fixture
def api() -> GraphApi:
    return GraphApi(EverythingObjects())


def test_valid_values_are_stored(api: GraphApi) -> None:
    id_ = api.create("Specimen", **GOOD)

    found = api.get("Specimen", id_, f"{' '.join(GOOD)} total has_picture")

    assert found == {**GOOD, "total": "99950", "has_picture": False}


def test_every_writable_attribute_has_a_test_value() -> None:
    kept = {name for name, each in EVERYTHING.classes["Specimen"].attributes.items() if not each.derivation}
    assert kept - GOOD.keys() == {"picture"}
