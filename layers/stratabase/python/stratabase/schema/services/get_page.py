"""`<C>___getPage`: the objects of a class that match a filter, in an order, a page at a time."""

from typing import Any

from graphql import GraphQLField

from stratabase.domain import cursor
from stratabase.domain.order import Order, position_of
from stratabase.domain.page import Page, Wanted
from stratabase.model.class_ import Class
from stratabase.operations.read import page
from stratabase.schema.context import Call
from stratabase.schema.fixed import with_default
from stratabase.schema.generation import Generation
from stratabase.schema.names import Family
from stratabase.schema.options import DEFAULT_OPTIONS
from stratabase.schema.query_reading import QueryReader
from stratabase.schema.services.service import Service, answered

_CURSORS = {"nextCursor": -1, "prevCursor": 0}
"""The cursors of a page, each with the item whose position it is."""


def _field(generation: Generation, class_: Class) -> GraphQLField:
    reader = QueryReader(class_)

    def answer(call: Call) -> dict[str, Any]:
        options = call.arguments.get("options") or {}
        query = reader.read(options, _wanted(call.selected), call.context.caller.formats)
        found = page(call.context.world, query, call.context.allowance)
        return _fields(found) | _cursors(found, call.selected, query.order, class_)

    return answered(
        generation.of(Family.PAGE, class_),
        {"options": with_default(generation.of(Family.OPTIONS, class_), DEFAULT_OPTIONS)},
        answer,
        f"A page of the {class_.name} objects that match a filter.",
    )


def _wanted(selected: frozenset[str]) -> Wanted:
    return Wanted(
        items="items" in selected or not selected.isdisjoint(_CURSORS),
        total_count="totalCount" in selected,
        has_next="hasNext" in selected,
        has_prev="hasPrev" in selected,
    )


def _fields(found: Page) -> dict[str, Any]:
    return {
        "items": [entity.state for entity in found.items],
        "totalCount": found.total_count,
        "hasNext": found.has_next,
        "hasPrev": found.has_prev,
    }


def _cursors(found: Page, selected: frozenset[str], order: Order, class_: Class) -> dict[str, str]:
    if not found.items:
        return {}
    return {
        name: cursor.encode(position_of(found.items[item].state, order), order, class_)
        for name, item in _CURSORS.items()
        if name in selected
    }


SERVICE = Service("getPage", _field)
