"""Scans: all items once, partition by partition, from any key on."""

import pytest

from stratabase.core.store.engine.port import DeleteItem, Engine, IndexKey, Item, Key
from tests.contract.engine.engine_calls import commit, put
from tests.contract.engine.engines import KINDS, EngineImplementation
from tests.soak import mostly


@pytest.fixture(
    params=mostly([each for each in KINDS if each.scans], "dynamodb-moto"), ids=lambda kind: kind.name
)
def kind(request: pytest.FixtureRequest) -> EngineImplementation:
    """A kind of engine that scans."""
    kind: EngineImplementation = request.param
    return kind


def scanned(engine: Engine, after: Key | None = None) -> list[Item]:
    return [item for page in engine.scan(after) for item in page]


def test_a_scan_of_an_empty_store_is_empty(engine: Engine) -> None:
    assert scanned(engine) == []


def test_a_scan_returns_every_item_once_and_completely(engine: Engine, kind: EngineImplementation) -> None:
    items = [
        Item(Key(f"p{number % 7}", f"{number:05}"), {"n": number}, "{}", {"index1": IndexKey("x", "y")})
        for number in range(min(kind.many, 600))
    ]
    put(engine, items)
    found = scanned(engine)
    assert sorted(found, key=lambda item: item.key) == sorted(items, key=lambda item: item.key)
    for partition in {item.key.partition for item in items}:
        sorts = [item.key.sort for item in found if item.key.partition == partition]
        assert sorts == sorted(sorts)


def test_a_scan_goes_on_after_any_key_also_of_a_deleted_item(engine: Engine) -> None:
    put(engine, [Item(Key(partition, sort)) for partition in ("p", "q", "r") for sort in ("a", "b", "c")])
    order = [item.key for item in scanned(engine)]
    assert len(order) == 9
    for at, key in enumerate(order):
        assert [item.key for item in scanned(engine, key)] == order[at + 1 :]
    commit(engine, DeleteItem(order[4]))
    assert [item.key for item in scanned(engine, order[4])] == order[5:]
