"""Types are built lazily, with the same results as if all were built at the start."""

from concurrent.futures import ThreadPoolExecutor
from random import Random
from typing import Any

import pytest
from graphql import (
    GraphQLObjectType,
    GraphQLSchema,
    get_introspection_query,
    graphql_sync,
    parse,
    print_schema,
    validate,
    validate_schema,
)
from hypothesis import given, settings

from stratabase.core.model.api_names import GeneratedType, type_name
from stratabase.core.model.model import Class, Model
from stratabase.core.model.reading import read_model, read_model_file
from stratabase.core.schema import generate
from stratabase.core.schema.generate import TYPE_FACTORIES, RootFields, generate_schema
from stratabase.core.schema.introspection import INTROSPECTION_TYPES
from stratabase.core.schema.services import MODEL_MUTATIONS, MUTATIONS, QUERIES
from stratabase.core.schema.types.attribute_types import SCALARS
from stratabase.core.schema.types.registry import TypeFactory, TypeRegistry
from tests.everything_model import EVERYTHING
from tests.graphs.models import models
from tests.large_model import large_model
from tests.models import THINGS
from tests.service import SAMPLE_MODEL
from tests.soak import EXAMPLES, count, seed

MODELS = {
    "sample": read_model_file(SAMPLE_MODEL),
    "everything": EVERYTHING,
    "things": THINGS,
    "area": read_model(large_model(1), "area"),
}


def eager(model: Model) -> GraphQLSchema:
    """Return the schema that graphql-core builds if all types exist from the start."""
    generation = TypeRegistry(model, TYPE_FACTORIES)
    query = dict(RootFields(generation, QUERIES, {}))
    mutation = dict(RootFields(generation, MUTATIONS, MODEL_MUTATIONS))
    return GraphQLSchema(
        GraphQLObjectType("Query", query),
        GraphQLObjectType("Mutation", mutation) if mutation else None,
        description=f"The services of the application {model.application}.",
    )


@pytest.fixture(params=MODELS)
def model(request: pytest.FixtureRequest) -> Model:
    return MODELS[request.param]


def test_a_lazy_schema_prints_like_the_whole_schema(model: Model) -> None:
    assert print_schema(generate_schema(model)) == print_schema(eager(model))


def test_a_lazy_schema_is_introspected_like_the_whole_schema() -> None:
    """What is left out of graphql-core's own types is tested in `test_introspection`."""

    def described(schema: GraphQLSchema) -> list[Any]:
        result = graphql_sync(schema, get_introspection_query())
        assert result.data
        types = result.data["__schema"].pop("types")
        del result.data["__schema"]["directives"]
        return [result.data, [each for each in types if each["name"] not in INTROSPECTION_TYPES]]

    assert described(generate_schema(EVERYTHING)) == described(eager(EVERYTHING))


def test_the_whole_schema_is_valid(model: Model) -> None:
    assert not validate_schema(eager(model))


@settings(max_examples=EXAMPLES // 2)
@given(models())
def test_the_lazy_schema_of_a_random_model_is_valid_and_equals_the_whole_one(model: Model) -> None:
    whole = eager(model)

    assert not validate_schema(whole)
    assert print_schema(generate_schema(model)) == print_schema(whole)


@pytest.mark.soak
def test_every_type_is_found_by_name_in_an_unbuilt_schema(model: Model) -> None:
    step = count(5, 1)
    for name, type_ in [*eager(model).type_map.items()][seed() % step :: step]:
        found = generate_schema(model).get_type(name)
        assert found is not None, name
        assert (found.name, isinstance(found, type(type_))) == (name, True)


def test_unreachable_types_are_not_found(model: Model) -> None:
    names = {type_name(class_name, family) for class_name in model.classes for family in GeneratedType}
    absent = {*names, *SCALARS, "ID", "Int", "Float", "Nothing"} - eager(model).type_map.keys()

    assert absent
    schema = generate_schema(model)
    assert {name for name in absent if name in schema.type_map or schema.get_type(name)} == set()


DOCUMENTS = (
    "{ Person___get(_id: 1) { last_name team { name members { items { _id } } } } }",
    "query($o: PersonPageOptions, $d: Date) { Person___getPage(options: $o) { items { _id } } }",
    "query($f: PersonFilter, $x: PersonDraftUpdateRoleObjects) { Person___getPage { totalCount } }",
    (
        "mutation($d: PersonCreate!) { Person___create(data: $d) { ...P addresses { items { ...A } } } } "
        "fragment P on Person { last_name } fragment A on Address { street }"
    ),
    "query($a: AddressCreate) { Person___getPage { items { ... on Team { name } } } }",
    "query($a: Adress, $b: PersonCreat, $c: Float) { Person___getPage { totalCount } }",
    "query($a: Person) { Person___getPag { totalCount } Persn___get(_id: 1) { _id } }",
    "{ Person___getPage(optons: {next: 1}) { items { last_nam teem { name } } } }",
    "mutation { Person___delete(_id: 1) { deleted } Nothing___create { _id } }",
    "fragment A on Addres { street } { __typename }",
    "subscription { Person___get(_id: 1) { _id } }",
    '{ __type(name: "Phone") { name } __schema { queryType { name } } }',
)


@pytest.mark.parametrize("document", DOCUMENTS)
def test_a_document_is_validated_like_by_the_whole_schema(document: str) -> None:
    """The first document that a schema sees, with the same messages and places."""
    parsed = parse(document)
    judged = [
        [(error.message, error.locations) for error in validate(schema, parsed, max_errors=9)]
        for schema in (generate_schema(EVERYTHING), eager(EVERYTHING))
    ]
    assert judged[0] == judged[1]


@pytest.fixture
def built_types(monkeypatch: pytest.MonkeyPatch) -> list[tuple[GeneratedType, str]]:
    """The types that have been built."""
    noted: list[tuple[GeneratedType, str]] = []

    def noting(family: GeneratedType, maker: TypeFactory) -> TypeFactory:
        def make(generation: TypeRegistry, class_: Class) -> object:
            noted.append((family, class_.name))
            return maker(generation, class_)

        return make  # type: ignore[return-value]

    monkeypatch.setattr(
        generate,
        "TYPE_FACTORIES",
        {family: noting(family, maker) for family, maker in TYPE_FACTORIES.items()},
    )
    return noted


def test_a_request_builds_only_the_types_that_it_uses(built_types: list[tuple[GeneratedType, str]]) -> None:
    """Nothing of the classes of other areas."""
    large = read_model(large_model(), "large")
    schema = generate_schema(large)
    document = "query($id: ID!) { Person7___get(_id: $id) { last_name team { name } } }"

    assert validate(schema, parse(document)) == []

    # To see whether there are services, those of the first class are made.
    assert {name for _, name in built_types} <= {
        "Person0",
        *(name for name in large.classes if name[-1] == "7"),
    }
    assert len(built_types) < 60
    assert len(set(built_types)) == len(built_types)
    assert len(schema.type_map) > 1200


def test_concurrent_threads_may_build_the_same_types(built_types: list[tuple[GeneratedType, str]]) -> None:
    names = [name for name in eager(EVERYTHING).type_map if not name.startswith("__")]
    built_types.clear()
    schema = generate_schema(EVERYTHING)

    def touch(number: int) -> set[str]:
        some = Random(seed() + number).sample(names, 60)
        return {name for name in some if schema.get_type(name) is None}

    with ThreadPoolExecutor(8) as threads:
        missing = list(threads.map(touch, range(16)))

    assert missing == [set()] * 16
    assert len(set(built_types)) == len(built_types)
    assert list(schema.type_map) == list(eager(EVERYTHING).type_map)
