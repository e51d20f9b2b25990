"""Operations over tables of the emulator, and functions that read the content of a table."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from stratabase.core.domain.objects.entity import Reference
from stratabase.core.domain.write import commands
from stratabase.core.model.model import Class, Index, Unique
from stratabase.core.operations.context import Services
from stratabase.core.operations.ports import Ids
from stratabase.core.operations.write.services import delete, save
from stratabase.core.store.engine.port import Engine, Item, Key
from stratabase.core.store.indexes.registry import parse_registry
from stratabase.core.store.layout import keys, object_items
from stratabase.core.store.layout.codec import entity_of
from stratabase.core.store.layout.object_items import HOLDER, live_head, unique_constraint
from stratabase.core.store.repository import Repository
from stratabase.core.store.write.guard_writes import unique_claims
from stratabase_aws.dynamodb.records import items_of
from tests.contract.engine.dynamodb import TemporaryTable, over_ministack
from tests.fakes import ADMINISTRATOR, fake_services
from tests.listing import listing_place
from tests.models import THING, model

PLAIN = replace(THING, name="Plain", uniques=(), indexes=(Index(("count",)),))
UNIQUE = replace(PLAIN, name="Unique", uniques=(Unique(("code",)),))
REMEMBERED = replace(UNIQUE, name="Remembered", versioned=True)

TableItems = Mapping[Key, Item]
"""All that is in a table."""
OperationCall = Callable[[Services, Class], Any]
Codes = Mapping[str, str | None]
"""The code of each object, by its id."""


@contextmanager
def table() -> Iterator[TemporaryTable]:
    """Open a faultless engine on an empty table."""
    engine = over_ministack()
    try:
        yield engine
    finally:
        engine.close()


def services_over(engine: Engine, class_: Class, ids: Ids | None = None) -> Services:
    """Return services with empty caches, whose IDs by default are id1, id2 …"""
    served = model(class_)
    services, _, _ = fake_services(served)
    return replace(services, entities=Repository(engine, served), ids=ids or services.ids)


def table_items(engine: TemporaryTable) -> TableItems:
    """Return all items of a table."""
    scan: dict[str, Any] = {"TableName": engine.name, "ConsistentRead": True}
    found = dict[Key, Item]()
    while True:
        answer = engine._client.call("Scan", scan)
        found |= {item.key: item for item in items_of(answer["Items"])}
        if "LastEvaluatedKey" not in answer:
            return found
        scan["ExclusiveStartKey"] = answer["LastEvaluatedKey"]


def codes(items: TableItems) -> Codes:
    """Return the code of each existing object, by its ID."""
    found = (entity_of(item) for item in _heads(items))
    kept = ((entity.reference.id, entity.state.get("code")) for entity in found)
    return {id_: None if code is None else str(code) for id_, code in kept}


def disagreements(items: TableItems, class_: Class, unguarded: Codes) -> list[str]:
    """Return where objects, guards and index entries disagree. `unguarded` values must have no guard."""
    paths = parse_registry(items.get(keys.REGISTRY)).paths(class_.name)
    objects = [entity_of(item) for item in _heads(items)]
    wanted = {
        key: each.reference.id
        for each in objects
        for key in unique_claims([unique_constraint(class_, unique) for unique in class_.uniques], each)
        if unguarded.get(each.reference.id) != each.state["code"]
    }
    guards = {key: item.attributes[HOLDER] for key, item in items.items() if key.sort == "U"}
    misplaced = [
        f"{each.reference.id} lies in {items[keys.head(each.reference)].places}"
        for each in objects
        if items[keys.head(each.reference)].places
        != {keys.LISTING: listing_place(each.reference)} | object_items.index_places(each, paths)
    ]
    return misplaced if guards == wanted else [f"the guards are {guards}, not {wanted}", *misplaced]


def _heads(items: TableItems) -> list[Item]:
    """Return the heads of existing objects."""
    return [item for key, item in items.items() if key.sort == keys.HEAD and live_head(item)]


def creating(code: str | None = None) -> OperationCall:
    """Return a function that creates an object."""
    return lambda services, class_: save(services, _create(class_, code), ADMINISTRATOR).entity


def saving_new(code: str | None = None) -> OperationCall:
    """Return a function that creates an object by saving it."""
    return lambda services, class_: save(services, _create(class_, code), ADMINISTRATOR).entity


def _create(class_: Class, code: str | None) -> commands.Create:
    return commands.Create(class_.name, {"name": "new", "code": code, "count": 2})


def updating(id_: str, **arguments: Any) -> OperationCall:
    """Return a function that updates an object."""
    return lambda services, class_: save(services, _update(class_, id_, arguments), ADMINISTRATOR).entity


def saving(id_: str, **arguments: Any) -> OperationCall:
    """Return a function that updates an object by saving it."""
    return lambda services, class_: save(services, _update(class_, id_, arguments), ADMINISTRATOR).entity


def _update(class_: Class, id_: str, data: Mapping[str, Any]) -> commands.Update:
    return commands.Update(Reference(class_.name, id_), data)


def deleting(id_: str) -> OperationCall:
    """Return a function that deletes an object."""
    return lambda services, class_: delete(
        services, commands.Delete(Reference(class_.name, id_)), ADMINISTRATOR
    )
