"""The generated types and services of roles and kinds of classes."""

from collections.abc import Mapping

import pytest
from graphql import GraphQLInputObjectType, GraphQLObjectType, GraphQLSchema

from stratabase.core.model.api_names import GeneratedType
from stratabase.core.schema.generate import generate_schema
from tests.everything_model import EVERYTHING


@pytest.fixture(scope="module")
def schema() -> GraphQLSchema:
    return generate_schema(EVERYTHING)


def fields(schema: GraphQLSchema, name: str) -> dict[str, str]:
    type_ = schema.type_map[name]
    assert isinstance(type_, GraphQLObjectType | GraphQLInputObjectType)
    return {field: str(definition.type) for field, definition in type_.fields.items()}


def roles(schema: GraphQLSchema, name: str, class_name: str) -> dict[str, str]:
    """Return the fields of a type that are roles of the class."""
    known = EVERYTHING.classes[class_name].roles
    return {field: type_ for field, type_ in fields(schema, name).items() if field in known}


def generated_types(schema: GraphQLSchema, class_name: str) -> set[str]:
    """Return the suffixes of a class's generated types."""
    return {name.removeprefix(class_name) for name in schema.type_map if name.startswith(class_name)}


def services(root: GraphQLObjectType | None, class_name: str) -> dict[str, str]:
    """Return a class's services with their arguments, except for the common ones."""
    assert root
    common = ("insight", "disableCache", "forceWarnings")
    return {
        name.removeprefix(f"{class_name}___"): ", ".join(
            f"{argument}: {definition.type}"
            for argument, definition in field.args.items()
            if argument not in common
        )
        + f" -> {field.type}"
        for name, field in root.fields.items()
        if name.startswith(f"{class_name}___")
    }


ORDINARY = {
    "get": "_id: ID! -> Person",
    "getByEmail": "email: String! -> Person",
    "getByLast_name_Born": "last_name: String!, born: Date! -> Person",
    "getByMentor_Since": "mentor: ID!, since: Year! -> Person",
    "getPage": "options: PersonPageOptions -> PersonPage",
    "previewCreate": "data: PersonDraftCreate! -> Person",
    "previewUpdate": "data: PersonDraftUpdate! -> Person",
    "preview": "data: PersonDraft! -> Person",
    "validateCreate": "data: PersonDraftCreate! -> ValidationResult",
    "validateUpdate": "data: PersonDraftUpdate! -> ValidationResult",
    "validateUpdateBulk": "data: PersonDraftUpdateBulk!, options: PersonPageOptions! -> ValidationResult",
    "validate": "data: PersonDraft! -> ValidationResult",
    "validateDelete": "_id: ID! -> ValidationResult",
    "validateDeleteBulk": "options: PersonPageOptions! -> ValidationResult",
}
VERSIONS = {
    "getVersion": "_id: ID!, atVersion: Datetime! -> Person",
    "getVersionPage": "_id: ID!, options: PersonPageOptions -> PersonPage",
    "getVersionDiff": "_id: ID!, from: Datetime!, to: Datetime! -> VersionDiff",
}
ORDINARY_WRITES = {
    "create": "data: PersonCreate! -> Person",
    "update": "data: PersonUpdate!, ifVersion: Datetime -> Person",
    "updateBulk": "data: PersonUpdateBulk!, options: PersonPageOptions! -> PersonBulkResult",
    "save": "data: PersonDraft!, ifVersion: Datetime -> Person",
    "delete": "_id: ID!, ifVersion: Datetime -> DeleteResult",
    "deleteBulk": "options: PersonPageOptions! -> DeleteBulkResult",
}
RESTORING = {"restoreVersion": "_id: ID!, atVersion: Datetime! -> Person"}
SINGLETON = {
    "get": " -> House",
    "previewUpdate": "data: HouseDraftUpdate! -> House",
    "validateUpdate": "data: HouseDraftUpdate! -> ValidationResult",
    "getVersion": "atVersion: Datetime! -> House",
    "getVersionPage": "options: HousePageOptions -> HousePage",
    "getVersionDiff": "from: Datetime!, to: Datetime! -> VersionDiff",
}
SINGLETON_WRITES = {
    "update": "data: HouseUpdate!, ifVersion: Datetime -> House",
    "restoreVersion": "atVersion: Datetime! -> House",
}
FORM = {
    "previewCreate": "data: ComplaintDraftCreate! -> Complaint",
    "preview": "data: ComplaintDraft! -> Complaint",
}
EXPOSED_PART = {
    "get": "_id: ID! -> Contract",
    "getPage": "options: ContractPageOptions -> ContractPage",
}


@pytest.mark.parametrize(
    ("class_name", "queries", "mutations"),
    [
        ("Person", ORDINARY | VERSIONS, ORDINARY_WRITES | RESTORING),
        ("Contract", EXPOSED_PART, {}),
        ("Phone", {}, {}),
        ("Colour", {}, {}),
        ("House", SINGLETON, SINGLETON_WRITES),
        ("Vault", {}, {}),
        ("Complaint", FORM, {}),
        ("Clock", {"get": " -> Clock"}, {}),
    ],
)
def test_a_class_has_exactly_the_services_of_its_kind(
    schema: GraphQLSchema, class_name: str, queries: Mapping[str, str], mutations: Mapping[str, str]
) -> None:
    assert services(schema.query_type, class_name) == queries
    assert services(schema.mutation_type, class_name) == mutations


