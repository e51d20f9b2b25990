"""A request over a store that does not answer ends at its deadline, and says what may have been written."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import pytest

from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.core.domain.write.limits import BulkLimits
from stratabase.core.schema.executor import SchemaExecutor
from stratabase.core.store.repository import Repository
from stratabase.core.waiting import deadline_after, remaining_seconds
from stratabase_aws.dynamodb.client import Client, Unanswered, Unreached
from stratabase_aws.dynamodb.engine import DynamoDBEngine
from stratabase_aws.dynamodb.retry import RetryPolicy
from tests.contract.engine.dynamodb import TemporaryTable, over_ministack
from tests.fakes import ADMINISTRATOR, fake_services
from tests.graphs.staff import HR

LIMIT = 27.0
TIMEOUT = 3.0
WRITES = frozenset({"PutItem", "UpdateItem", "DeleteItem", "TransactWriteItems"})


class Clock:
    """A clock that only waiting moves, in seconds. As the clock of the service, in milliseconds."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds

    def now(self) -> int:
        return 1_700_000_000_000 + int(1000 * self.seconds)

    def sleep(self, seconds: float) -> None:
        self.seconds += seconds


class HangingClient:
    """Passes requests on until some number of writes; then each write hangs until it times out.

    With `executes`, a write that hangs is executed, and only its answer is missing.
    """

    def __init__(self, client: Client, clock: Clock) -> None:
        self._client = client
        self._clock = clock
        self.writes_that_answer = 0
        self.executes = False
        self.all_hang = False
        self.hung = 0

    def call(self, operation: str, parameters: Mapping[str, Any]) -> Mapping[str, Any]:
        if remaining_seconds() <= 0:
            raise Unreached("The deadline of the current request is over.")
        is_write = operation in WRITES
        if is_write and self.writes_that_answer > 0:
            self.writes_that_answer -= 1
        elif is_write or self.all_hang:
            self.hung += 1
            if is_write and self.executes:
                self._client.call(operation, parameters)
            self._clock.sleep(min(TIMEOUT, remaining_seconds()))
            raise Unanswered("timed out")
        return self._client.call(operation, parameters)

    def close(self) -> None:
        pass


class Api:
    """The API over a table that hangs."""

    def __init__(self, table: TemporaryTable) -> None:
        self.clock = Clock()
        self.client = HangingClient(table._client, self.clock)
        policy = RetryPolicy(sleep=self.clock.sleep, clock=self.clock)
        entities = Repository(DynamoDBEngine(self.client, table.name, policy), HR)
        services, _, _ = fake_services(HR)
        self.services = replace(
            services, entities=entities, clock=self.clock, bulk=BulkLimits(objects=1000, seconds=900)
        )
        self.executor = SchemaExecutor(self.services, lambda *_: None)
        self.client.writes_that_answer = 10**9
        made = self.ask(CREATE.format(fields=create("first")))  # this also writes the registry
        self.first = made["data"]["first"]["_id"]
        self.client.writes_that_answer = 0

    def ask(self, query: str) -> dict[str, Any]:
        """Send a request with a deadline, and return the response."""
        with deadline_after(LIMIT, self.clock):
            answer = self.executor.execute(query, {}, None, ADMINISTRATOR, "trace")
        return dict(json.loads(answer.body))

    def refusal(self, query: str) -> Unavailable:
        """Send a request, and return why the answer is 503."""
        with pytest.raises(Unavailable) as raised:
            self.ask(query)
        return raised.value

    def count(self) -> int:
        """Return the number of objects in the store."""
        self.client.all_hang = False
        return int(self.ask("{ Team___getPage { totalCount } }")["data"]["Team___getPage"]["totalCount"])


CREATE = "mutation {{ {fields} }}"


def create(name: str) -> str:
    return f'{name}: Team___create(data: {{name: "{name}"}}) {{ _id }}'


FOUR = CREATE.format(fields=" ".join(create(f"team{number}") for number in range(4)))


@pytest.fixture
def api() -> Iterator[Api]:
    table = over_ministack()
    yield Api(table)
    table.close()


def test_four_creates_over_a_hanging_table_end_at_the_deadline(api: Api) -> None:
    began = api.clock()
    refusal = api.refusal(FOUR)
    assert api.clock() - began <= LIMIT
    assert api.client.hung > 4
    assert refusal.may_have_written
    assert "might not have been saved" in str(refusal)
    assert refusal.retry_after >= 1


def test_without_a_deadline_they_take_longer(api: Api) -> None:
    began = api.clock()
    with pytest.raises(Unavailable):
        api.executor.execute(FOUR, {}, None, ADMINISTRATOR, "trace")
    assert api.clock() - began > LIMIT


@pytest.mark.parametrize("executes", [False, True])
def test_a_create_without_an_answer_is_never_refused(api: Api, *, executes: bool) -> None:
    api.client.executes = executes
    refusal = api.refusal(CREATE.format(fields=create("lost")))
    assert refusal.may_have_written
    assert "might not have been saved" in str(refusal)
    assert api.count() == 1 + executes


def test_what_is_not_sent_before_the_deadline_was_not_written(api: Api) -> None:
    api.client.all_hang = True
    api.clock.sleep(-1)  # so that the request below has other readings than the first one
    with deadline_after(0, api.clock), pytest.raises(Unavailable, match="time limit") as raised:
        api.executor.execute(FOUR, {}, None, ADMINISTRATOR, "trace")
    assert not raised.value.may_have_written
    assert api.client.hung == 0
    assert api.count() == 1


def test_an_object_that_was_written_is_reported_although_the_next_one_hangs(api: Api) -> None:
    api.client.writes_that_answer = 1
    response = api.ask(FOUR)
    assert response["data"]["team0"] is not None
    assert [each["path"] for each in response["errors"]] == [["team1"], ["team2"], ["team3"]]
    assert "might not have been saved" in response["errors"][0]["message"]


def test_an_object_that_was_written_and_cannot_be_read_back_is_reported_as_saved(api: Api) -> None:
    update = f'one: Team___update(data: {{_id: "{api.first}", founded: 1999}}) {{ head_count }}'
    api.client.writes_that_answer = 1

    def hang_after_writing(operation: str, parameters: Mapping[str, Any]) -> Mapping[str, Any]:
        api.client.all_hang = api.client.writes_that_answer == 0
        return call(operation, parameters)

    call = api.client.call
    api.client.call = hang_after_writing  # type: ignore[method-assign]
    response = api.ask(CREATE.format(fields=f"{update} {create('two')}"))
    api.client.call = call  # type: ignore[method-assign]
    assert response["data"] == {"one": None, "two": None}
    assert "was saved" in response["errors"][0]["message"]
    assert api.count() == 1


def test_a_bulk_operation_stops_early_enough_to_report_its_progress(api: Api) -> None:
    api.client.writes_that_answer = 10**9
    for number in range(5):
        api.ask(CREATE.format(fields=create(f"more{number}")))
    call = api.client.call

    def slowly(operation: str, parameters: Mapping[str, Any]) -> Mapping[str, Any]:
        api.clock.sleep(8.0 if operation in WRITES else 0)
        return call(operation, parameters)

    api.client.call = slowly  # type: ignore[method-assign]
    began = api.clock()
    response = api.ask("""mutation { Team___updateBulk(
      options: {filter: {_id___not___null: true}}, data: {founded: 1999}) { items { _id } } }""")
    assert api.clock() - began <= LIMIT
    assert "reached its time limit" in response["errors"][0]["message"]
