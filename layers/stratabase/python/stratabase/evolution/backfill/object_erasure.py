"""What an erasure changes in each item of the store that still has a value or the id of an object.

| item | what happens |
|---|---|
| head, versions, links of the object and its parts | deleted last (`erase`), so that all can be repeated |
| link or former link of another object to it | deleted |
| guard that it holds, or whose target it was | deleted |
| present state of another object with its id | loses the id, without a new version |
| closed version of another object with its id | stays; the receipt names the object |
| answer of a request with an Idempotency-Key that shows it | loses the answer; the request stays done |
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

import orjson

from stratabase.core.domain.objects.entity import Reference, RoleName
from stratabase.core.model.attribute import read_unknown
from stratabase.core.model.model import Class, Model
from stratabase.core.model.types.string import TextualType
from stratabase.core.store.engine.port import Action, DeleteItem, Engine, Item, Key
from stratabase.core.store.indexes.registry import Registry
from stratabase.core.store.layout import codec, keys
from stratabase.core.store.layout.object_items import HOLDER, delete_guard, guard_holder
from stratabase.core.store.write import idempotency
from stratabase.evolution.backfill.drop import constraint_of
from stratabase.evolution.backfill.rewrite import state_patch, stored_values

_TEXT = re.compile(r'"((?:[^"\\]|\\.)*)"')
_LINK = re.compile(r"L#([^#$]*)[#$](.*)", re.DOTALL)
_MIN_TEXT = 3
"""The number of characters from which a text in an answer counts as one of the object's."""
MAX_REFERRERS = 100
"""The maximum number of objects that a receipt names."""


class ErasedValues:
    """What tells that an answer shows an object: its id, a commit that wrote it, or one of its texts.

    A text counts within a longer one and in any case, because derived attributes join texts and change case.
    """

    def __init__(self, model: Model) -> None:
        """`model`: with stored names."""
        self._model = model
        self.texts: set[str] = set()
        """Folded for comparison."""
        self.commit_ids: set[str] = set()

    def add(self, class_name: str, item: Item) -> None:
        """Add a head or version."""
        self.commit_ids.update(codec.commit_ids(item))
        author: Any = item.attributes.get(codec.AUTHOR)
        self.commit_ids.update(author[-1:] if author else ())
        self.add_state(class_name, item.state)

    def add_state(self, class_name: str, state: str | None) -> None:
        """Add the state of a head or version."""
        class_ = self._model.classes[class_name]
        for name, value in orjson.loads(state or "{}").items():
            attribute = class_.attributes.get(name)
            if isinstance(value, dict):  # a file
                self._add(value.get("name"))
            elif attribute is not None and isinstance(attribute.type, TextualType):
                self._add(value)

    def _add(self, value: Any) -> None:
        if isinstance(value, str) and len(value) >= _MIN_TEXT:
            self.texts.add(value.casefold())

    def are_in(self, record: Item, ids: Collection[str]) -> bool:
        """Return whether the answer of a record shows one of the objects with these ids."""
        if not self.commit_ids.isdisjoint(codec.commit_ids(record)):
            return True
        answer = idempotency.read_record(record).answer
        shown = [*_texts_in(orjson.loads(answer or "null"))]
        folded = "\n".join(shown).casefold()
        return not set(shown).isdisjoint(ids) or any(text in folded for text in self.texts)


def _texts_in(value: Any) -> Iterator[str]:
    """Yield the texts in a JSON value, at any depth."""
    waiting = [value]
    while waiting:
        each = waiting.pop()
        if isinstance(each, str):
            yield each
        elif isinstance(each, dict):
            waiting += each.values()
        elif isinstance(each, list):
            waiting += each


