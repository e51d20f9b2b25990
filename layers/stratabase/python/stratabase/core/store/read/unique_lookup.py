"""Finds the object with given unique values by their guard, which is strongly consistent."""

import unicodedata
from collections.abc import Sequence
from typing import Final

from stratabase.core.domain.issues.refusals import ReadBudgetExceeded
from stratabase.core.domain.objects.entity import Entity, Reference, State
from stratabase.core.domain.query.filter import And, Comparison, Filter
from stratabase.core.domain.query.order import Order
from stratabase.core.domain.query.page import Query
from stratabase.core.domain.query.read_budget import ReadBudget
from stratabase.core.model.model import Class, Unique
from stratabase.core.model.types.base import Stored
from stratabase.core.model.types.operators import Operator
from stratabase.core.store.engine.port import Engine, Item, Key
from stratabase.core.store.engine.read_limiter import ReadLimiter, approximate_bytes
from stratabase.core.store.layout import codec, keys
from stratabase.core.store.layout.object_items import guard_holder, guard_key, live_head

_MAX_READS = 4
"""The maximum number of reads of a guard and its holder. A commit may show one of them before the other."""
_FORMS: Final = ("NFC", "NFD")


def find_by_unique(
    engine: Engine, class_: Class, unique: Unique, values: State, budget: ReadBudget
) -> Entity | None:
    """Return the object that holds the guard of unique values, None if there is none.

    Raises ReadBudgetExceeded.
    """
    key = guard_key(class_, unique, values)
    for _ in range(_MAX_READS if key else 0):
        assert key
        guard = _read(engine, class_, key, budget)
        if guard is None:
            return None
        head = live_head(
            _read(engine, class_, keys.head(Reference(class_.name, str(guard_holder(guard)))), budget)
        )
        entity = None if head is None else codec.entity_of(head, class_)
        if entity is not None and guard_key(class_, unique, entity.state) == key:
            return entity
    return None


def find_holders(
    engine: Engine, class_: Class, unique: Unique, values: Sequence[State], limiter: ReadLimiter
) -> list[Item]:
    """Return the heads of the objects that hold the guards of several unique values.

    They are read as by `find_by_unique`, and all together. Raises ReadBudgetExceeded.
    """
    pending = list(dict.fromkeys(key for each in values if (key := guard_key(class_, unique, each))))
    found: dict[Key, Item] = {}
    for _ in range(_MAX_READS):
        if not pending:
            break
        guards = limiter.spend(engine.get(pending, places=False))
        held = [
            (key, Reference(class_.name, holder))
            for key, guard in zip(pending, guards, strict=True)
            if (holder := guard_holder(guard)) is not None
        ]
        wanted = [keys.head(reference) for _, reference in held]
        heads = limiter.spend(engine.get(wanted, places=False)) if held else ()
        pending = []
        for (key, _reference), item in zip(held, heads, strict=True):
            head = live_head(item)
            if head is not None and guard_key(class_, unique, codec.state_of(head, class_)) == key:
                found[key] = head
            else:
                pending.append(key)
    return list(found.values())


def candidates_query(class_: Class, unique: Unique, values: State) -> Query:
    """Return a query for objects that may have unique values, for a constraint that is not built yet."""
    terms = (_one_of(name, values.get(name)) for name in unique.attributes)
    return Query(class_.name, Order(), And(tuple(terms)))


def has_values(class_: Class, unique: Unique, entity: Entity, values: State) -> bool:
    """Return whether the values of an object need the same guard as given values."""
    key = guard_key(class_, unique, values)
    return key is not None and guard_key(class_, unique, entity.state) == key


def _one_of(name: str, value: Stored) -> Filter:
    """Return the filter for a value in all of its Unicode normalization forms, which share a guard."""
    if not isinstance(value, str):
        return Comparison(name, Operator.EQ, value)
    spellings = dict.fromkeys((value, *(unicodedata.normalize(form, value) for form in _FORMS)))
    return Comparison(name, Operator.IN, tuple(spellings))


def _read(engine: Engine, class_: Class, key: Key, budget: ReadBudget) -> Item | None:
    if budget.is_exhausted:
        raise ReadBudgetExceeded(class_.name)
    items = engine.get([key], places=False)
    budget.charge(approximate_bytes(items))
    return items[0]
