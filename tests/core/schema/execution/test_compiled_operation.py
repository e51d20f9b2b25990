"""Compiled operations return the results of graphql-core's executor: data, order, nulls and errors."""

import json
from typing import Any

import pytest

from stratabase.core import waiting
from stratabase.core.domain.objects.entity import Entity, Reference
from stratabase.core.operations.context import Services
from stratabase.core.request_log import record_usage
from stratabase.core.schema.execution import compiled_operation
from stratabase.core.schema.execution.compiled_operation import CompiledOperation
from stratabase.core.schema.executor import SchemaExecutor
from tests.fakes import ADMINISTRATOR, DictEntities, fake_services
from tests.models import THINGS
from tests.rows import each_row

FULL = {
    "name": "chair",
    "code": "c",
    "notes": "long",
    "count": 3,
    "price": "1234.5",
    "good": True,
    "day": "2020-01-31",
    "hour": "10:30:00.000",
    "moment": "2020-01-31T23:30:00.000Z",
    "vintage": 1999,
    "colour": "RED",
}
PICTURE = {
    "fileId": "f1",
    "name": "a.png",
    "mimeType": "image/png",
    "size": 12,
    "uploadedOn": "2020-01-31T23:30:00.000Z",
}
OBJECTS: tuple[dict[str, Any], ...] = (
    {"_id": "full", **FULL, "picture": PICTURE},
    {"_id": "empty"},
    # Values of a type that an attribute no longer has: the executor refuses them, one by one.
    {
        "_id": "changed",
        "name": 7,
        "count": "x",
        "good": 1,
        "colour": "PINK",
        "vintage": "old",
        "picture": "p",
    },
)
IDS = ["full", "empty", "changed", "none"]


def stored(objects: int = len(OBJECTS)) -> tuple[Services, DictEntities]:
    services, entities, _ = fake_services(THINGS)
    for state in OBJECTS[:objects]:
        reference = Reference("Thing", state["_id"])
        entities.objects[reference] = Entity(reference, state)
    return services, entities


def answers(query: str, variables: dict[str, Any], *, compiled: bool, objects: int = 3) -> list[Any]:
    """Return the responses to a request that is sent twice: the second time its document is cached."""
    services, entities = stored(objects)
    executor = SchemaExecutor(services, lambda *_: None, compile_answers=compiled)
    found = [
        executor.execute(query, variables, None, ADMINISTRATOR, "trace", base_url="https://x")
        for _ in range(2)
    ]
    return [json.loads(answer.body) for answer in found] + [len(entities.commits)]


@each_row(
    "options",
    [
        "{next: $number}",
        '{next: 2, filter: {OR: [{_id___eq: "full"}, {_id___in: [$id]}]}}',
        "{next: 1, orderBy: [_id___DESC], fromCursor: {_id: $id}}",
    ],
)
def test_arguments_with_variables_are_read_on_each_execution(options: str) -> None:
    services, _ = stored()
    executor = SchemaExecutor(services, lambda *_: None)
    oracle = SchemaExecutor(services, lambda *_: None, compile_answers=False)
    variable = "$number: Int" if "$number" in options else "$id: ID!"
    query = f"query({variable}) {{ Thing___getPage(options: {options}) {{ items {{ _id }} }} }}"

    for number, id_ in enumerate([*IDS, *IDS]):
        given = {"number": number % 3} if "$number" in options else {"id": id_}
        asked = query, given, None, ADMINISTRATOR, "trace"
        body = executor.execute(*asked).body
        assert body == oracle.execute(*asked).body
        assert b"errors" not in body


@each_row(
    "mutation",
    [
        'a: Thing___create(data: {name: "a"}) { _id name } b: Thing___create(data: {name: "b"}) { _id }',
        'a: Thing___create(data: {name: "a", day: "01/01/2020"}) { day(format: "nonsense") }',
        'a: Thing___create(data: {name: "far too long"}) { _id } b: Thing___delete(_id: "full") { deleted }',
        'b: Thing___update(data: {_id: "changed", code: "x"}) { code count }',
    ],
)
def test_a_mutation_is_executed_once_compiled_or_not(mutation: str) -> None:
    query = f"mutation {{ {mutation} }}"

    assert answers(query, {}, compiled=True) == answers(query, {}, compiled=False)


def test_compiled_links_begin_with_the_base_url_of_their_request() -> None:
    services, _ = stored()
    executor = SchemaExecutor(services, lambda *_: None)
    query = '{ Thing___get(_id: "full") { picture { link } } }'

    bodies = [
        executor.execute(query, None, None, ADMINISTRATOR, "trace", base_url=f"https://x{n}").body
        for n in range(4)
    ]

    links = [json.loads(body)["data"]["Thing___get"]["picture"]["link"] for body in bodies]
    assert links == [f"https://x{n}/auth/file/thing/full/picture" for n in range(4)]


def test_compiled_validations_return_the_issues_of_the_executor() -> None:
    query = """{ Thing___validateCreate(data: {name: "far too long", day: "x"}) {
      isValid issues { issueType issueReferenceType attributeNames roleNames entityID } } }"""

    assert answers(query, {}, compiled=True) == answers(query, {}, compiled=False)


def test_invalid_variables_are_refused_like_by_the_executor() -> None:
    query = "query($id: ID!) { Thing___get(_id: $id) { name } }"

    assert answers(query, {"id": None}, compiled=True) == answers(query, {"id": None}, compiled=False)


