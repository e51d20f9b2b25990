"""The description of a model has what a profile may use of it, and depends on nothing else."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from types import MappingProxyType
from typing import Any

import jsonschema_rs  # schemathesis needs it
import pytest

from stratabase.core.domain.access.capabilities import Capabilities
from stratabase.core.domain.access.grants import access_of
from stratabase.core.domain.caller import Caller
from stratabase.core.http.api.model_description import model_description_endpoint
from stratabase.core.http.api.openapi.document import ServiceInfo, openapi_document
from stratabase.core.model.model import Class, Model, WarningDefinition
from stratabase.core.model.reading import read_model, read_model_file
from stratabase.core.model.users import with_users
from stratabase.core.schema.description import ModelDescriptions
from stratabase.core.schema.executor import ProfileSchemas
from stratabase.core.schema.generate import generate_schema
from tests import golden
from tests.core.schema.random_answers.models import random_model
from tests.everything_model import EVERYTHING
from tests.everything_model import FILE as EVERYTHING_FILE
from tests.service import SAMPLE_MODEL
from tests.soak import count, seed

TEXT = """
extend schema @application(name: "Shop")
  @profile(name: "Boss", administrator: true)
  @profile(name: "Manager", access: FULL)
  @profile(name: "Clerk")
  @profile(name: "Nobody")

enum Status { "Not yet sent." OPEN  SENT }

"What somebody buys."
type Order
  @class(
    versioned: true, platform: [CREATED_BY], label: "concat(number, ' ', customer.name)", group: "Sales"
  )
  @unique(attributes: ["number"])
  @unique(attributes: ["customer", "note"])
  @warning(name: "free", condition: "total == 0", message: "It costs nothing.")
  @warning(name: "poor", condition: "customer.rank < 1", message: "Poor.", blocking: true)
  @grant(profile: "Clerk", allow: [READ, CREATE, EDIT], where: "status == 'OPEN'") {
  "The number on the invoice."
  number: Int! @domain(min: "1")
  total: Real @grant(profile: "Clerk", allow: [READ])
  margin: Real @grant(profile: "Clerk", allow: [])
  profit: Real @derived(expression: "margin * total")
  doubled: Real @derived(expression: "2.0 * total")
  status: Status @default(value: "OPEN")
  note: String @text(compare: FOLDED) @grant(profile: "Clerk", allow: [READ, EDIT], where: "number < 100")
  pin: String @grant(profile: "Clerk", allow: [CREATE])
  bill: File @file(extensions: ["PDF"], maxSize: 1000)
  customer: Customer @association(opposite: "orders")
  lines: [Line!]! @composition(whole: "order_")
}
"A line." type Line { text: String!  number: Serial }
type Customer @grant(profile: "Clerk", allow: [READ]) {
  name: String!
  rank: Int @grant(profile: "Clerk", allow: [])
  orders: [Order!] @association(opposite: "customer")
  secret: Secret
}
type Secret @class(label: "word") { word: String }
type Settings @class(kind: SINGLETON) @grant(profile: "Clerk", allow: [READ, EDIT]) { theme: String! }
type Search @class(kind: FORM) @grant(profile: "Clerk", allow: [READ, CREATE]) { text: String }
"""
MODEL = read_model(TEXT, "shop.graphql")


@pytest.mark.parametrize(
    ("model_file", "profile", "name"),
    [(EVERYTHING_FILE, "Administrator", "everything"), (SAMPLE_MODEL, "Member", "hr.Member")],
)
def test_a_model_has_the_description_of_its_golden_file(model_file: Path, profile: str, name: str) -> None:
    """The tests of the console use these files. `make golden` writes them anew."""
    found = golden.written(golden.description(read_model_file(model_file), profile))
    assert found == (Path(__file__).parent / f"golden/{name}.json").read_text()


def described(model: Model, profile: str) -> dict[str, Any]:
    """Return the description of a model for a profile."""
    served = with_users(model)
    descriptions = ModelDescriptions(served, ProfileSchemas(served, generate_schema(served)))
    found = descriptions.of(Caller("1", "ada", profile))
    assert descriptions.of(Caller("2", "bob", profile)) == found
    return dict(json.loads(found))


def by_name(found: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {each["name"]: each for each in found}


def test_an_administrator_sees_all_with_expressions() -> None:
    found = described(MODEL, "Boss")
    assert (found["application"], found["profile"], found["administrator"]) == ("Shop", "Boss", True)
    classes = by_name(found["classes"])
    assert [*classes] == ["Order", "Line", "Customer", "Secret", "Settings", "Search", "_User"]

    order = classes["Order"]
    attributes, roles, services = (order.pop(name) for name in ("attributes", "roles", "services"))
    assert order == {
        "name": "Order",
        "description": "What somebody buys.",
        "group": "Sales",
        "kind": "ORDINARY",
        "versioned": True,
        "exposed": True,
        **dict.fromkeys(("read", "create", "edit", "delete", "label"), "always"),
        "labelExpression": "concat(number, ' ', customer.name)",
        "labelOf": ["number", "customer"],
        "platformAttributes": ["_createdby"],
        "partOf": [],
        "uniques": [["number"], ["customer", "note"]],
        "warnings": [
            {
                "name": "free",
                "message": "It costs nothing.",
                "blocking": False,
                "condition": "total == 0",
            },
            {"name": "poor", "message": "Poor.", "blocking": True, "condition": "customer.rank < 1"},
        ],
    }
    use = dict.fromkeys(("readable", "creatable", "editable"), "always")
    known = by_name(attributes)
    assert known["number"] == {
        "name": "number",
        "description": "The number on the invoice.",
        "type": "Int",
        "required": True,
        "domain": {"min": 1},
        "derived": False,
        "unique": True,
        **use,
    }
    assert known["status"]["values"] == [{"name": "OPEN", "description": "Not yet sent."}, {"name": "SENT"}]
    assert (known["status"]["type"], known["status"]["default"]) == ("Status", "OPEN")
    assert known["note"]["compare"] == "FOLDED"
    assert known["bill"]["file"] == {"extensions": ["pdf"], "maxSize": 1000}
    assert known["profit"]["derivation"] == {"expression": "margin * total"}
    assert (known["profit"]["readable"], known["profit"]["editable"]) == ("always", "never")
    assert (known["_createdby"]["readable"], known["_createdby"]["creatable"]) == ("always", "never")
    assert roles == [
        {
            "name": "customer",
            "target": "Customer",
            "kind": "ASSOCIATION",
            "opposite": "orders",
            "min": 0,
            "max": 1,
            "key": True,
            **use,
        },
        {
            "name": "lines",
            "target": "Line",
            "kind": "COMPOSITION",
            "opposite": "order_",
            "min": 1,
            "order": "_id___ASC",
            "key": False,
            **use,
        },
        {
            "name": "_createdby_user",
            "description": "The member in _createdby, or null if the member no longer exists.",
            "target": "_User",
            "kind": "ASSOCIATION",
            "min": 0,
            "max": 1,
            "key": False,
            **use,
            "creatable": "never",
            "editable": "never",
        },
    ]
    assert {"Order___getByNumber", "Order___create", "Order___restoreVersion"} <= {*services}
    assert classes["Line"]["partOf"] == ["Order"]
    # By default the label is an attribute. A class may have none.
    assert [classes[name]["labelOf"] for name in ("Line", "Secret", "Search")] == [["text"], ["word"], []]
    assert by_name(classes["Line"]["attributes"])["number"]["creatable"] == "never"
    extents = [classes[name][action] for name in ("Settings", "Search") for action in ("create", "edit")]
    assert extents == ["never", "always", "always", "never"]


def test_administrators_see_all_profiles_and_others_their_own() -> None:
    text = """