def test_an_input_without_fields_is_not_generated_nor_its_service(
    schema: GraphQLSchema,
) -> None:
    """A class without writable fields only has services that take ids and filters."""
    found = services(schema.query_type, "Nameless") | services(schema.mutation_type, "Nameless")

    assert found.keys() == (ORDINARY.keys() | ORDINARY_WRITES.keys()) - {
        "getByEmail",
        "getByLast_name_Born",
        "getByMentor_Since",
        "validateUpdateBulk",
        "updateBulk",
    }
    assert generated_types(schema, "Nameless") == {
        *("", "Page", "PageOptions", "Cursor", "Sort", "Filter"),
        *("Create", "Update", "Draft", "DraftCreate", "DraftUpdate"),
    }
    assert generated_types(schema, "Clock") == {""}
    assert fields(schema, "NamelessCreate") == {"_clientId": "ID"}


def test_a_role_leads_to_an_object_or_to_a_page(schema: GraphQLSchema) -> None:
    shown = fields(schema, "Person")

    assert roles(schema, "Person", "Person") == {
        "team": "Team",
        "mentor": "Person",
        "pupils": "PersonPage",
        "desk": "Desk",
        "leads": "Team",
        "projects": "ProjectPage",
        "favourite": "Skill",
        "skills": "SkillPage",
        "contract": "Contract",
        "home": "Address",
        "phones": "PhonePage",
        "addresses": "AddressPage",
    }
    assert {field: shown[field] for field in shown if field.endswith("___associables")} == {
        "team___associables": "TeamPage",
        "mentor___associables": "PersonPage",
        "pupils___associables": "PersonPage",
        "desk___associables": "DeskPage",
        "leads___associables": "TeamPage",
        "projects___associables": "ProjectPage",
        "favourite___associables": "SkillPage",
        "skills___associables": "SkillPage",
    }


@pytest.mark.parametrize("field", ["pupils", "phones", "team___associables"])
def test_a_nested_page_takes_options_without_a_default(schema: GraphQLSchema, field: str) -> None:
    type_ = schema.type_map["Person"]
    assert isinstance(type_, GraphQLObjectType)

    (options,) = type_.fields[field].args.values()

    assert str(options.type).endswith("PageOptions")
    assert options.default is None
    assert schema.query_type
    assert schema.query_type.fields["Person___getPage"].args["options"].default is not None


def test_a_part_has_a_role_back_to_each_of_its_possible_wholes(schema: GraphQLSchema) -> None:
    assert roles(schema, "Address", "Address") == {
        "rooms": "RoomPage",
        "keeper": "Person",
        "dweller": "Person",
        "visitor": "Person",
        "house": "House",
    }
    associables = [field for field in fields(schema, "Address") if field.endswith("___associables")]
    assert associables == ["keeper___associables"]
    for written in ("AddressCreate", "AddressUpdate", "AddressDraft"):
        assert roles(schema, written, "Address").keys() == {"rooms", "keeper"}


ASSOCIATIONS_BY_ID = {
    "team": "ID",
    "mentor": "ID",
    "pupils": "[ID]",
    "desk": "ID",
    "leads": "ID",
    "projects": "[ID]",
    "favourite": "ID",
    "skills": "[ID]",
}
ASSOCIATIONS_CHANGED = {
    "team": "TeamRoleRef",
    "mentor": "PersonRoleRef",
    "pupils": "PersonRoleRefs",
    "desk": "DeskRoleRef",
    "leads": "TeamRoleRef",
    "projects": "ProjectRoleRefs",
    "favourite": "SkillRoleRef",
    "skills": "SkillRoleRefs",
}
UPDATE = ASSOCIATIONS_CHANGED | {
    "contract": "ContractRoleObject",
    "home": "AddressRoleObject",
    "phones": "PhoneRoleObjects",
    "addresses": "AddressRoleObjects",
}
DRAFT_UPDATE = ASSOCIATIONS_CHANGED | {
    "contract": "ContractDraftUpdateRoleObject",
    "home": "AddressDraftUpdateRoleObject",
    "phones": "PhoneDraftUpdateRoleObjects",
    "addresses": "AddressDraftUpdateRoleObjects",
}


