"""The items of the catalog, and when they are written: when a model starts to serve, then about once an hour.

The catalog is one item. If its JSON text is long, it is compressed; if it is still too long for an item of
DynamoDB, further items have the rest. All of them have the same revision, and are written in one commit.

No request reads the catalog. The registry, which every process reads every few seconds, has the fingerprints
of the models that serve, each with the time when it was last seen. A process reads and writes the catalog
only if its own model is not among them, or was last seen some time ago.
"""

import base64
import zlib
from collections.abc import Callable, Sequence
from functools import cached_property

from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.core.domain.objects.instant import Instant
from stratabase.core.model.model import Model
from stratabase.core.model.stored_names import StoredNames
from stratabase.core.store.catalog.catalog import (
    SEEN_STEP,
    SERVED_APART,
    Catalog,
    Names,
    fingerprint,
    parse_catalog,
    serialize_catalog,
    stored_names_of,
)
from stratabase.core.store.engine.actions import update_items
from stratabase.core.store.engine.port import (
    NOT_EXISTS,
    Action,
    Condition,
    ConditionOperator,
    DeleteItem,
    Engine,
    Expectation,
    Item,
    Put,
)
from stratabase.core.store.indexes.registry import Registry
from stratabase.core.store.layout import keys

MAX_PLAIN_LENGTH = 4_096
"""Characters. A longer text is compressed."""
MAX_PART_LENGTH = 300_000
"""Characters in one item. DynamoDB limits an item to 400 KB."""
_REVISION, _PARTS, _COMPRESSED = "revision", "parts", "compressed"


class CatalogStore:
    """The catalog in an engine."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def read(self) -> Catalog:
        """Return the catalog, an empty one if no model was served yet. Raises Unavailable."""
        return self._read()[0]

    def update(self, changed: Callable[[Catalog], Catalog]) -> Catalog:
        """Apply a change to the stored catalog, and return the result. Raises Unavailable.

        If another process changes the catalog concurrently, read it and apply the change again.
        `changed`: returns its argument if nothing is to be written.
        """

        def plan() -> tuple[Catalog, Sequence[Action]]:
            before, parts = self._read()
            after = changed(before)
            if after is before:
                return after, ()
            return Catalog(before.revision + 1, after.entries), _actions(after, parts)

        return update_items(self._engine, "catalog", plan)

    def _read(self) -> tuple[Catalog, int]:
        """Return the catalog and the number of its items."""
        while True:
            (first,) = self._engine.get([keys.catalog()])
            if first is None:
                return Catalog(), 0
            revision, number = int(str(first.attributes[_REVISION])), int(str(first.attributes[_PARTS]))
            more = self._engine.get([keys.catalog(part) for part in range(1, number)])
            # Another process may have written the catalog between the two reads.
            if all(each is not None and each.attributes[_REVISION] == revision for each in more):
                text = "".join((each.state or "") if each else "" for each in (first, *more))
                if first.attributes[_COMPRESSED]:
                    text = zlib.decompress(base64.b85decode(text)).decode()
                return parse_catalog(revision, text), number


def _actions(catalog: Catalog, parts: int) -> tuple[Action, ...]:
    """Return the actions that replace a stored catalog of a number of items, if it has not changed."""
    text = serialize_catalog(catalog)
    if compressed := len(text) > MAX_PLAIN_LENGTH:
        text = base64.b85encode(zlib.compress(text.encode(), 9)).decode()
    texts = [text[at : at + MAX_PART_LENGTH] for at in range(0, len(text), MAX_PART_LENGTH)]
    unchanged = Expectation(conditions=(Condition(_REVISION, ConditionOperator.EQUALS, catalog.revision),))
    attributes = {_REVISION: catalog.revision + 1, _PARTS: len(texts), _COMPRESSED: compressed}
    puts = [Put(Item(keys.catalog(part), attributes, each)) for part, each in enumerate(texts)]
    first = Put(puts[0].item, unchanged if catalog.revision else NOT_EXISTS)
    return (first, *puts[1:], *(DeleteItem(keys.catalog(part)) for part in range(len(texts), parts)))


class ServedNames:
    """The model that this process serves, which it records in the catalog and in the registry."""

    def __init__(self, engine: Engine, model: Model, now: Callable[[], Instant]) -> None:
        """`now`: returns milliseconds since 1970."""
        self._catalog = CatalogStore(engine)
        self._model = model
        self._now = now

    @cached_property
    def names(self) -> Names:
        """The stored names of the model."""
        return stored_names_of(StoredNames(self._model).stored_model)

    @cached_property
    def _fingerprint(self) -> str:
        return fingerprint(self.names)

    def begin(self) -> None:
        """Record that the model begins to serve. Raises Unavailable."""
        self._catalog.update(lambda catalog: catalog.record(self.names, self._now(), begins=True))

    def mark(self, registry: Registry) -> Registry:
        """Return the registry with the mark that this model is served. Record the model if it has none.

        Return the registry itself if the mark is new enough, or if the store is not available: the next read
        of the registry tries again.
        """
        now, seen = self._now(), registry.served.get(self._fingerprint)
        if seen is not None and now - seen < SEEN_STEP:
            return registry
        begins = seen is None or now - seen >= SERVED_APART
        try:
            self._catalog.update(lambda catalog: catalog.record(self.names, now, begins=begins))
        except Unavailable:
            return registry
        return registry.with_served(self._fingerprint, now, forget_before=now - 2 * SERVED_APART)
