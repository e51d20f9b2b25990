"""Introspection describes what the specification knows. Its answers are computed once and cached."""

import json
from itertools import product
from typing import Any

import pytest
from graphql import ExecutionResult, execute_sync, get_introspection_query

from stratabase.core.domain.caller import Caller
from stratabase.core.schema import executor, introspection
from stratabase.core.schema.execution.limits import ExecutionPolicy
from stratabase.core.schema.executor import SchemaExecutor
from tests.fakes import ADMINISTRATOR, fake_services
from tests.models import THINGS

STANDARD = get_introspection_query()
SPECIFIED_LOCATIONS = [
    *("QUERY", "MUTATION", "SUBSCRIPTION", "FIELD", "FRAGMENT_DEFINITION", "FRAGMENT_SPREAD"),
    *("INLINE_FRAGMENT", "VARIABLE_DEFINITION", "SCHEMA", "SCALAR", "OBJECT", "FIELD_DEFINITION"),
    *("ARGUMENT_DEFINITION", "INTERFACE", "UNION", "ENUM", "ENUM_VALUE", "INPUT_OBJECT"),
    "INPUT_FIELD_DEFINITION",
]
"""The values of `__DirectiveLocation` in the specification of September 2025, in its order."""
SPECIFIED_DIRECTIVES = {
    "include": ["FIELD", "FRAGMENT_SPREAD", "INLINE_FRAGMENT"],
    "skip": ["FIELD", "FRAGMENT_SPREAD", "INLINE_FRAGMENT"],
    "deprecated": ["FIELD_DEFINITION", "ARGUMENT_DEFINITION", "INPUT_FIELD_DEFINITION", "ENUM_VALUE"],
    "specifiedBy": ["SCALAR"],
    "oneOf": ["INPUT_OBJECT"],
}
SPECIFIED_FIELDS = {
    "__Schema": ["description", "types", "queryType", "mutationType", "subscriptionType", "directives"],
    "__Directive": ["name", "description", "isRepeatable", "locations", "args(includeDeprecated)"],
}
"""The fields of the types that graphql-core extends, with their arguments."""
ALL_OPTIONS = [
    dict(
        zip(
            ("specified_by_url", "directive_is_repeatable", "input_value_deprecation", "one_of"),
            chosen,
            strict=True,
        )
    )
    for chosen in product((False, True), repeat=4)
]
"""All combinations of the options of the introspection query that the specification allows."""
SEVERAL = "query A { __schema { queryType { name } } } query B { __schema { mutationType { name } } }"


