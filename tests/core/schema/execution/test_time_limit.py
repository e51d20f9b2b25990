"""Before each service and each object of a request, others proceed, and the request looks at its deadline."""

from collections.abc import Iterator

import pytest

from stratabase.core import waiting
from stratabase.core.waiting import deadline_after
from tests.core.schema.executor_api import ExecutorApi

NUMBER = 4
LATE = "The request reached its time limit, so this part of it wasn't executed. Request less at a time."
CREATES = (
    "mutation {"
    + "".join(f'c{n}: Thing___create(data: {{name: "n{n}"}}) {{name}} ' for n in range(NUMBER))
    + "}"
)
PAGES = "{" + "".join(f"p{n}: Thing___getPage {{totalCount}} " for n in range(NUMBER)) + "}"


class Turns(waiting.Blocking):
    """Notes how many objects are stored whenever other requests could proceed, which takes a second."""

    def __init__(self, api: ExecutorApi) -> None:
        self._api = api
        self.stored: list[int] = []

    def give_way(self) -> None:
        self.stored.append(len(self._api.entities.commits))

    def now(self) -> float:
        return len(self.stored)


@pytest.fixture(params=[True, False], ids=["compiled", "graphql-core"])
def api(request: pytest.FixtureRequest) -> ExecutorApi:
    """The executor, with compiled operations or without."""
    return ExecutorApi(compile_answers=request.param)


@pytest.fixture
def turns(api: ExecutorApi) -> Iterator[Turns]:
    turns = Turns(api)
    waiting.install(turns)
    yield turns
    waiting.install(waiting.Blocking())


def test_others_proceed_before_each_service_that_writes(api: ExecutorApi, turns: Turns) -> None:
    assert "errors" not in api.ask(CREATES)
    assert {*range(NUMBER)} <= {*turns.stored}


def test_others_proceed_before_each_service_that_reads(api: ExecutorApi, turns: Turns) -> None:
    assert "errors" not in api.ask(PAGES)
    assert len(turns.stored) >= NUMBER


def test_a_query_ends_at_the_deadline_between_two_services(api: ExecutorApi, turns: Turns) -> None:
    api.ask(PAGES)
    needed = len(turns.stored)
    turns.stored.clear()

    with deadline_after(needed - 1.5, turns.now):
        response = api.ask(PAGES)

    assert response["data"]["p0"] == {"totalCount": 0}
    assert response["data"][f"p{NUMBER - 1}"] is None
    assert {error["message"] for error in response["errors"]} == {LATE}


def test_services_after_the_deadline_are_not_executed(api: ExecutorApi, turns: Turns) -> None:
    """What was written before is shown, and each of the others has an error that says what to do."""
    with deadline_after(1000, turns.now):
        assert "errors" not in api.ask(CREATES)
    needed = len(turns.stored)
    turns.stored.clear()
    before = len(api.entities.commits)

    with deadline_after(needed / 2, turns.now):
        response = api.ask(CREATES)

    done = [key for key, value in response["data"].items() if value is not None]
    assert 0 < len(done) < NUMBER
    assert len(api.entities.commits) - before == len(done)
    assert [error["path"] for error in response["errors"]] == [[f"c{n}"] for n in range(len(done), NUMBER)]
    assert {error["message"] for error in response["errors"]} == {LATE}
    assert api.reported == []
