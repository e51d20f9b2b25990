"""Versions of parts: a part whose whole is deleted, and a part that a former version of its whole lacks."""

import json
from typing import Any

from stratabase.core.domain.objects.version import format_version_instant
from stratabase.core.model.model import Model
from stratabase.core.model.reading import read_model
from stratabase.core.operations.context import Services
from stratabase.core.schema.executor import SchemaExecutor
from stratabase.core.store.repository import Repository
from stratabase.values.formats.preferences import DEFAULT_FORMATS
from tests.contract.engine.reference import ReferenceEngine
from tests.core.schema.graph_api import OrderedIds
from tests.fakes import ADMINISTRATOR, NOON, FrozenClock, unlimited_budget

MODEL = read_model(
    """extend schema @application(name: "Orders")
    type Order { name: String lines: [Line!] @composition(whole: "order_") }
    type Line @class(versioned: true, exposed: true) { text: String }""",
    "m",
)


PARTS_WITHOUT_VERSIONS = read_model(
    """extend schema @application(name: "Orders")
    type Order @class(versioned: true) {
        name: String
        lines: [Line!] @composition(whole: "order_")
        mentions: [Line!] @association(opposite: "about")
    }
    type Line { text: String about: Order @association(opposite: "mentions") }""",
    "m",
)


class OrderApi:
    """Orders, written one second apart."""

    def __init__(self, model: Model = MODEL) -> None:
        self.clock = FrozenClock()
        services = Services(
            model, Repository(ReferenceEngine(), model), self.clock, OrderedIds(), unlimited_budget
        )
        self._executor = SchemaExecutor(services, lambda *_: None)

    def ask(self, query: str) -> Any:
        """Return the value of the only field of a response without errors."""
        self.clock.instant += 1000
        body = json.loads(self._executor.execute(query, {}, None, ADMINISTRATOR, "trace").body)
        assert "errors" not in body, body
        (found,) = body["data"].values()
        return found


def test_a_page_shows_versions_of_a_part_of_a_deleted_whole() -> None:
    api = OrderApi()
    selected = "_id lines { items { _id } }"
    order = api.ask(f'mutation {{ Order___create(data: {{lines: [{{text: "a"}}]}}) {{ {selected} }} }}')
    line = order["lines"]["items"][0]["_id"]
    update = f'lines: {{update: [{{_id: "{line}", text: "b"}}]}}'
    api.ask(f'mutation {{ Order___update(data: {{_id: "{order["_id"]}", {update}}}) {{ _id }} }}')
    shown = "text order_ { _id }"
    page = f'{{ Line___getVersionPage(_id: "{line}") {{ totalCount items {{ {shown} }} }} }}'
    before = api.ask(page)
    assert [item["text"] for item in before["items"]] == ["a", "b"]
    api.ask(f'mutation {{ Order___delete(_id: "{order["_id"]}") {{ deleted }} }}')
    after = [{**item, "order_": None} for item in before["items"]]
    assert api.ask(page) == {"totalCount": 2, "items": after}
    for second, version in zip((1, 2), after, strict=True):
        at = format_version_instant(NOON + second * 1000, DEFAULT_FORMATS)
        query = f'{{ Line___getVersion(_id: "{line}", atVersion: "{at}") {{ {shown} }} }}'
        assert api.ask(query) == version


def test_a_version_shows_only_parts_listed_by_its_whole_at_that_time() -> None:
    api = OrderApi(PARTS_WITHOUT_VERSIONS)
    order = api.ask('mutation { Order___create(data: {name: "a"}) { _id } }')["_id"]
    line = f'lines: {{create: [{{text: "new", about: "{order}"}}]}}'
    api.ask(f'mutation {{ Order___update(data: {{_id: "{order}", name: "b", {line}}}) {{ _id }} }}')
    shown = "items { name lines { items { text } } mentions { items { text } } }"
    items = api.ask(f'{{ Order___getVersionPage(_id: "{order}") {{ {shown} }} }}')["items"]
    new = {"items": [{"text": "new"}]}
    assert items == [
        {"name": "a", "lines": {"items": []}, "mentions": {"items": []}},
        {"name": "b", "lines": new, "mentions": new},
    ]
