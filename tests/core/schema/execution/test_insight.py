"""`insight` reports storage calls of a service, to administrators only."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest

from stratabase.core.domain.caller import Caller
from stratabase.core.domain.objects.entity import Entity, Reference
from stratabase.core.domain.query.read_budget import Consumption, Note
from stratabase.core.domain.query.taken_plan import AdvisedIndex, NotePlan, TakenPlan
from stratabase.core.schema.executor import SchemaExecutor
from tests.fakes import ADMINISTRATOR, fake_services
from tests.models import THINGS
from tests.rows import each_row

CLERK = Caller("2", "bert", "Clerk")
GET = Consumption("get", None, 1, 1, 300, 1.0, 0, 0.1234567, after=1)
RANGE = Consumption("range", "index1", 1, 10, 4000, 0.5, 0, 1.0)
SCAN = TakenPlan("Thing", "read all, and sort", AdvisedIndex("Thing", ("name", "day")))
BY_KEY = TakenPlan("Other", "get the object")
TOTALS = {
    "roundTrips": 2,
    "readUnits": 1.5,
    "writeUnits": 0,
    "items": 11,
    "bytes": 4300,
    "milliseconds": 1.123,
}


class InsightApi:
    """The schema package over a store with constant costs."""

    def __init__(self, *, compiled: bool = True) -> None:
        services, self.entities, _ = fake_services(THINGS)
        reference = Reference("Thing", "1")
        self.entities.objects[reference] = Entity(reference, {"_id": "1", "name": "chair"})
        self.measured = 0
        self.executor = SchemaExecutor(
            replace(services, measuring=self._measuring, recording_plans=self._recording_plans),
            lambda *_: None,
            compile_answers=compiled,
        )

    @contextmanager
    def _measuring(self, note: Note) -> Iterator[None]:
        self.measured += 1
        for consumed in (RANGE, GET):
            note(consumed)
        yield

    @contextmanager
    def _recording_plans(self, note: NotePlan) -> Iterator[None]:
        for plan in (SCAN, BY_KEY, SCAN):
            note(plan)
        yield

    def ask(self, query: str, caller: Caller = ADMINISTRATOR, **variables: Any) -> Any:
        return json.loads(self.executor.execute(query, variables, None, caller, "trace1").body)


@pytest.fixture
def api() -> InsightApi:
    return InsightApi()


def test_light_insight_reports_the_totals(api: InsightApi) -> None:
    answer = api.ask('{ Thing___get(_id: "1", insight: LIGHT) { name } }')

    assert answer == {"data": {"Thing___get": {"name": "chair"}}, "extensions": {"insight": TOTALS}}


def test_full_insight_reports_each_call_as_well(api: InsightApi) -> None:
    answer = api.ask('{ mine: Thing___get(_id: "1", insight: FULL) { name } }')

    calls = answer["extensions"]["insight"].pop("calls")
    del answer["extensions"]["insight"]["plans"]
    assert answer["extensions"]["insight"] == TOTALS
    assert calls == [
        {
            "path": ["mine"],
            "kind": "range",
            "index": "index1",
            "roundTrips": 1,
            "readUnits": 0.5,
            "writeUnits": 0,
            "items": 10,
            "bytes": 4000,
            "milliseconds": 1.0,
        },
        {
            "path": ["mine"],
            "kind": "get",
            "index": None,
            "roundTrips": 1,
            "readUnits": 1.0,
            "writeUnits": 0,
            "items": 1,
            "bytes": 300,
            "milliseconds": 0.123,
        },
    ]


def test_full_insight_reports_each_plan_once_with_the_index_that_would_help(api: InsightApi) -> None:
    answer = api.ask('{ mine: Thing___get(_id: "1", insight: FULL) { name } }')

    assert answer["extensions"]["insight"]["plans"] == [
        {
            "path": ["mine"],
            "entityName": "Thing",
            "description": "read all, and sort",
            "missingIndex": {"entityName": "Thing", "attributeNames": ["name", "day"]},
        },
        {"path": ["mine"], "entityName": "Other", "description": "get the object", "missingIndex": None},
    ]


@pytest.mark.parametrize("argument", ["", ", insight: null"])
def test_insight_is_measured_only_on_request(argument: str, api: InsightApi) -> None:
    answer = api.ask(f'{{ Thing___get(_id: "1"{argument}) {{ name }} }}')

    assert (list(answer), api.measured) == (["data"], 0)


def test_several_services_report_together_at_their_own_levels(api: InsightApi) -> None:
    answer = api.ask(
        """{
          light: Thing___get(_id: "1", insight: LIGHT) { name }
          full: Thing___getPage(insight: FULL) { totalCount }
          silent: Thing___getPage { totalCount }
        }"""
    )

    insight = answer["extensions"]["insight"]
    assert (insight["roundTrips"], insight["readUnits"]) == (4, 3.0)
    assert [call["path"] for call in insight["calls"]] == [["full"], ["full"]]


@pytest.mark.parametrize(
    ("query", "result"),
    [
        ('{ Thing___get(_id: "1", insight: LIGHT) { name } }', "Thing___get"),
        ('mutation { Thing___delete(_id: "1", insight: FULL) { deleted } }', "Thing___delete"),
    ],
)
def test_insight_is_refused_to_other_members_before_execution(
    query: str, result: str, api: InsightApi
) -> None:
    answer = api.ask(query, CLERK)

    (error,) = answer["errors"]
    assert answer["data"] == {result: None}
    assert error["extensions"]["issueType"] == "APPLICATION_ACCESS_FORBIDDEN"
    assert error["extensions"]["sourceRequestReference"] == f"{result}.insight"
    assert "extensions" not in answer
    assert (api.measured, api.entities.commits) == (0, [])


def test_insight_reports_writes_as_well(api: InsightApi) -> None:
    answer = api.ask('mutation { Thing___delete(_id: "1", insight: LIGHT) { deleted } }')

    assert answer == {"data": {"Thing___delete": {"deleted": True}}, "extensions": {"insight": TOTALS}}


def test_insight_reports_the_cost_of_a_refused_service(api: InsightApi) -> None:
    answer = api.ask("{ Thing___getPage(options: {next: -1}, insight: LIGHT) { totalCount } }")

    assert answer["errors"][0]["extensions"]["issueType"] == "MALFORMED_REQUEST"
    assert answer["extensions"]["insight"] == TOTALS


@each_row("level", ["LIGHT", "FULL", None])
@each_row("caller", [ADMINISTRATOR, CLERK])
def test_insight_does_not_change_compiled_answers(level: str | None, caller: Caller) -> None:
    query = """query($level: InsightType) {
      one: Thing___get(_id: "1", insight: $level) { name day(format: "bbb") }
      all: Thing___getPage(insight: $level) { items { name } }
    }"""
    rooms = InsightApi(compiled=True), InsightApi(compiled=False)

    compiled, plain = ([api.ask(query, caller, level=level) for _ in range(3)] for api in rooms)

    assert compiled == plain
    assert rooms[0].measured == rooms[1].measured
