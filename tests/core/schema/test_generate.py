"""The generated schema: names, types and defaults."""

from pathlib import Path
from typing import Any

import pytest
from graphql import (
    GraphQLEnumType,
    GraphQLInputObjectType,
    GraphQLObjectType,
    GraphQLSchema,
    get_introspection_query,
    graphql_sync,
    print_schema,
    print_type,
)

from stratabase.core.model.api_names import FIXED_TYPES, GeneratedType, type_name
from stratabase.core.model.model import Class, ClassKind, Model
from stratabase.core.model.reading import read_model, read_model_file
from stratabase.core.model.types import TYPES
from stratabase.core.model.users import USER, with_users
from stratabase.core.schema.generate import NothingServed, generate_schema
from tests.everything_model import FILE as EVERYTHING
from tests.large_model import large_model
from tests.models import THINGS, attribute, model
from tests.service import SAMPLE_MODEL

GOLDEN = Path(__file__).parent / "golden"


@pytest.fixture(scope="module")
def schema() -> GraphQLSchema:
    return generate_schema(THINGS)


def fields(schema: GraphQLSchema, name: str) -> dict[str, str]:
    type_ = schema.type_map[name]
    assert isinstance(type_, GraphQLObjectType | GraphQLInputObjectType)
    return {field: str(definition.type) for field, definition in type_.fields.items()}


@pytest.mark.parametrize(("model_file", "golden"), [(SAMPLE_MODEL, "hr"), (EVERYTHING, "everything")])
def test_a_model_generates_its_golden_file(model_file: Path, golden: str) -> None:
    """`make golden` writes it anew; read the difference before you commit it."""
    generated = print_schema(generate_schema(with_users(read_model_file(model_file)))) + "\n"
    assert generated == (GOLDEN / f"{golden}.graphql").read_text()


def test_an_ordinary_class_has_its_services_under_their_names(schema: GraphQLSchema) -> None:
    assert schema.query_type
    assert schema.mutation_type
    assert list(schema.query_type.fields) == [
        "Thing___get",
        "Thing___getByCode",
        "Thing___getPage",
        "Thing___previewCreate",
        "Thing___previewUpdate",
        "Thing___preview",
        "Thing___validateCreate",
        "Thing___validateUpdate",
        "Thing___validateUpdateBulk",
        "Thing___validate",
        "Thing___validateDelete",
        "Thing___validateDeleteBulk",
    ]
    assert list(schema.mutation_type.fields) == [
        "Thing___create",
        "Thing___update",
        "Thing___updateBulk",
        "Thing___save",
        "Thing___delete",
        "Thing___deleteBulk",
        "lock",
        "unlock",
    ]


def test_the_services_take_the_arguments_of_the_contract(schema: GraphQLSchema) -> None:
    text = print_schema(schema)

    diagnostics = "insight: InsightType, disableCache: Boolean = false"
    assert f"Thing___get(_id: ID!, {diagnostics}): Thing\n" in text
    defaults = "{ offset: 0, next: 10, orderBy: [_id___ASC] }"
    options = f"options: ThingPageOptions = {defaults}"
    assert f"Thing___getPage({options}, {diagnostics}): ThingPage\n" in text
    warnings = "forceWarnings: ForceWarnings = { actionVeto: false, dataValidation: false }"
    for verb, family in (("create", "Create"), ("update", "Update"), ("save", "Draft")):
        arguments = f"data: Thing{family}!, {warnings}, {diagnostics}"
        assert f"Thing___{verb}({arguments}): Thing\n" in text
    assert f"Thing___delete(_id: ID!, {warnings}, {diagnostics}): DeleteResult\n" in text


