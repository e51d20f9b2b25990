"""Converts stored values to the model of today: values of a changed type, and defaults of absent values.

A type reads a stored value if it has a value with the same text. The conversion stores that value. It changes
no value that the type cannot read, and returns it with the reason. It rewrites only heads: closed versions
stay as they were written.

A Serial may have had another type before. So its counter goes on after the highest number that is stored.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

from stratabase.core.domain.objects.entity import SerialName
from stratabase.core.model.attribute import Attribute, Origin
from stratabase.core.model.model import Class, Model
from stratabase.core.store.engine.parallel import ParallelMap, sequential_map
from stratabase.core.store.engine.port import Action, Bounds, Engine, Item, Key
from stratabase.core.store.indexes.listing import listed_objects
from stratabase.core.store.indexes.registry_cache import RegistryCache
from stratabase.core.store.layout import codec, keys
from stratabase.core.store.layout.access_path import columns_of, serialize_readings
from stratabase.core.store.layout.object_items import live_head
from stratabase.core.store.write.serials import raise_counter
from stratabase.evolution.backfill.reindex import ReportProgress
from stratabase.evolution.backfill.rewrite import Checkpoint, ItemRewriter, state_patch, stored_values
from stratabase.values.formats.invalid_value import describe_value

_READ_BATCH = 100
"""The number of objects that are read together."""
_READINGS = "readings"
"""The part of the progress with the types and defaults to which the values are converted."""
MAX_VALUE_LENGTH = 60
"""The maximum length of a value in a report."""


class Unconverted(NamedTuple):
    """A stored value that stays as it is."""

    class_name: str
    id: str
    attribute: str
    value: str
    """The value for people, shortened."""
    reason: str


class ConvertOutcome(NamedTuple):
    """The results for a class."""

    objects: int
    """The number of objects that were rewritten."""
    unconverted: int
    """The number of values that stay as they are."""


class Conversion:
    """The conversion of the objects of a model."""

    def __init__(
        self, engine: Engine, model: Model, *, local: bool, parallel_map: ParallelMap = sequential_map
    ) -> None:
        """`model`: the stored model. `local`: the engine is embedded."""
        self._engine = engine
        self._model = model
        self._registry = RegistryCache(engine, model)
        self._local = local
        self._parallel_map = parallel_map

    def is_under_way(self, class_name: str, attributes: Collection[str]) -> bool:
        """Return whether an earlier run of this conversion over a class was stopped before its end."""
        return bool(self._progress(class_name, attributes))

    def run(
        self,
        class_name: str,
        attributes: Collection[str],
        note: Callable[[Unconverted], None],
        report: ReportProgress = lambda _: None,
    ) -> ConvertOutcome:
        """Convert attributes of all objects of a class. Raises Unavailable.

        `note` takes each value that stays as it is. If an earlier run was stopped, this one continues where
        it was, and does not note the values of objects before that again. If the model has changed meanwhile,
        this run starts from the first object.
        """
        class_ = self._model.classes[class_name]
        plan = _ClassPlan(self._registry, class_, _convertible(class_, attributes))
        rewriter = ItemRewriter(
            self._engine,
            plan.actions,
            self._parallel_map,
            local=self._local,
            changed=self._registry.invalidate,
        )
        checkpoint = self._checkpoint(class_name, attributes)
        progress = self._progress(class_name, attributes) or {
            "after": None,
            "objects": 0,
            "unconverted": 0,
            _READINGS: self._readings(class_name, attributes),
        }
        highest: dict[str, int] = progress.get("highest", {})
        for ids in self._listed(class_name, progress["after"]):
            found = self._engine.get([Key(f"{class_name}#{id_}", keys.HEAD) for id_ in ids])
            items = [item for item in map(live_head, found) if item is not None and item.state is not None]
            progress["objects"] += rewriter.rewrite(items)
            highest = plan.highest_numbers(items, highest)
            unconverted = plan.take_unconverted()
            for each in unconverted:
                note(each)
            noted = progress["unconverted"] + len(unconverted)
            progress |= {"after": ids[-1], "unconverted": noted, "highest": highest}
            checkpoint.save(progress)
            report(len(ids))
        for name, number in highest.items():
            raise_counter(self._engine, SerialName(class_name, name), number)
        checkpoint.clear()
        return ConvertOutcome(progress["objects"], progress["unconverted"])

    def _progress(self, class_name: str, attributes: Collection[str]) -> dict[str, Any]:
        """Return the progress of an earlier run that converted to the same types and defaults, if any."""
        progress = self._checkpoint(class_name, attributes).load()
        return progress if progress.get(_READINGS) == self._readings(class_name, attributes) else {}

    def _readings(self, class_name: str, attributes: Collection[str]) -> list[str]:
        """Return the attributes to convert, with their types and defaults."""
        class_ = self._model.classes[class_name]
        columns = columns_of(class_, tuple(sorted(_convertible(class_, attributes))))
        pairs = zip(columns, serialize_readings(columns), strict=True)
        return [f"{column.attribute}: {reading}" for column, reading in pairs]

    def _checkpoint(self, class_name: str, attributes: Collection[str]) -> Checkpoint:
        return Checkpoint(self._engine, f"convert {class_name} {','.join(sorted(attributes))}")

    def _listed(self, class_name: str, after: str | None) -> Iterator[list[str]]:
        """Yield the ids of the objects of a class after an id, in batches."""
        pages = listed_objects(self._engine, class_name, Bounds(after, low_included=False))
        batch: list[str] = []
        for item in chain.from_iterable(pages):
            batch.append(keys.id_of(item.key))
            if len(batch) == _READ_BATCH:
                yield batch
                batch = []
        if batch:
            yield batch


def _convertible(class_: Class, attributes: Collection[str]) -> Mapping[str, Attribute]:
    """Return the native attributes among `attributes`, or all of them if there are none."""
    native = {name: each for name, each in class_.attributes.items() if each.origin is Origin.NATIVE}
    return {name: each for name, each in native.items() if not attributes or name in attributes}


class _ClassPlan:
    """Plans the conversion of the heads of one class, and collects the values that stay as they are."""

    def __init__(self, registry: RegistryCache, class_: Class, attributes: Mapping[str, Attribute]) -> None:
        self._registry = registry
        self._class = class_
        self._attributes = attributes
        self._unconverted: dict[tuple[str, str], Unconverted] = {}
        """By id and attribute."""

    def take_unconverted(self) -> Sequence[Unconverted]:
        """Return the values that were collected since the last call, by id."""
        found, self._unconverted = self._unconverted, {}
        return [found[key] for key in sorted(found)]

    def highest_numbers(self, items: Sequence[Item], highest: Mapping[str, int]) -> dict[str, int]:
        """Return the highest number of each Serial attribute in heads. `highest`: in those before."""
        found = dict(highest)
        states = [stored_values(item) for item in items]
        for name, attribute in self._attributes.items():
            if attribute.type.numbered:
                values = (state[name] for state in states if state.get(name) is not None)
                numbers = (attribute.type.read_stored(value) for value in values)
                found[name] = max([found.get(name, 0), *(each for each in numbers if isinstance(each, int))])
        return found

    def actions(self, item: Item) -> Sequence[Action]:
        """Return the actions that convert the values of a head, none if it is right."""
        if live_head(item) is None or not codec.commit_ids(item):
            return ()
        registry, before, id_ = self._registry.registry(), stored_values(item), keys.id_of(item.key)
        problems, after = dict[str, str](), dict(before)
        uniques = registry.uniques.get(self._class.name, ())
        unique = {column.attribute for entry in uniques for column in entry.columns}
        for name, attribute in self._attributes.items():
            value = before.get(name)
            if name not in before and attribute.default is not None:
                if name in unique:
                    problems[name] = "an earlier model has it in a @unique: run `stratabase reindex` first"
                else:
                    after[name] = attribute.default
            elif value is not None and (new := attribute.type.read_stored(value)) is None:
                problems[name] = f"{attribute.type.name} has no such value"
            elif value is not None:
                after[name] = new
        for key in [key for key in self._unconverted if key[0] == id_]:
            del self._unconverted[key]
        for name, reason in problems.items():
            self._unconverted[id_, name] = Unconverted(
                self._class.name, id_, name, _shown(before.get(name)), reason
            )
        if _same(before, after):
            return ()
        # A converted value has the same text, so it needs the same guards.
        return [state_patch(item, after, registry.paths(self._class.name))]


def _same(before: Mapping[str, Any], after: Mapping[str, Any]) -> bool:
    """Return whether two states have the same values. In Python, True == 1."""
    return before.keys() == after.keys() and all(
        type(before[name]) is type(after[name]) and before[name] == after[name] for name in before
    )


def _shown(value: Any) -> str:
    text = describe_value(value)
    return text if len(text) <= MAX_VALUE_LENGTH else f"{text[: MAX_VALUE_LENGTH - 1]}…"
