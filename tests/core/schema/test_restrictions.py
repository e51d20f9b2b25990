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
NEEDED = {name: GOOD[name] for name in ("code", "fragile", "mood")}


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


@pytest.mark.parametrize(
    ("name", "bad", "issue"),
    [
        ("code", "none!", "ATTRIBUTE_STRING_PATTERN"),
        ("code", "no", "ATTRIBUTE_STRING_LENGTH"),
        ("shade", "blue", "ATTRIBUTE_STRING_PATTERN"),
        ("story", "", "ATTRIBUTE_STRING_LENGTH"),
        ("amount", 101, "ATTRIBUTE_RANGE"),
        ("price", "-0.01", "ATTRIBUTE_RANGE"),
        ("price", "0.001", "ATTRIBUTE_REAL_DECIMAL_DIGITS"),
        ("found_on", "1899-12-31", "ATTRIBUTE_RANGE"),
        ("opens_at", "22:00:01", "ATTRIBUTE_RANGE"),
        ("seen_at", "1899-12-31T23:59:59Z", "ATTRIBUTE_RANGE"),
        ("made_in", 2051, "ATTRIBUTE_RANGE"),
        ("email", "ada", "ATTRIBUTE_EMAIL"),
        ("phone", "call me", "ATTRIBUTE_PHONE"),
        ("vat", "00743110158", "ATTRIBUTE_PARTITA_IVA"),
        ("tax_code", "RSSMRA85T10A562T", "ATTRIBUTE_CODICE_FISCALE_PERSONA_FISICA"),
    ],
)
def test_an_invalid_value_is_refused(api: GraphApi, name: str, bad: Any, issue: str) -> None:
    query = "mutation($data: SpecimenCreate!) { Specimen___create(data: $data) { _id } }"

    found = api.issues(query, data={**NEEDED, name: bad})

    assert (issue, f"Specimen___create.data.{name}") in found
    assert {place for _, place in found} == {f"Specimen___create.data.{name}"}