def test_an_object_type_has_every_attribute_nullable_and_with_a_format_argument(
    schema: GraphQLSchema,
) -> None:
    assert fields(schema, "Thing") == {
        "_clientId": "ID",
        "_id": "ID",
        "name": "String",
        "code": "String",
        "notes": "Text",
        "count": "Int",
        "price": "Real",
        "good": "Boolean",
        "day": "Date",
        "hour": "Time",
        "moment": "Datetime",
        "vintage": "Year",
        "picture": "FileInfo",
        "colour": "Colour",
        "_createdby": "String",
        "_createdon": "Datetime",
        "_lastmodifiedby": "String",
        "_lastmodifiedon": "Datetime",
        "_lock": "LockInfo",
    }
    text = print_type(schema.type_map["Thing"])
    formatted = {
        line.split("(")[0].strip() for line in text.splitlines() if '(format: String = "default")' in line
    }
    assert formatted == {"price", "day", "hour", "moment", "_createdon", "_lastmodifiedon"}


def test_a_page_has_its_six_fields(schema: GraphQLSchema) -> None:
    assert fields(schema, "ThingPage") == {
        "items": "[Thing!]!",
        "totalCount": "Int!",
        "nextCursor": "Cursor",
        "prevCursor": "Cursor",
        "hasNext": "Boolean!",
        "hasPrev": "Boolean!",
    }
    options = fields(schema, "ThingPageOptions")
    assert options == {
        "filter": "ThingFilter",
        "filter_exp": "String",
        "offset": "Int",
        "cursor": "Cursor",
        "fromCursor": "ThingCursor",
        "next": "Int",
        "prev": "Int",
        "orderBy": "[ThingSort!]",
    }
    assert "orderBy: [ThingSort!] = [_id___ASC]" in print_type(schema.type_map["ThingPageOptions"])


COMPARABLE = {"eq", "ne", "lt", "lte", "gt", "gte", "null", "not___null", "in", "not___in"}
TEXTUAL = COMPARABLE | {
    "contains",
    "not___contains",
    "starts_with",
    "not___starts_with",
    "ends_with",
    "not___ends_with",
}
OPERATORS = {
    "_id": COMPARABLE,
    "name": TEXTUAL,
    "code": TEXTUAL,
    "notes": TEXTUAL,
    "count": COMPARABLE,
    "price": COMPARABLE,
    "good": {"eq", "ne", "null", "not___null"},
    "day": COMPARABLE,
    "hour": COMPARABLE,
    "moment": COMPARABLE,
    "vintage": COMPARABLE,
    "picture": {"eq", "ne", "null", "not___null"},
    "colour": {"eq", "ne", "in", "not___in", "null", "not___null"},
    "_createdby": TEXTUAL,
    "_createdon": COMPARABLE,
    "_lastmodifiedby": TEXTUAL,
    "_lastmodifiedon": COMPARABLE,
}


@pytest.mark.parametrize("name", OPERATORS)
def test_an_attribute_is_filtered_by_the_operators_of_its_type(schema: GraphQLSchema, name: str) -> None:
    found = {
        field[len(name) + 3 :] for field in fields(schema, "ThingFilter") if field.startswith(f"{name}___")
    }
    assert found == OPERATORS[name]


def test_a_filter_has_only_attributes_logic_and_the_client_id(
    schema: GraphQLSchema,
) -> None:
    found = {field.split("___")[0] for field in fields(schema, "ThingFilter")}
    assert found == {*OPERATORS, "AND", "OR", "NOT", "_clientId"}


@pytest.mark.parametrize(
    ("field", "type_"),
    [
        ("AND", "[ThingFilter!]"),
        ("OR", "[ThingFilter!]"),
        ("NOT", "ThingFilter"),
        ("_clientId___eq", "ID"),
        ("name___in", "[String!]"),
        ("notes___in", "[Text!]"),
        ("count___in", "[Int]"),
        ("count___not___in", "[Int!]"),
        ("day___gte", "Date"),
        ("good___null", "Boolean"),
        ("picture___eq", "PendingFileReference"),
        ("colour___not___in", "[Colour!]"),
    ],
)
def test_a_filter_takes_operands_of_the_right_type(schema: GraphQLSchema, field: str, type_: str) -> None:
    assert fields(schema, "ThingFilter")[field] == type_


