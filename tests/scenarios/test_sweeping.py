"""Remains of a deletion are deleted soon: by the running service, or by the scheduled function."""

import json
from collections.abc import Callable, Iterator, Mapping
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from stratabase.core.domain.caller import Caller
from stratabase.core.store.write import cleanup
from stratabase_aws.functions import app
from tests.lambda_stack.functions import FunctionContext, load_function
from tests.lambda_stack.template import read_template
from tests.repository import ROOT
from tests.scenarios.graph_client import over_dynamodb, over_sqlite
from tests.service import eventually, running
from tests.soak import mostly

MODEL = Path(__file__).parent / "models/fleet.graphql"
EVENT = json.loads((ROOT / "events/schedules/sweep.json").read_text())
SWEEP = next(each for each in read_template(ROOT / "template.yaml").functions if each.name == "SweepFunction")
ADMINISTRATOR = Caller("1", "ada", "Administrator", administrator=True)
NUMBER, TOGETHER = 40, 20
"""Of vans with a tyre each, more than are deleted together; that many are made together."""


class StoppedDeletion(NamedTuple):
    """The store after a deletion that was stopped immediately."""

    home: Path
    settings: Mapping[str, str]
    fleet: str
    maker: str


_tables = count()


def over_a_table_of_its_own() -> Mapping[str, str]:
    return over_dynamodb(f"leftovers{next(_tables)}")()


@pytest.fixture
def left(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[StoppedDeletion]:
    """A fleet that is deleted, while its parts still wait for the cleanup."""
    settings = request.param()
    home = tmp_path / "home"
    home.mkdir()
    for name, value in {"STRATABASE_HOME": str(home), "STRATABASE_MODEL": str(MODEL), **settings}.items():
        monkeypatch.setenv(name, value)
    app.cache_clear()
    monkeypatch.setattr(cleanup, "MAX_CLEANUP_SECONDS", 0)
    try:
        yield deleted(home, settings)
    finally:
        app().close()
        app.cache_clear()


def deleted(home: Path, settings: Mapping[str, str]) -> StoppedDeletion:
    maker = create_object("Maker", name="m")
    fleet = create_object("Fleet", name="f")
    for first in range(0, NUMBER, TOGETHER):
        vans = [{"tyres": [tyre(each, maker)]} for each in range(first, first + TOGETHER)]
        ask(UPDATE, {"data": {"_id": fleet, "vans": {"create": vans}}})
    assert ask(f'mutation {{ Fleet___delete(_id: "{fleet}") {{ deleted }} }}') == {"deleted": True}
    return StoppedDeletion(home, settings, fleet, maker)


def tyre(number: int, maker: str) -> dict[str, str]:
    return {"code": f"c{number}", "maker": maker}


def answer(query: str, variables: Mapping[str, Any] | None = None) -> Any:
    """Return this process's response to a request."""
    body = app().executor.execute(query, variables or {}, None, ADMINISTRATOR, "trace").body
    return json.loads(body)


def ask(query: str, variables: Mapping[str, Any] | None = None) -> Any:
    body = answer(query, variables)
    assert "errors" not in body, body["errors"]
    (value,) = body["data"].values()
    return value


def creation(class_name: str) -> str:
    return f"mutation($data: {class_name}Create!) {{ {class_name}___create(data: $data) {{ _id }} }}"


def create_object(class_name: str, **data: Any) -> str:
    return str(ask(creation(class_name), {"data": data})["_id"])


UPDATE = "mutation($data: FleetUpdate!) { Fleet___update(data: $data) { _id } }"
TYRES = "{ Tyre___getPage { totalCount hasNext items { code } } }"
NONE = {"totalCount": 0, "hasNext": False, "items": []}


def on_stores(rare: Callable[[], Mapping[str, str]]) -> pytest.MarkDecorator:
    """Run a test on both stores, on one of them only in `make soak`."""
    stores = mostly([over_sqlite, over_a_table_of_its_own], rare.__name__)
    return pytest.mark.parametrize("left", stores, indirect=True, ids=["sqlite", "dynamodb"])


@on_stores(rare=over_sqlite)
def test_the_scheduled_function_deletes_what_a_deletion_left(left: StoppedDeletion) -> None:
    """Until then it is invisible, but it can block other writes."""
    assert ask(TYRES) == NONE
    assert "errors" in answer(f'mutation {{ Maker___delete(_id: "{left.maker}") {{ deleted }} }}')

    load_function(SWEEP).handler(EVENT, FunctionContext(SWEEP))

    assert ask(TYRES) == NONE
    assert ask("{ Van___getPage { totalCount } }")["totalCount"] == 0
    assert ask(f'mutation {{ Maker___delete(_id: "{left.maker}") {{ deleted }} }}') == {"deleted": True}
    other = create_object("Maker", name="other")
    create_object("Fleet", name="g", vans=[{"tyres": [tyre(each, other)]} for each in range(TOGETHER)])
    assert ask("{ Tyre___getPage { totalCount } }") == {"totalCount": TOGETHER}


@pytest.mark.local
@on_stores(rare=over_a_table_of_its_own)
def test_a_starting_service_deletes_what_another_left(left: StoppedDeletion) -> None:
    options = {"model": MODEL, "application": "Fleet", "settings": left.settings}
    with running(left.home, **options) as service:
        assert service.graphql(TYRES) == {"data": {"Tyre___getPage": NONE}}
        query = "mutation($id: ID!) { Maker___delete(_id: $id) { deleted } }"
        deleted = {"data": {"Maker___delete": {"deleted": True}}}

        eventually(lambda: service.graphql(query, {"id": left.maker}) == deleted)

        assert "sweep" not in service.log().lower()
