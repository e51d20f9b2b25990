"""Every service of each kind of class succeeds in its standard use."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import pytest

from tests.rows import each_row
from tests.scenarios.refusals.needs import PERSON
from tests.scenarios.refusals.service_client import ServiceClient

GOOD = {"isValid": True, "issues": []}
VALID = "{ isValid issues { userMessage } }"
NEW = {**PERSON, "last_name": "service", "addresses": [{"street": "s", "rooms": [{"name": "r"}]}]}
DRAFT = {
    **NEW,
    "skills": {"add": ["<sing>"]},
    "phones": {"save": [{"digits": "1"}]},
    "addresses": {"save": [{"street": "s", "rooms": {"save": [{"name": "r"}]}}]},
}
WHOLE = """{ last_name team { name } skills { items { name } } phones { items { digits } }
  addresses { items { street visitor { last_name } rooms { items { name address_ { street } } } } } }"""
MADE = {
    "last_name": "service",
    "team": {"name": "red"},
    "skills": {"items": [{"name": "sing"}]},
    "phones": {"items": [{"digits": "1"}]},
    "addresses": {
        "items": [
            {
                "street": "s",
                "visitor": {"last_name": "service"},
                "rooms": {"items": [{"name": "r", "address_": {"street": "s"}}]},
            }
        ]
    },
}
CHANGE = {"height": 7, "mentor": {"set": "<ann>"}, "phones": {"create": [{"digits": "2"}]}}
CHANGED_DRAFT = {"height": 7, "mentor": "<ann>", "phones": {"save": [{"digits": "2"}]}}
SEEN = "{ height mentor { last_name pupils { items { last_name } } } phones { items { digits } } }"
THEN = {
    "height": 7,
    "mentor": {"last_name": "ann", "pupils": {"items": [{"last_name": "bob"}, {"last_name": "service"}]}},
    "phones": {"items": [{"digits": "1"}, {"digits": "2"}]},
}
HOME = {"name": "H", "director": {"set": "<ann>"}, "doors": {"deleteAll": True, "create": [{"width": 2}]}}
HOUSE = "{ _id name director { last_name } doors { items { width house_ { name } } } }"
LIVED_IN = {
    "_id": "1",
    "name": "H",
    "director": {"last_name": "ann"},
    "doors": {"items": [{"width": 2, "house_": {"name": "H"}}]},
}
COMPLAINT = "{ _id text by { last_name } about { items { name } } }"
HEARD = {"_id": None, "text": "t", "by": {"last_name": "ann"}, "about": {"items": [{"name": "red"}]}}


class Service(NamedTuple):
    """How a service is asked, and what it answers; `<it>` is an object made for it."""

    types: Mapping[str, str]
    given: Mapping[str, Any]
    shows: str
    answer: Any


def of(
    class_name: str, label: str, created: tuple[Any, Any, str, Any], changed: tuple[Any, Any, str, Any]
) -> dict[str, Service]:
    """Return the services of an ordinary class. `label` is the attribute with the value "service"."""
    new, draft, whole, is_made = created
    change, changed_draft, seen, is_changed = changed
    all_ = {"filter": {f"{label}___eq": "service"}}
    id_, data, options = {"_id": "ID!"}, "data", f"{class_name}PageOptions!"
    bulk = {"data": f"{class_name}UpdateBulk!", "options": options}
    draft_bulk = {"data": f"{class_name}DraftUpdateBulk!", "options": options}
    own = {"_id": "<it>"}

    def input_(family: str) -> dict[str, str]:
        return {data: f"{class_name}{family}!"}

    def asked(family: str, value: Any, shows: str, answer: Any) -> Service:
        return Service(input_(family), {data: value}, shows, answer)

    return {
        "get": Service(id_, own, whole, is_made),
        "getPage": Service(
            {"options": options},
            {"options": all_},
            f"{{ totalCount items {whole} }}",
            {"totalCount": 1, "items": [is_made]},
        ),
        "previewCreate": asked("DraftCreate", new, whole, is_made),
        "previewUpdate": asked("DraftUpdate", own | change, seen, is_changed),
        "preview": asked("Draft", own | changed_draft, seen, is_changed),
        "validateCreate": asked("DraftCreate", new, VALID, GOOD),
        "validateUpdate": asked("DraftUpdate", own | change, VALID, GOOD),
        "validateUpdateBulk": Service(draft_bulk, {"data": change, "options": all_}, VALID, GOOD),
        "validate": asked("Draft", draft, VALID, GOOD),
        "validateDelete": Service(id_, own, VALID, GOOD),
        "validateDeleteBulk": Service({"options": options}, {"options": all_}, VALID, GOOD),
        "create": asked("Create", new, whole, is_made),
        "update": asked("Update", own | change, seen, is_changed),
        "updateBulk": Service(
            bulk,
            {"data": change, "options": all_},
            f"{{ totalCount items {seen} }}",
            {"totalCount": 1, "items": [is_changed]},
        ),
        "save": asked("Draft", draft, whole, is_made),
        "delete": Service(id_, own, "{ deleted }", {"deleted": True}),
        "deleteBulk": Service({"options": options}, {"options": all_}, "{ deleted }", {"deleted": 1}),
    }


SHEET = {"title": "service", "salary": 1.5, "seen": "2020-06-01T12:00:00Z", "mood": "GOOD"}
SERVICES: Mapping[str, Mapping[str, Service]] = {
    "Sheet": {
        **of(
            "Sheet",
            "title",
            (
                SHEET,
                SHEET,
                "{ title salary seen mood }",
                {**SHEET, "salary": "1.5", "seen": "01/06/2020 12:00"},
            ),
            (
                {"salary": None, "remote": True},
                {"salary": None, "remote": True},
                "{ title salary remote }",
                {"title": "service", "salary": None, "remote": True},
            ),
        ),
        "getByCode": Service({"code": "String!"}, {"code": "ABC"}, "{ title }", {"title": "first"}),
        "getByTitle_Day": Service(
            {"title": "String!", "day": "Date!"},
            {"title": "first", "day": "02/02/2020"},
            "{ code }",
            {"code": "ABC"},
        ),
    },
    "Person": {
        **of("Person", "last_name", (NEW, DRAFT, WHOLE, MADE), (CHANGE, CHANGED_DRAFT, SEEN, THEN)),
        "getByEmail": Service(
            {"email": "String!"}, {"email": "bob@example.com"}, "{ last_name }", {"last_name": "bob"}
        ),
        "getByLast_name_Born": Service(
            {"last_name": "String!", "born": "Date!"},
            {"last_name": "ann", "born": "2000-01-01"},
            "{ email }",
            {"email": "ann@example.com"},
        ),
    },
    "Contract": {
        "get": Service(
            {"_id": "ID!"},
            {"_id": "<ann_contract>"},
            "{ person_ { last_name } }",
            {"person_": {"last_name": "ann"}},
        ),
        "getPage": Service(
            {"options": "ContractPageOptions!"},
            {"options": {"filter": {"reference___in": ["ann", "bob"]}, "orderBy": ["reference___DESC"]}},
            "{ items { reference person_ { _id } } }",
            {
                "items": [
                    {"reference": "bob", "person_": {"_id": "<bob>"}},
                    {"reference": "ann", "person_": {"_id": "<ann>"}},
                ]
            },
        ),
    },
    "House": {
        "previewUpdate": Service({"data": "HouseDraftUpdate!"}, {"data": HOME}, HOUSE, LIVED_IN),
        "validateUpdate": Service({"data": "HouseDraftUpdate!"}, {"data": HOME}, VALID, GOOD),
        "update": Service({"data": "HouseUpdate!"}, {"data": HOME}, HOUSE, LIVED_IN),
        "get": Service({}, {}, "{ _id }", {"_id": "1"}),
    },
    "Complaint": {
        "previewCreate": Service(
            {"data": "ComplaintDraftCreate!"},
            {"data": {"text": "t", "by": "<ann>", "about": ["<red>"]}},
            COMPLAINT,
            HEARD,
        ),
        "preview": Service(
            {"data": "ComplaintDraft!"},
            {"data": {"text": "t", "by": "<ann>", "about": {"add": ["<red>"]}}},
            COMPLAINT,
            HEARD,
        ),
    },
    "Phone": {},
    "Address": {},
    "Colour": {},
    "Vault": {},
}
VERSIONED = {"Person", "House"}
OF_VERSIONS = {"getVersion", "getVersionPage", "getVersionDiff", "restoreVersion"}
"""The services of versions, which tests of their own are about."""
WRITING = {"create", "update", "updateBulk", "save", "delete", "deleteBulk"}
NEEDS_NONE = {"create", "save", "previewCreate", "validateCreate"}
"""The services for which no object is made."""


def test_each_class_has_the_services_of_its_kind_and_no_others(client: ServiceClient) -> None:
    fields = client.ask("{ __schema { queryType { fields { name } } mutationType { fields { name } } } }")
    services = [each["name"] for type_ in fields.values() for each in type_["fields"]]
    names = [name.split("___") for name in services if name not in {"lock", "unlock"}]
    found = {class_name: {verb for name, verb in names if name == class_name} for class_name in SERVICES}
    assert found == {
        class_name: {
            *services,
            *(OF_VERSIONS if class_name in VERSIONED else ()),
            *({"getDeletedPage"} if class_name in VERSIONED and "delete" in services else ()),
        }
        for class_name, services in SERVICES.items()
    }


@pytest.fixture
def clean(client: ServiceClient) -> Callable[[str], None]:
    """Delete the objects that a service created, or that were created for it."""
    label = {"Sheet": "title", "Person": "last_name"}

    def cleaned(class_name: str) -> None:
        if class_name in label:
            options = f'{{filter: {{{label[class_name]}___eq: "service"}}}}'
            client.ask(f"mutation {{ {class_name}___deleteBulk(options: {options}) {{ deleted }} }}")

    return cleaned


@each_row(("class_name", "verb"), [(name, verb) for name, services in SERVICES.items() for verb in services])
def test_each_service_returns_a_result(
    client: ServiceClient, clean: Callable[[str], None], class_name: str, verb: str
) -> None:
    service = SERVICES[class_name][verb]
    if class_name in {"Sheet", "Person"} and verb not in NEEDS_NONE:
        client.create(class_name, "it", **(SHEET if class_name == "Sheet" else NEW))
    before = client.store.rows()
    declared = ", ".join(f"${name}: {type_}" for name, type_ in service.types.items())
    passed = ", ".join(f"{name}: ${name}" for name in service.types)
    head = f"({declared})" if declared else ""
    call = f"{class_name}___{verb}{f'({passed})' if passed else ''} {service.shows}"
    kind = "mutation" if verb in WRITING else "query"

    answer = client.ask(f"{kind}{head} {{ {call} }}", **service.given)

    assert answer == client.named(service.answer)
    assert (client.store.rows() == before) is (verb not in WRITING)
    clean(class_name)