def test_a_sort_has_two_directions_for_every_attribute(schema: GraphQLSchema) -> None:
    sort = schema.type_map["ThingSort"]
    assert isinstance(sort, GraphQLEnumType)
    assert sort.values.keys() == {f"{name}___{way}" for name in OPERATORS for way in ("ASC", "DESC")}
    assert fields(schema, "ThingCursor").keys() == OPERATORS.keys()
    assert fields(schema, "ThingCursor")["picture"] == "PendingFileReference"


NATIVE = {
    "name": "String",
    "code": "String",
    "notes": "Text",
    "count": "Int",
    "price": "Real",
    "good": "Boolean",
    "day": "Date",
    "hour": "Time",
    "moment": "Datetime",
    "vintage": "Year",
    "picture": "PendingFileReference",
    "colour": "Colour",
}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("ThingCreate", {"_clientId": "ID"} | NATIVE | {"name": "String!"}),
        ("ThingUpdate", {"_id": "ID!"} | NATIVE),
        ("ThingUpdateBulk", NATIVE),
        ("ThingDraft", {"_id": "ID", "_clientId": "ID"} | NATIVE),
        ("ThingDraftCreate", {"_clientId": "ID"} | NATIVE),
        ("ThingDraftUpdate", {"_id": "ID!"} | NATIVE),
        ("ThingDraftUpdateBulk", NATIVE),
    ],
)
def test_an_input_has_only_native_attributes(
    schema: GraphQLSchema, name: str, expected: dict[str, str]
) -> None:
    assert fields(schema, name) == expected


@pytest.mark.parametrize("model_file", [SAMPLE_MODEL, EVERYTHING])
def test_the_model_reader_knows_every_name_that_is_generated(model_file: Path) -> None:
    """It refuses models whose names clash with generated ones, and reserves no other names."""
    sample = read_model_file(model_file)
    known = {*sample.enumerations, *TYPES, *FIXED_TYPES}
    known |= {type_name(name, each) for name in (*sample.classes, USER) for each in GeneratedType}

    generated = {name for name in generate_schema(with_users(sample)).type_map if not name.startswith("__")}

    assert generated - known == set()
    in_vain = [
        each for each in GeneratedType if not {type_name(name, each) for name in sample.classes} & generated
    ]
    assert in_vain == []


WITH_ATTRIBUTES = (
    GeneratedType.CREATE,
    GeneratedType.UPDATE,
    GeneratedType.UPDATE_BULK,
    GeneratedType.DRAFT,
    GeneratedType.DRAFT_CREATE,
    GeneratedType.DRAFT_UPDATE,
    GeneratedType.DRAFT_UPDATE_BULK,
    GeneratedType.CURSOR,
)
"""The families of input types whose fields are attributes."""
FILE_OPERANDS = {
    "eq": "PendingFileReference",
    "ne": "PendingFileReference",
    "null": "Boolean",
    "not___null": "Boolean",
}


@pytest.mark.parametrize(
    ("large", "attributes"), [(read_model_file(EVERYTHING), 2), (read_model(large_model(), "large"), 30)]
)
def test_a_file_attribute_is_in_every_type_of_its_class(large: Model, attributes: int) -> None:
    schema = generate_schema(large)
    checked = 0
    for class_ in large.classes.values():
        for name in (each.name for each in class_.attributes.values() if each.type is TYPES["File"]):
            inputs = [type_name(class_.name, family) for family in WITH_ATTRIBUTES]
            known = [each for each in inputs if each in schema.type_map]
            assert fields(schema, class_.name)[name] == "FileInfo"
            assert {fields(schema, each)[name] for each in known} == {"PendingFileReference"}
            checked += 1
            if type_name(class_.name, GeneratedType.PAGE) not in schema.type_map:
                continue
            found = fields(schema, type_name(class_.name, GeneratedType.FILTER))
            sort = schema.type_map[type_name(class_.name, GeneratedType.SORT)]
            assert isinstance(sort, GraphQLEnumType)
            assert {f"{name}___ASC", f"{name}___DESC"} <= sort.values.keys()
            assert {field: type_ for field, type_ in found.items() if field.startswith(f"{name}___")} == {
                f"{name}___{operator}": operand for operator, operand in FILE_OPERANDS.items()
            }
    assert checked == attributes