class ObjectErasure:
    """Plans what the erasure of some objects changes in the items of others."""

    def __init__(
        self, engine: Engine, model: Model, references: Iterable[Reference], values: ErasedValues
    ) -> None:
        """`model`: with stored names. `references`: the objects with all their parts."""
        self._engine = engine
        self._model = model
        self._references = frozenset(references)
        self._ids = frozenset(reference.id for reference in self._references)
        self._partitions = frozenset(keys.head(reference).partition for reference in self._references)
        self._values = values
        self._linked_classes = _linked_classes(model)
        self.changed = Counter[str]()
        """How many of each kind were changed or deleted: `links`, `uniqueValues`, `references`, `answers`."""
        self.referrers: set[Reference] = set()
        """The objects with closed versions that still have one of the ids."""

    def actions(self, item: Item, registry: Registry) -> Sequence[Action]:
        """Return the actions for an item, none if it has nothing of the objects."""
        key = item.key
        if key.partition in self._partitions or key.partition == keys.ERASED:
            return ()
        if keys.is_idempotency_record(key):
            return self._record_actions(item)
        if keys.is_in_object(key):
            if not key.sort.startswith(keys.VERSIONS):
                return self._counted("links", [DeleteItem(key)] if self._is_link(key) else ())
            return self._state_actions(item, registry)
        return self._counted("uniqueValues", [DeleteItem(key)] if self._is_guard(item) else ())

    def _counted(self, kind: str, actions: Sequence[Action]) -> Sequence[Action]:
        self.changed[kind] += bool(actions)
        return actions

    def _is_link(self, key: Key) -> bool:
        """Return whether a key is that of a link or former link to one of the objects."""
        found = _LINK.fullmatch(key.sort)
        if found is None or found[2] not in self._ids:
            return False
        name = RoleName(key.partition.split("#", 1)[0], found[1])
        known = self._linked_classes.get(name)
        return known is None or Reference(known, found[2]) in self._references

    def _is_guard(self, item: Item) -> bool:
        """Return whether an item is a guard that one of the objects holds, or of which it is the target."""
        kind, _, rest = item.key.partition.partition("#")
        if kind not in {"U", "O"} or item.key.sort != kind:
            return False
        named, _, target = rest.partition("#")
        class_name, _, role = named.partition(".")
        if Reference(class_name, str(item.attributes.get(HOLDER))) in self._references:
            return True
        if kind == "U" or target not in self._ids:
            return False
        class_ = self._model.classes.get(class_name)
        found = None if class_ is None else class_.roles.get(role)
        return found is None or Reference(found.target, target) in self._references

    def _state_actions(self, item: Item, registry: Registry) -> Sequence[Action]:
        if item.state is None or self._ids.isdisjoint(_TEXT.findall(item.state)):
            return ()
        reference = keys.reference_of(item.key)
        class_ = self._model.classes.get(reference.class_name)
        if class_ is None or item.key.sort != keys.HEAD:
            self.referrers.add(reference)
            return ()
        before = stored_values(item)
        after = self._without_ids(class_, before)
        if after == before:  # a text that is the id, but no role
            return ()
        patch = state_patch(item, after, registry.paths(class_.name))
        guards = self._released_guards(registry, class_, reference.id, before, after)
        return self._counted("references", [patch, *guards])

    def _without_ids(self, class_: Class, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return the values of a present state without the roles that lead to the objects."""
        after = dict(values)
        for role in class_.roles.values():
            value = values.get(role.name)
            if isinstance(value, list):
                kept = [id_ for id_ in value if Reference(role.target, id_) not in self._references]
                after[role.name] = kept
            elif isinstance(value, str) and Reference(role.target, value) in self._references:
                del after[role.name]
        return after

    def _released_guards(
        self,
        registry: Registry,
        class_: Class,
        id_: str,
        before: Mapping[str, Any],
        after: Mapping[str, Any],
    ) -> Iterator[Action]:
        """Yield the deletions of the guards that another object holds for values with one of the ids."""
        uniques = [constraint_of(class_.name, each) for each in registry.uniques.get(class_.name, ())]
        claimed = {
            key
            for each in uniques
            if (key := each.guard_key(read_unknown({**before})))
            and each.guard_key(read_unknown({**after})) != key
        }
        wanted = [*claimed]
        for key, guard in zip(wanted, self._engine.get(wanted), strict=True):
            if guard_holder(guard) == id_:
                yield delete_guard(key, id_)

    def _record_actions(self, item: Item) -> Sequence[Action]:
        _scope, step = keys.idempotency_step(item.key)
        if step.partition("#")[2] in self._ids:  # one object of a bulk field; the record has no answer
            return self._counted("answers", [DeleteItem(item.key)])
        if idempotency.is_answer_erased(item) or not self._values.are_in(item, self._ids):
            return ()
        return self._counted("answers", [idempotency.erase_answer(item)])


def _linked_classes(model: Model) -> Mapping[RoleName, str]:
    """Return the class to whose objects the links under a name in a partition lead, as far as it is known."""
    return {
        RoleName(class_.name, role.name): role.target
        for class_ in model.classes.values()
        for role in class_.roles.values()
    }
