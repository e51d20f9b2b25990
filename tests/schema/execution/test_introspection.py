"""Introspection answers are computed once and cached."""

import json
from typing import Any

import pytest
from graphql import ExecutionResult, execute_sync, get_introspection_query

from stratabase.domain.members.member import Caller
from stratabase.schema import executor
from stratabase.schema.execution import documents
from stratabase.schema.execution.limits import ExecutionPolicy
from stratabase.schema.executor import SchemaExecutor
from tests.fakes import ADMINISTRATOR, fake_services
from tests.models import THINGS

STANDARD = get_introspection_query()
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


def test_an_introspection_answer_is_computed_once(counting: CountingApi) -> None:
    first = counting.answer(STANDARD)
    other = Caller("2", "bob", "Member")

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
        f"query Q{number} {{ __typename }}" for number in range(documents.MAX_CACHED_INTROSPECTIONS + 1)
    ]
    for query in (*queries, queries[-1], queries[0]):
        counting.answer(query)
    # The last was kept, the first forgotten.
    assert counting.times == len(queries) + 1


def test_the_most_recently_used_answer_is_kept_longest(counting: CountingApi) -> None:
    queries = [
        f"query Q{number} {{ __typename }}" for number in range(documents.MAX_CACHED_INTROSPECTIONS + 1)
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
    monkeypatch.setattr(documents, limit, most)
    assert counting.answer(STANDARD) == counting.answer(STANDARD)
    assert counting.times == 2