def test_objects_of_all_classes_can_be_locked() -> None:
    """Parts, singletons, forms and classes without services included; nothing is told of what they take."""
    everything = read_model_file(EVERYTHING)
    schema = generate_schema(everything)
    text = print_schema(schema)
    names = schema.type_map["EntityName"]
    assert isinstance(names, GraphQLEnumType)
    assert list(names.values) == list(everything.classes)
    assert "\n  lock(locks: [EntityID!], minutes: Int = 10): LockStatusResult\n" in text
    assert "\n  unlock(locks: [EntityID!]): LockStatusResult\n" in text
    assert fields(schema, "EntityID") == {"entityName": "EntityName!", "_id": "ID!"}
    assert fields(schema, "LockStatusResult") == {"locked": "Boolean!", "minutes": "Int!"}
    assert fields(schema, "LockInfo") == {
        "lockedBy": "String!",
        "lockedUntil": "Datetime!",
        "mine": "Boolean!",
    }
    shown = [name for name in everything.classes if name in schema.type_map]
    assert {fields(schema, name)["_lock"] for name in shown} == {"LockInfo"}


VERSION_TIMES = {"_versionStart": "Datetime", "_versionEnd": "Datetime"}


def test_a_versioned_class_has_version_times_to_order_by_but_not_to_filter_by() -> None:
    schema = generate_schema(read_model_file(EVERYTHING))
    sorts = schema.type_map["PersonSort"]
    assert isinstance(sorts, GraphQLEnumType)
    for type_ in ("Person", "PersonCursor"):
        found = {name: each for name, each in fields(schema, type_).items() if name.startswith("_version")}
        assert found == VERSION_TIMES
    assert [name for name in sorts.values if name.startswith("_version")] == [
        f"{name}___{direction}" for name in VERSION_TIMES for direction in ("ASC", "DESC")
    ]
    assert not [name for name in fields(schema, "PersonFilter") if name.startswith("_version")]
    assert '_versionStart(format: String = "default"): Datetime' in print_type(schema.type_map["Person"])


def test_a_class_without_versions_has_no_version_times_and_no_version_services() -> None:
    schema = generate_schema(read_model_file(EVERYTHING))
    sorts = schema.type_map["TeamSort"]
    assert isinstance(sorts, GraphQLEnumType)
    for names in (fields(schema, "Team"), fields(schema, "TeamCursor"), sorts.values):
        assert not [name for name in names if name.startswith("_version")]
    roots = [*fields(schema, "Query"), *fields(schema, "Mutation")]
    assert not [name for name in roots if name.startswith("Team___") and "Version" in name]
    assert schema.mutation_type
    assert "ifVersion" not in schema.mutation_type.fields["Team___update"].args


def test_a_version_diff_has_the_types_of_the_contract() -> None:
    schema = generate_schema(read_model_file(EVERYTHING))
    assert fields(schema, "VersionDiff") == {
        "from": "Datetime!",
        "to": "Datetime!",
        "changes": "[AttributeChange!]!",
    }
    assert fields(schema, "AttributeChange") == {
        "name": "String!",
        "old": "String",
        "new": "String",
        "changedBy": "String",
        "changedOn": "Datetime",
    }


def test_a_model_of_only_forms_has_no_locks() -> None:
    form = Class("Form", ClassKind.FORM, attributes={"name": attribute("name", "String")})
    schema = generate_schema(model(form))
    assert schema.mutation_type is None
    assert "EntityName" not in schema.type_map


def test_the_standard_introspection_query_is_answered(schema: GraphQLSchema) -> None:
    result = graphql_sync(schema, get_introspection_query())

    assert result.errors is None
    assert result.data
    names: list[Any] = [type_["name"] for type_ in result.data["__schema"]["types"]]
    assert "ThingFilter" in names


def test_a_model_without_services_has_no_schema() -> None:
    """GraphQL knows no schema without queries; the person who wrote the model is told what to add."""
    hidden = Class("Hidden", attributes=THINGS.classes["Thing"].attributes, exposed=False)
    with pytest.raises(NothingServed, match="No class of the application Test has services"):
        generate_schema(model(hidden))