@pytest.mark.parametrize(
    ("input_", "expected"),
    [
        (
            "PersonCreate",
            ASSOCIATIONS_BY_ID
            | {"team": "ID!", "skills": "[ID]!"}
            | {"contract": "ContractCreate!", "home": "AddressCreate"}
            | {"phones": "[PhoneCreate]", "addresses": "[AddressCreate]"},
        ),
        ("PersonUpdate", UPDATE),
        ("PersonUpdateBulk", UPDATE),
        (
            "PersonDraft",
            ASSOCIATIONS_BY_ID
            | {"pupils": "PersonDraftRoleRefs", "projects": "ProjectDraftRoleRefs"}
            | {"skills": "SkillDraftRoleRefs", "contract": "ContractDraft", "home": "AddressDraft"}
            | {"phones": "PhoneDraftRoleObjects", "addresses": "AddressDraftRoleObjects"},
        ),
        (
            "PersonDraftCreate",
            ASSOCIATIONS_BY_ID
            | {"contract": "ContractDraftCreate", "home": "AddressDraftCreate"}
            | {"phones": "[PhoneDraftCreate]", "addresses": "[AddressDraftCreate]"},
        ),
        ("PersonDraftUpdate", DRAFT_UPDATE),
        ("PersonDraftUpdateBulk", DRAFT_UPDATE),
    ],
)
def test_an_input_has_exactly_these_roles_and_types(
    schema: GraphQLSchema, input_: str, expected: dict[str, str]
) -> None:
    assert roles(schema, input_, "Person") == expected


@pytest.mark.parametrize(
    ("input_", "expected"),
    [
        ("TeamRoleRef", {"set": "ID", "remove": "Boolean"}),
        ("ProjectRoleRefs", {"add": "[ID]", "remove": "[ID]", "removeAll": "Boolean"}),
        ("ProjectDraftRoleRefs", {"add": "[ID]", "remove": "[ID]", "removeAll": "Boolean"}),
        (
            "ContractRoleObject",
            {"create": "ContractCreate", "update": "ContractUpdate", "delete": "Boolean"},
        ),
        (
            "PhoneRoleObjects",
            {
                "create": "[PhoneCreate]",
                "update": "[PhoneUpdate]",
                "delete": "[ID]",
                "deleteAll": "Boolean",
            },
        ),
        ("PhoneDraftRoleObjects", {"save": "[PhoneDraft]", "delete": "[ID]", "deleteAll": "Boolean"}),
        (
            "ContractDraftUpdateRoleObject",
            {"create": "ContractDraftCreate", "update": "ContractDraftUpdate", "delete": "Boolean"},
        ),
        (
            "PhoneDraftUpdateRoleObjects",
            {
                "create": "[PhoneDraftCreate]",
                "update": "[PhoneDraftUpdate]",
                "delete": "[ID]",
                "deleteAll": "Boolean",
            },
        ),
        ("PersonBulkResult", {"items": "[Person!]!", "totalCount": "Int!"}),
        ("DeleteBulkResult", {"deleted": "Int!"}),
        ("ValidationResult", {"isValid": "Boolean!", "issues": "[Issue!]!"}),
        (
            "Issue",
            {
                "sourceRequestReference": "String!",
                "userMessage": "String!",
                "issueLevel": "IssueLevel!",
                "issueReferenceType": "IssueReferenceType",
                "issueType": "IssueType!",
                "entityID": "ID",
                "_clientId": "ID",
                "entityName": "String",
                "attributeNames": "[String!]",
                "roleNames": "[String!]",
                "applicationName": "String!",
                "profileName": "String!",
                "traceId": "String!",
            },
        ),
    ],
)
def test_the_other_generated_types_have_exactly_their_fields(
    schema: GraphQLSchema, input_: str, expected: dict[str, str]
) -> None:
    assert fields(schema, input_) == expected


def test_a_singleton_has_no_id_and_pages_of_its_versions_only(schema: GraphQLSchema) -> None:
    for input_ in ("HouseUpdate", "HouseDraftUpdate"):
        assert not {"_id", "_clientId"} & fields(schema, input_).keys()
        assert {"name", "director", "guests", "place", "doors"} == fields(schema, input_).keys()
    assert generated_types(schema, "House") == {
        *("", "Page", "PageOptions", "Filter", "Sort", "Cursor"),
        *("Update", "DraftUpdate"),
    }


def test_a_form_can_be_drafted_and_previewed_but_not_stored(schema: GraphQLSchema) -> None:
    assert fields(schema, "ComplaintDraftCreate") == {
        "_clientId": "ID",
        "text": "Text",
        "by": "ID",
        "about": "[ID]",
    }
    assert fields(schema, "Complaint")["about"] == "TeamPage"
    assert generated_types(schema, "Complaint") == {"", "Draft", "DraftCreate"}


def test_generated_names_are_unique_except_class_names() -> None:
    """A name that two classes would generate is one that the model reader refuses a class to have."""
    suffixes = {each.value for each in GeneratedType if each.value}
    within = {
        longer: {longer.removesuffix(shorter) for shorter in suffixes - {longer} if longer.endswith(shorter)}
        for longer in suffixes
    }
    assert {longer: beginnings for longer, beginnings in within.items() if beginnings} == {
        "DraftCreate": {"Draft"},
        "DraftUpdate": {"Draft"},
        "DraftUpdateBulk": {"Draft"},
        "DraftRoleRefs": {"Draft"},
        "DraftRoleObjects": {"Draft"},
        "DraftUpdateRoleObject": {"DraftUpdate"},
        "DraftUpdateRoleObjects": {"DraftUpdate"},
    }
    assert {"Draft", "DraftUpdate"} - suffixes == set()
