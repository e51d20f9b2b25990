"""Finds an object with all parts that it has or had, whether they are deleted or not."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

import orjson

from stratabase.core.domain.objects.entity import Reference, part_ids, whole_of
from stratabase.core.model.model import Model
from stratabase.core.store.engine.port import ITEMS, Bounds, Engine, Item
from stratabase.core.store.layout import codec, keys, ledgers
from stratabase.core.store.layout.object_items import live_head

_ALL_VERSIONS = Bounds(keys.VERSIONS, f"{keys.VERSIONS[:-1]}$", high_included=False)


class PartsEver:
    """The objects of a store with the parts that each has or had."""

    def __init__(self, engine: Engine, model: Model) -> None:
        """`model`: with stored names."""
        self._engine = engine
        self._model = model

    def closure(self, roots: Sequence[Reference]) -> dict[Reference, list[Item]]:
        """Return objects and all parts that they have or had, with their heads, tombstones and versions."""
        found: dict[Reference, list[Item]] = {}
        waiting: list[tuple[Reference, Reference | None]] = [(root, None) for root in roots]
        while waiting:
            reference, whole = waiting.pop()
            if reference in found:
                continue
            items = list(
                chain.from_iterable(self._engine.range(ITEMS, keys.head(reference).partition, _ALL_VERSIONS))
            )
            if whole is not None and self._belongs_elsewhere(reference, items, whole):
                continue
            found[reference] = items
            parts = chain(self._parts(reference, items), self._parts_left(reference))
            waiting += [(part, reference) for part in parts]
        return found

    def _belongs_elsewhere(self, part: Reference, items: Sequence[Item], whole: Reference) -> bool:
        """Return whether a part exists and has another whole now."""
        heads = [item for item in items if item.key.sort == keys.HEAD and live_head(item) is not None]
        if not heads:
            return False
        class_ = self._model.classes[part.class_name]
        now = whole_of(class_, codec.raw_state(heads[0]))
        return now is not None and now.reference != whole

    def _parts(self, reference: Reference, items: Iterable[Item]) -> Iterator[Reference]:
        """Yield the parts in the states of an object."""
        class_ = self._model.classes[reference.class_name]
        if not class_.compositions:
            return
        for item in items:
            state: Mapping[str, Any] = orjson.loads(item.state or "{}")
            for role in class_.compositions:
                yield from (Reference(role.target, id_) for id_ in part_ids(state.get(role.name)))

    def _parts_left(self, reference: Reference) -> Iterator[Reference]:
        """Yield the parts that a large deletion has left for cleanup."""
        pages = self._engine.range(ITEMS, keys.ledgers(reference))
        for ledger in chain.from_iterable(pages):
            if not keys.is_of_restoration(ledger.key) and not keys.is_part_list(ledger.key):
                yield from ledgers.ledger_parts(ledger)
