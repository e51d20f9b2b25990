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
)

from stratabase.core.model.api_names import FIXED_TYPES, SEPARATOR, GeneratedType, type_name
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


@pytest.mark.parametrize("model_file", [SAMPLE_MODEL, EVERYTHING])
def test_the_model_reader_knows_every_name_that_is_generated(model_file: Path) -> None:
    """It refuses models whose names clash with generated ones, and reserves no other names."""
    sample = read_model_file(model_file)
    known = {*sample.enumerations, *TYPES, *FIXED_TYPES}
    known |= {type_name(name, each) for name in (*sample.classes, USER) for each in GeneratedType}

    generated = {name for name in generate_schema(with_users(sample)).type_map if not name.startswith("__")}

    # No name in a model begins with "_".
    assert {name for name in generated - known if not name.startswith("_")} == set()
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


def test_generated_names_are_unique_except_class_names() -> None:
    """A name that two classes would generate is one that the model reader refuses a class to have."""
    suffixes = {each.value for each in GeneratedType if each.value and SEPARATOR not in each.value}
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