@pytest.mark.parametrize(
    ("query", "variables"),
    [
        (
            "query($id: ID!) { Thing___get(_id: $id) { _id name price day colour __typename } }",
            {"id": "full"},
        ),
        ("{ Thing___getPage { items { ...F } totalCount nextCursor } } fragment F on Thing { moment }", {}),
        (
            '{ Thing___getPage(options: {next: 1}) { items { picture { link uploadedOn(format: "HH") } } } }',
            {},
        ),
        ('{ Thing___get(_id: "full") { picture { fileId link name size mimeType uploadedOn } } }', {}),
        ('mutation { Thing___update(data: {_id: "full", count: 1}) { count } }', {}),
        ('mutation { Thing___delete(_id: "none") { deleted } }', {}),
        (
            """{ Thing___validateCreate(data: {name: "far too long", day: "x"}) {
              isValid issues { issueType issueLevel attributeNames roleNames userMessage } } }""",
            {},
        ),
    ],
)
def test_operations_are_compiled(
    query: str, variables: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without this, every other test here would pass with a compiler that compiles nothing."""
    services, _ = stored()
    executor = SchemaExecutor(services, lambda *_: None)
    compiled: list[Any] = []
    data = CompiledOperation.data

    def noted(*given: Any) -> Any:
        compiled.append(data(*given))
        return compiled[-1]

    monkeypatch.setattr(CompiledOperation, "data", noted)

    for _ in range(2):
        executor.execute(query, variables, None, ADMINISTRATOR, "trace")

    assert len(compiled) == 2
    assert None not in compiled


def test_selections_of_the_same_kinds_share_compiled_code(monkeypatch: pytest.MonkeyPatch) -> None:
    services, _ = stored()
    executor = SchemaExecutor(services, lambda *_: None)
    executor.execute('{ Thing___get(_id: "full") { a: name b: count } }', None, None, ADMINISTRATOR, "trace")
    monkeypatch.setattr(compiled_operation, "compile", None, raising=False)
    monkeypatch.delattr("stratabase.core.schema.executor.execute_sync")

    query = '{ Thing___get(_id: "full") { code vintage } }'
    body = executor.execute(query, None, None, ADMINISTRATOR, "trace").body

    assert json.loads(body) == {"data": {"Thing___get": {"code": "c", "vintage": 1999}}}


def test_other_requests_proceed_while_a_long_page_is_shaped(monkeypatch: pytest.MonkeyPatch) -> None:
    services, entities = stored(0)
    for number in range(130):
        reference = Reference("Thing", f"{number:03}")
        entities.objects[reference] = Entity(reference, {"_id": reference.id, "count": number})
    executor = SchemaExecutor(services, lambda *_: None)
    turns: list[int] = []
    monkeypatch.setattr(waiting, "give_way", lambda: turns.append(len(turns)))

    def shown(size: int) -> list[dict[str, Any]]:
        query = f"{{ Thing___getPage(options: {{next: {size}}}) {{ items {{ count }} }} }}"
        body = executor.execute(query, None, None, ADMINISTRATOR, "trace").body
        items: list[dict[str, Any]] = json.loads(body)["data"]["Thing___getPage"]["items"]
        return items

    assert shown(50) == [{"count": number} for number in range(50)]
    before = len(turns)
    assert shown(130) == [{"count": number} for number in range(130)]
    assert len(turns) - 2 * before == 3


GET = '{ Thing___get(_id: "full") { name } }'


def left(query: str, variables: dict[str, Any] | None = None) -> tuple[str | None, list[BaseException], Any]:
    """Return why graphql-core executed a request, the faults that were reported, and the answer."""
    services, _ = stored()
    faults: list[BaseException] = []
    executor = SchemaExecutor(services, lambda fault, _trace_id: faults.append(fault))
    with record_usage() as usage:
        answer = executor.execute(query, variables, None, ADMINISTRATOR, "trace")
    return usage.graphql_core, faults, json.loads(answer.body)


def test_a_compiled_answer_is_none_of_graphql_core() -> None:
    assert left(GET) == (None, [], {"data": {"Thing___get": {"name": "chair"}}})


@pytest.mark.parametrize(
    ("query", "variables", "reason"),
    [
        (
            "query($yes: Boolean!) { Thing___getPage { totalCount @include(if: $yes) } }",
            {"yes": True},
            "unsupported",
        ),
        ('mutation { Thing___create(data: {name: "far too long"}) { _id } }', None, "refused"),
        ('{ Thing___get(_id: "full") { day(format: "nonsense") } }', None, "refused"),
        ("query($id: ID!) { Thing___get(_id: $id) { name } }", {"id": None}, "refused"),
    ],
)
def test_what_graphql_core_executes_is_counted(query: str, variables: dict[str, Any], reason: str) -> None:
    found, faults, _ = left(query, variables)
    assert (found, faults) == (reason, [])


def test_a_fault_of_a_compiled_operation_is_reported_and_graphql_core_answers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fault = TypeError("generated code")

    def fail(*_: Any) -> Any:
        raise fault

    monkeypatch.setattr(compiled_operation, "names_of", fail)

    assert left(GET) == ("fault", [fault], {"data": {"Thing___get": {"name": "chair"}}})


def test_a_fault_of_a_service_is_reported_once(monkeypatch: pytest.MonkeyPatch) -> None:
    fault = TypeError("a service")

    def fail(*_: Any, **__: Any) -> Any:
        raise fault

    monkeypatch.setattr(DictEntities, "read", fail)

    reason, faults, answer = left(GET)
    assert (reason, faults) == ("refused", [fault])
    assert answer["errors"][0]["extensions"]["issueType"] == "SERVER_ERROR"
