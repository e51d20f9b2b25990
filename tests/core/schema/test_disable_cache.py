"""`disableCache` reads the objects of a page again by key, because an index may lag."""

import json
from typing import Any

import pytest

from stratabase.core.domain.objects.entity import Entity, Reference
from stratabase.core.domain.query import cursor
from stratabase.core.domain.query.order import Order, OrderTerm, position_of
from stratabase.core.domain.query.page import Page, Query
from stratabase.core.schema.executor import SchemaExecutor
from tests.fakes import ADMINISTRATOR, fake_services
from tests.models import THING, THINGS

BY_COUNT = Order.of((OrderTerm("count"),))


def thing(id_: str, **state: Any) -> Entity:
    return Entity(Reference("Thing", id_), {"_id": id_, **state})


class LaggingApi:
    """The schema package over objects whose index shows an older state."""

    def __init__(self, *, compiled: bool = True) -> None:
        services, self.entities, _ = fake_services(THINGS)
        self.executor = SchemaExecutor(services, lambda *_: None, compile_answers=compiled)
        self.shown: tuple[Entity, ...] = ()
        self.entities.page = self._page  # type: ignore[assignment,method-assign]
        self.show(thing("1", count=1), thing("2", count=2), thing("3", count=3), thing("4", count=4))
        self.have(thing("1", count=1), thing("2", count=9), thing("3", count=3, name="new"))

    def _page(self, query: Query, *_: object) -> Page:
        return Page(self.shown if query.fields.items else (), 4, has_next=True, has_prev=False)

    def show(self, *entities: Entity) -> None:
        self.shown = entities

    def have(self, *entities: Entity) -> None:
        self.entities.objects.clear()
        self.entities.objects.update({entity.reference: entity for entity in entities})

    def ask(self, options: str, fields: str, disable: str = "true") -> Any:
        query = f"{{ Thing___getPage(options: {options}, disableCache: {disable}) {{ {fields} }} }}"
        answer = json.loads(self.executor.execute(query, {}, None, ADMINISTRATOR, "trace1").body)
        return answer["data"]["Thing___getPage"]


@pytest.fixture
def api() -> LaggingApi:
    return LaggingApi()


def test_with_the_cache_a_page_shows_the_index(api: LaggingApi) -> None:
    for disable in ("false", "null"):
        page = api.ask("{orderBy: [count___ASC]}", "items { _id count }", disable)
        assert [each["count"] for each in page["items"]] == [1, 2, 3, 4]


def test_without_the_cache_objects_are_current_and_deleted_ones_omitted(api: LaggingApi) -> None:
    page = api.ask("{orderBy: [count___DESC]}", "items { _id count name }")

    assert page["items"] == [
        {"_id": "2", "count": 9, "name": None},
        {"_id": "3", "count": 3, "name": "new"},
        {"_id": "1", "count": 1, "name": None},
    ]


def test_objects_that_no_longer_match_are_omitted(api: LaggingApi) -> None:
    page = api.ask("{filter: {count___lt: 5}}", "items { _id }")

    assert [each["_id"] for each in page["items"]] == ["1", "3"]


def test_cursors_stay_at_the_end_of_the_page_in_the_index(api: LaggingApi) -> None:
    """An object that has moved far ahead must not have the next page skip all that lies between."""
    page = api.ask("{orderBy: [count___ASC]}", "items { _id } nextCursor prevCursor")

    ends = (api.shown[-1], api.shown[0])
    assert [page["nextCursor"], page["prevCursor"]] == [
        cursor.encode_cursor(position_of(end.state, BY_COUNT), BY_COUNT, THING) for end in ends
    ]


def test_a_page_of_only_deleted_objects_still_has_a_cursor(api: LaggingApi) -> None:
    api.have()

    page = api.ask("{}", "items { _id } nextCursor hasNext")

    assert (page["items"], page["hasNext"]) == ([], True)
    assert page["nextCursor"] is not None


def test_unselected_objects_are_not_read(api: LaggingApi, monkeypatch: pytest.MonkeyPatch) -> None:
    def read(*_: object) -> None:
        raise AssertionError("nothing had to be read")

    monkeypatch.setattr(api.entities, "read", read)

    assert api.ask("{}", "totalCount") == {"totalCount": 4}


def test_objects_read_again_count_towards_the_read_budget(api: LaggingApi) -> None:
    api.ask("{}", "items { _id }")

    assert len(api.entities.allowances) == 1


def test_compiled_operations_return_the_same() -> None:
    compiled, plain = (
        [api.ask("{orderBy: [count___ASC]}", "items { _id count } nextCursor") for _ in range(3)]
        for api in (LaggingApi(compiled=True), LaggingApi(compiled=False))
    )

    assert compiled == plain