extend schema @application(name: "Shop") @profile(name: "Boss", administrator: true)
  @profile(name: "Manager", access: FULL) @profile(name: "Clerk", within: ["Manager"])
  @profile(name: "Reader", within: ["Clerk"])
type Order @grant(profile: "Clerk", allow: [READ]) { number: Int }
"""
    model = read_model(text, "shop.graphql")
    clerk = {"name": "Clerk", "administrator": False, "narrower": ["Reader"]}
    assert described(model, "Boss")["profiles"] == [
        {"name": "Boss", "administrator": True, "narrower": []},
        {"name": "Manager", "administrator": False, "narrower": ["Clerk", "Reader"]},
        clerk,
        {"name": "Reader", "administrator": False, "narrower": []},
    ]
    assert described(model, "Clerk")["profiles"] == [clerk]


def test_another_profile_sees_what_it_may_use() -> None:
    found = described(MODEL, "Clerk")
    assert (found["profile"], found["administrator"]) == ("Clerk", False)
    classes = by_name(found["classes"])
    assert [*classes] == ["Order", "Line", "Customer", "Settings", "Search"]

    order = classes["Order"]
    assert [order[action] for action in ("read", "create", "edit", "delete")] == [*["sometimes"] * 3, "never"]
    assert (order["label"], order["labelOf"]) == ("always", ["number", "customer"])
    assert order["uniques"] == [["number"], ["customer", "note"]]
    # The condition of the other warning reads a hidden attribute.
    assert order["warnings"] == [{"name": "free"}]
    use = {
        each["name"]: (each["readable"], each["creatable"], each["editable"]) for each in order["attributes"]
    }
    assert use == {
        "number": ("always", "always", "always"),
        "total": ("always", "never", "never"),
        "doubled": ("always", "never", "never"),
        "status": ("always", "always", "always"),
        "note": ("sometimes", "never", "sometimes"),
        "pin": ("never", "always", "never"),
        "bill": ("always", "always", "always"),
        "_createdby": ("always", "never", "never"),
    }
    assert [each["name"] for each in order["roles"]] == ["customer", "lines"]
    assert "Order___delete" not in order["services"]
    # Parts are created and changed with their wholes.
    line = classes["Line"]
    assert [line[action] for action in ("read", "create", "edit", "delete")] == ["sometimes"] * 4
    assert [each["name"] for each in classes["Customer"]["roles"]] == ["orders"]
    assert not any(
        name in json.dumps(classes) for name in ("Expression", "condition", "derivation", "rank", "margin")
    )


def test_a_profile_with_full_access_sees_no_expressions() -> None:
    found = described(MODEL, "Manager")
    assert not found["administrator"]
    classes = by_name(found["classes"])
    assert [*classes] == ["Order", "Line", "Customer", "Secret", "Settings", "Search"]
    assert {each[action] for each in classes.values() for action in ("read", "edit")} == {"always", "never"}
    assert classes["Order"]["warnings"] == [{"name": "free"}, {"name": "poor"}]
    assert "labelExpression" not in classes["Order"]
    assert "derivation" not in json.dumps(classes)


@pytest.mark.soak
def test_the_description_depends_on_nothing_that_is_hidden() -> None:
    hidden = 0
    for turn in range(count(8, 1000)):
        chance = Random(seed() + turn)
        model = random_model(chance).model
        for profile in ("Member", "Clerk"):
            other, changes = without_hidden(model, profile)
            hidden += changes
            served = [
                Capabilities(each, access_of(each, profile)) for each in map(with_users, (model, other))
            ]
            if any(served[0].sees(each) for each in model.classes.values()):
                assert described(model, profile) == described(other, profile), (turn, profile)
    assert hidden > 3


def without_hidden(model: Model, profile: str) -> tuple[Model, int]:
    """Return a model that differs in what is hidden from a profile, and the number of differences."""
    changes = 0
    capabilities = Capabilities(model, access_of(with_users(model), profile))
    classes: dict[str, Class] = {}
    for class_ in model.classes.values():
        names = [*_hidden_attributes(capabilities, class_)]
        changes += len(names)
        attributes = {
            name: replace(each, description="hidden", required=True) if name in names else each
            for name, each in class_.attributes.items()
        }
        more: dict[str, Any] = {}
        if names:
            more["warnings"] = (WarningDefinition("w", f"isNull({names[0]})", "m"),)
        if names and class_.label is None and not class_.uniques:
            more["label"] = names[0] if class_.attributes[names[0]].type.storage.python_type is str else None
        if not capabilities.sees(class_):
            changes += 1
            more |= {"description": "hidden", "versioned": not class_.versioned}
        classes[class_.name] = replace(class_, attributes=MappingProxyType(attributes), **more)
    return replace(model, classes=MappingProxyType(classes)), changes


def _hidden_attributes(capabilities: Capabilities, class_: Class) -> Iterator[str]:
    compared = {name for unique in class_.uniques for name in unique.attributes}
    compared |= {name for index in class_.indexes for name in index.attributes}
    for name, each in class_.attributes.items():
        if each.derivation is None and name not in compared and not capabilities.reads(class_, name):
            yield name


MODELS = {"shop": MODEL, "sample": read_model_file(SAMPLE_MODEL), "everything": EVERYTHING}


@pytest.mark.parametrize("name", MODELS)
def test_descriptions_fit_the_schema_in_the_openapi_document(name: str) -> None:
    model = MODELS[name]
    endpoint = model_description_endpoint(model.application, lambda _: b"", lambda _: None)
    info = ServiceInfo(model.application, "1", ())
    document = openapi_document(info, {"/auth/api/model/{application}": endpoint})
    for schema in document["components"]["schemas"].values():
        schema["additionalProperties"] = False
    schema = {"$ref": "#/components/schemas/Model", "components": document["components"]}
    validator = jsonschema_rs.validator_for(schema)
    for profile in model.profiles.values():
        if profile.name != "Nobody":
            validator.validate(described(model, profile.name))