class CountingApi:
    """The schema package, which counts executions of documents."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, **policy: Any) -> None:
        self._room = SchemaExecutor(fake_services(THINGS)[0], lambda *_: None, ExecutionPolicy(**policy))
        self.times = 0
        monkeypatch.setattr(executor, "execute_sync", self._execute)

    def _execute(self, *arguments: Any, **more: Any) -> ExecutionResult:
        self.times += 1
        result = execute_sync(*arguments, **more)
        assert isinstance(result, ExecutionResult)
        return result

    def answer(
        self, query: str, operation: str | None = None, caller: Caller = ADMINISTRATOR, **variables: Any
    ) -> Any:
        return json.loads(self._room.execute(query, variables, operation, caller, "trace").body)


@pytest.fixture
def counting(monkeypatch: pytest.MonkeyPatch) -> CountingApi:
    return CountingApi(monkeypatch)


@pytest.mark.parametrize(
    "options", ALL_OPTIONS, ids=lambda options: "-".join(filter(options.get, options)) or "none"
)
def test_each_introspection_query_is_answered_with_the_locations_of_the_specification(
    counting: CountingApi, options: dict[str, bool]
) -> None:
    """Clients of this specification refuse any other location."""
    answered = counting.answer(get_introspection_query(**options))["data"]["__schema"]

    assert {each["name"]: each["locations"] for each in answered["directives"]} == SPECIFIED_DIRECTIVES
    types = {each["name"]: each for each in answered["types"]}
    assert [each["name"] for each in types["__DirectiveLocation"]["enumValues"]] == SPECIFIED_LOCATIONS
    for name, fields in SPECIFIED_FIELDS.items():
        assert [_signature(field) for field in types[name]["fields"]] == fields


def _signature(field: Any) -> str:
    arguments = ", ".join(argument["name"] for argument in field["args"])
    return f"{field['name']}({arguments})" if arguments else str(field["name"])


def test_the_type_of_locations_is_the_same_when_asked_for_alone(counting: CountingApi) -> None:
    """A schema from which nothing else was asked finds the type by its name."""
    query = '{ __type(name: "__DirectiveLocation") { enumValues { name } } }'
    values = counting.answer(query)["data"]["__type"]["enumValues"]
    assert [each["name"] for each in values] == SPECIFIED_LOCATIONS


@pytest.mark.parametrize(
    ("query", "message"),
    [
        (
            "{ __schema { directives(includeDeprecated: true) { name } } }",
            "Unknown argument 'includeDeprecated' on field '__Schema.directives'.",
        ),
        (
            "{ __schema { directives { isDeprecated } } }",
            "Cannot query field 'isDeprecated' on type '__Directive'.",
        ),
    ],
    ids=["argument", "field"],
)
def test_what_only_drafts_of_the_specification_have_is_refused_by_name(
    counting: CountingApi, query: str, message: str
) -> None:
    (error,) = counting.answer(query)["errors"]
    assert error["message"].startswith(message)


def test_an_introspection_answer_is_computed_once(counting: CountingApi) -> None:
    first = counting.answer(STANDARD)
    other = Caller("2", "bob", "Administrator")

    assert first["data"]["__schema"]["queryType"]["name"] == "Query"
    assert counting.answer(STANDARD, caller=other) == first
    assert counting.answer(STANDARD) == first
    assert counting.times == 1


def test_each_operation_of_a_document_has_its_own_answer(counting: CountingApi) -> None:
    for _ in range(2):
        assert counting.answer(SEVERAL, "A")["data"] == {"__schema": {"queryType": {"name": "Query"}}}
        assert counting.answer(SEVERAL, "B")["data"] == {"__schema": {"mutationType": {"name": "Mutation"}}}
        assert "errors" in counting.answer(SEVERAL, "C")


def test_answers_depend_on_variables(counting: CountingApi) -> None:
    query = "query($name: String!) { __type(name: $name) { name } }"
    for name in ("Thing", "ThingPage", "Thing"):
        assert counting.answer(query, name=name) == {"data": {"__type": {"name": name}}}
    assert "errors" in counting.answer(query)


@pytest.mark.parametrize(
    "query",
    [
        "{ __schema { queryType { name } } Thing___getPage { totalCount } }",
        "{ ...A } fragment A on Query { ...B } fragment B on Query { Thing___getPage { totalCount } }",
        "{ ... on Query { ... { Thing___getPage { totalCount } } } __typename }",
    ],
)
def test_objects_selected_beside_introspection_are_read_each_time(counting: CountingApi, query: str) -> None:
    create = 'mutation { Thing___create(data: {name: "one"}) { _id } }'
    for count in range(4):
        assert counting.answer(query)["data"]["Thing___getPage"]["totalCount"] == count
        assert "errors" not in counting.answer(create)


def test_a_mutation_is_executed_each_time(counting: CountingApi) -> None:
    """This also holds if it only selects `__typename`."""
    for times in range(1, 4):
        assert counting.answer("mutation { __typename }") == {"data": {"__typename": "Mutation"}}
        assert counting.times == times


def test_disabled_introspection_is_refused_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    counting = CountingApi(monkeypatch, introspection=False)
    for _ in range(3):
        (error, *_) = counting.answer(STANDARD)["errors"]
        assert "introspection has been disabled" in error["message"]


def test_the_number_of_cached_answers_is_bounded(counting: CountingApi) -> None:
    queries = [
        f"query Q{number} {{ __typename }}" for number in range(introspection.MAX_CACHED_INTROSPECTIONS + 1)
    ]
    for query in (*queries, queries[-1], queries[0]):
        counting.answer(query)
    # The last was kept, the first forgotten.
    assert counting.times == len(queries) + 1


def test_the_most_recently_used_answer_is_kept_longest(counting: CountingApi) -> None:
    queries = [
        f"query Q{number} {{ __typename }}" for number in range(introspection.MAX_CACHED_INTROSPECTIONS + 1)
    ]
    for query in (*queries[:-1], queries[0], queries[-1], queries[0]):
        counting.answer(query)
    assert counting.times == len(queries)


@pytest.mark.parametrize(
    ("limit", "most"), [("MAX_INTROSPECTION_BYTES", 100), ("MAX_CACHED_INTROSPECTION_LENGTH", 100)]
)
def test_too_large_answers_are_not_cached(
    counting: CountingApi, monkeypatch: pytest.MonkeyPatch, limit: str, most: int
) -> None:
    monkeypatch.setattr(introspection, limit, most)
    assert counting.answer(STANDARD) == counting.answer(STANDARD)
    assert counting.times == 2
