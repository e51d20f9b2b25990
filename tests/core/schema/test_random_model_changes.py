"""Random changes of a model, writes, and killed reindexes and conversions, against a naive store."""

import json
import random
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from stratabase.core.model.stored_names import StoredNames
from stratabase.core.store.engine.port import Engine, Key
from stratabase.core.store.indexes.entries import BuildState, UniqueEntry
from stratabase.core.store.indexes.registry import parse_registry
from stratabase.core.store.layout import keys
from stratabase.core.store.renamed_repository import RenamedRepository
from stratabase.evolution.backfill.convert import Conversion
from stratabase.evolution.backfill.reindex import Reindex, ReindexOutcome
from tests.conftest import MEMORY
from tests.contract.engine.engines import KINDS as ENGINES
from tests.contract.engine.engines import EngineImplementation
from tests.core.schema.evolving_api import EvolvingApi, written
from tests.core.schema.naive_evolution import (
    ENUM,
    ENUM_VALUES,
    KINDS,
    STORED_NAMES,
    NaiveAttribute,
    NaiveModel,
    NaiveStore,
    Texts,
    created,
    expected_pages,
    literal,
    ordered_by,
    overwritten,
    restored,
    unique_key,
)
from tests.core.store.stopping_engine import BusyEngine, Stopped, StoppingEngine
from tests.soak import count

NAMES = ("a", "b", "c", "d", "e")
VALUE_NAMES = (*ENUM_VALUES, "PINK")
WRITES = ("create", "create", "update", "update", "update", "delete", "restore")
LISTS = (("a",), ("b",), ("c",), ("a", "b"), ("c", "a"), ("b", "c"))
ANSWERED = "dd-MM-yyyy HH:mm:ss.SSS"
"""The format in which `written` writes an instant."""
FIRST = NaiveModel(
    {name: NaiveAttribute(name) for name in STORED_NAMES}, {name: name for name in ENUM_VALUES}
)


def _one(chance: random.Random, model: NaiveModel) -> tuple[str, NaiveAttribute]:
    name = chance.choice(sorted(model.attributes))
    return name, model.attributes[name]


def _changed(model: NaiveModel, name: str, **changes: Any) -> NaiveModel:
    return replace(
        model, attributes={**model.attributes, name: replace(model.attributes[name], **changes)}
    ).possible()


def rename_attributes(chance: random.Random, model: NaiveModel) -> NaiveModel:
    names = chance.sample(NAMES, len(NAMES))
    each = zip(model.attributes.items(), names, strict=False)
    return replace(model, attributes={name: replace(one, shown_name=shown) for (name, one), shown in each})


def rename_values(chance: random.Random, model: NaiveModel) -> NaiveModel:
    return replace(
        model, values=dict(zip(model.values, chance.sample(VALUE_NAMES, len(VALUE_NAMES)), strict=False))
    )


def rename_class(chance: random.Random, model: NaiveModel) -> NaiveModel:
    return replace(model, class_name=chance.choice(["Thing", "Item"]))


def change_type(chance: random.Random, model: NaiveModel) -> NaiveModel:
    name, _ = _one(chance, model)
    return _changed(model, name, type=chance.choice(KINDS))


def change_default(chance: random.Random, model: NaiveModel) -> NaiveModel:
    name, _ = _one(chance, model)
    return _changed(model, name, default=chance.choice([None, *model.readable(name)]))


def change_required(chance: random.Random, model: NaiveModel) -> NaiveModel:
    name, one = _one(chance, model)
    return _changed(model, name, required=not one.required)


def remove_attribute(chance: random.Random, model: NaiveModel) -> NaiveModel:
    name, _ = _one(chance, model)
    left = {each: one for each, one in model.attributes.items() if each != name}
    return replace(model, attributes=left or model.attributes).possible()


def add_attribute(chance: random.Random, model: NaiveModel) -> NaiveModel:
    missing = [name for name in STORED_NAMES if name not in model.attributes]
    taken = {one.shown_name for one in model.attributes.values()}
    free = chance.choice([name for name in NAMES if name not in taken])
    return replace(
        model, attributes={**model.attributes, **{name: NaiveAttribute(free) for name in missing[:1]}}
    )


def remove_value(chance: random.Random, model: NaiveModel) -> NaiveModel:
    gone = chance.choice(sorted(model.values))
    left = {name: shown for name, shown in model.values.items() if name != gone}
    return replace(model, values=left or model.values).possible()


def add_value(chance: random.Random, model: NaiveModel) -> NaiveModel:
    missing = [name for name in ENUM_VALUES if name not in model.values]
    free = chance.choice([name for name in VALUE_NAMES if name not in model.values.values()])
    return replace(model, values={**model.values, **dict.fromkeys(missing[:1], free)})


def change_unique(chance: random.Random, model: NaiveModel) -> NaiveModel:
    return replace(model, uniques=model.uniques ^ {chance.choice(LISTS)}).possible()


def change_index(chance: random.Random, model: NaiveModel) -> NaiveModel:
    return replace(model, indexes=model.indexes ^ {chance.choice(LISTS)}).possible()


def change_versioned(chance: random.Random, model: NaiveModel) -> NaiveModel:
    return replace(model, versioned=not model.versioned)


Change = Callable[[random.Random, NaiveModel], NaiveModel]
CHANGES: list[Change] = [
    rename_attributes,
    rename_values,
    rename_class,
    change_type,
    change_type,
    change_default,
    change_default,
    change_required,
    remove_attribute,
    add_attribute,
    remove_value,
    add_value,
    change_unique,
    change_unique,
    change_index,
    change_index,
    change_versioned,
]


class ModelChanges:
    """A class whose model changes again and again, while objects are written."""

    def __init__(self, engine: Engine, *, local: bool) -> None:
        """`local`: the engine is embedded."""
        self.engine = engine
        self._is_local = local
        self.model, self.naive = FIRST, NaiveStore()
        self.api = EvolvingApi(self.engine, self.model.text)
        self.instants: list[int] = []
        self.killed: list[Any] = []
        """The types and defaults to which conversions were killed that did not go on."""

    def begin(self, chance: random.Random) -> None:
        self.change_model(chance)
        if chance.random() < 0.5:  # no object has a text from before that is not a value of the enum
            self.grow_enum(chance)
        for _ in range(chance.randint(2, 5)):
            self.create(chance)

    def change_model(self, chance: random.Random) -> None:
        """Serve a model with some changes."""
        for change in chance.choices(CHANGES, k=chance.randint(1, 4)):
            self.model = change(chance, self.model)
        self.api.serve(self.model.text)

    def write(self, chance: random.Random) -> None:
        """Write some objects."""
        for each in chance.choices(WRITES, k=chance.randint(1, 4)):
            getattr(self, each)(chance)

    def grow_enum(self, chance: random.Random) -> None:
        """Serve a model with one more enum value, and write the value where it is indexed or unique.

        The index or the constraint is from before the enum grows, so it must learn the new value.
        """
        if len(self.model.values) == len(ENUM_VALUES):
            self.model = remove_value(chance, self.model)
        name, _ = _one(chance, self.model)
        former = _changed(self.model, name, type=ENUM)
        list_ = chance.choice([each for each in LISTS if name in each and {*each} <= {*former.attributes}])
        kind = chance.choice(["uniques", "indexes"])
        with_list: Any = {kind: getattr(former, kind) | {list_}}
        former = self.model = replace(former, **with_list).possible()
        self.api.serve(former.text)
        self.write(chance)
        if chance.random() < 0.7:
            self.reindex(chance)
            self.write(chance)
        unbuilt, needs_build = {*self.api.entities.unbuilt()}, self._has_unread_texts(former)
        self.model = add_value(chance, former)
        self.api.serve(self.model.text)
        assert needs_build or {*self.api.entities.unbuilt()} == unbuilt
        self.answers_agree()
        (new,) = self.model.values.keys() - former.values.keys()
        for _ in range(2):
            self.create(chance, {name: new})

    def _has_unread_texts(self, model: NaiveModel) -> bool:
        """Return whether an index or constraint of an enum must be built again after the enum has grown.

        It must if it lacks texts that it did not read, or if one is left that was built for the grown enum.
        """
        enums = {name for name, one in model.attributes.items() if one.type == ENUM}
        registry = parse_registry(self.engine.get([keys.REGISTRY])[0])
        entries = [
            (each.directive, [column.attribute for column in each.columns], each.has_unread)
            for each in (*registry.classes.get("Thing", ()), *registry.uniques.get("Thing", ()))
            if not enums.isdisjoint(column.attribute for column in each.columns)
        ]
        lists = [(directive, names) for directive, names, _ in entries]
        return any(unread for *_, unread in entries) or any(lists.count(each) > 1 for each in lists)

    def create(self, chance: random.Random, more: Texts = MappingProxyType({})) -> None:
        """Create an object, with nulls and values for some attributes, and with all of `more`."""
        values = {**self._values(chance), **more}
        for name, one in self.model.attributes.items():
            if one.required and (name in values or one.default is None) and values.get(name) is None:
                values[name] = chance.choice(self.model.readable(name))
        texts, sent = created(values, self.model), self._sent(values)
        class_ = self.model.class_name
        query = f"mutation($d: {class_}Create!) {{ {class_}___create(data: $d) {{ _id }} }}"
        found = self._mutate(query, None, texts, d=sent)
        if found:
            self.naive.write(found[f"{class_}___create"]["_id"], texts, self.model, self._now)

    def update(self, chance: random.Random) -> None:
        """Update an object, also by explicit nulls."""
        if not (live := self.naive.live):
            return
        id_ = chance.choice([*live])
        values = self._values(chance)
        for name, one in self.model.attributes.items():
            if one.required and name in values and values[name] is None:
                del values[name]
        texts, class_ = overwritten(live[id_], values, self.model), self.model.class_name
        query = f"mutation($d: {class_}Update!) {{ {class_}___update(data: $d) {{ _id }} }}"
        if self._mutate(query, id_, texts, d={"_id": id_, **self._sent(values)}):
            self.naive.write(id_, texts, self.model, self._now)

    def delete(self, chance: random.Random) -> None:
        if not (live := self.naive.live):
            return
        id_ = chance.choice([*live])
        self._tick()
        assert self.api.delete(self.model.class_name, id_) == []
        self.naive.delete(id_, self.model, self._now)

    def restore(self, chance: random.Random) -> None:
        """Restore an object as it was at an instant, in spite of warnings."""
        found = [
            (id_, at)
            for id_, each in self.naive.objects.items()
            for at in self.instants
            if each.at(at) is not None
        ]
        if not found or not self.model.versioned:
            return
        id_, at = chance.choice(found)
        former = self.naive.objects[id_].at(at)
        assert former is not None
        texts = restored(self.naive.objects[id_].texts, former, self.model)
        query = f"""mutation($i: ID!, $t: Datetime!) {{ {self.model.class_name}___restoreVersion(
            _id: $i, atVersion: $t, forceWarnings: {{dataValidation: true}}) {{ _id }} }}"""
        if self._mutate(query, id_, texts, i=id_, t=written(at)):
            self.naive.write(id_, texts, self.model, self._now)

    def reindex(self, chance: random.Random) -> None:
        """Build everything. Only duplicates keep a unique constraint from being READY."""
        outcome = self._reindex(self.engine)
        duplicates = {tuple(each.unique.attributes) for each in outcome.duplicates}  # type: ignore[union-attr]
        left = [each for each in self.api.entities.unbuilt() if "@unique" in each]
        for unique in self.model.uniques:
            found = [
                key for texts in self.naive.live.values() if (key := unique_key(self.model, unique, texts))
            ]
            names, has_duplicates = self.model.names(unique), len(found) != len({*found})
            assert (tuple(names) in duplicates) == has_duplicates
            assert (f"{self.model.class_name} @unique({', '.join(names)})" in left) == has_duplicates

    def kill_reindex(self, chance: random.Random) -> None:
        """Kill a reindex before or after a commit."""
        with suppress(Stopped):
            self._reindex(_stopping(self.engine, chance))
        self.answers_agree()
        if chance.random() < 0.5:
            self.change_model(chance)
            self.reindex(chance)

    def write_while_reindexing(self, chance: random.Random) -> None:
        """Write an object before a commit of a reindex."""
        self._reindex(BusyEngine(self.engine, chance.randint(1, 6), lambda: self._meanwhile(chance)))

    def convert(self, chance: random.Random) -> None:
        """Make the types and defaults of the model permanent."""
        self._convert(self.engine)
        if self._conversion in self.killed:  # it went on behind objects that were written since
            self._convert(self.engine)
        self.killed.clear()
        kept = self._kept()
        self.naive.convert(self.model, kept, [*self.naive.live])

    def kill_conversion(self, chance: random.Random) -> None:
        """Kill a conversion before or after a commit. What it has done shows in what is stored."""
        self.killed.append(self._conversion)
        with suppress(Stopped):
            self._convert(_stopping(self.engine, chance))
        self._adopt_converted()
        self.answers_agree()
        if chance.random() < 0.5:
            self.change_model(chance)
            self.convert(chance)

    def write_while_converting(self, chance: random.Random) -> None:
        """Write an object before a commit of a conversion."""
        self._convert(BusyEngine(self.engine, chance.randint(1, 6), lambda: self._meanwhile(chance)))
        self._adopt_converted()

    def stored_values_agree(self) -> None:
        """Each head has the texts of the naive store."""
        assert {id_: self._stored(id_) for id_ in self.naive.live} == self.naive.live

    def look(self, chance: random.Random) -> None:
        """Compare values that no object has, too, and go from page to page."""
        self._check_answers(
            {name: chance.choice(self.model.readable(name)) for name in self.model.attributes}
        )
        self._check_cursors(chance)

    def answers_agree(self) -> None:
        """Every answer is the one of the naive store."""
        each = {
            name: [self.model.shown(texts, name) for texts in self.naive.live.values()]
            for name in self.model.attributes
        }
        self._check_answers(
            {
                name: next((text for text in shown[::-1] if text is not None), self.model.readable(name)[0])
                for name, shown in each.items()
            }
        )

    def _check_answers(self, values: Mapping[str, str]) -> None:
        model, live, class_ = self.model, self.naive.live, self.model.class_name
        fields = " ".join(["_id", *map(model.field, model.attributes)])
        shown = {id_: {"_id": id_, **model.answer(texts)} for id_, texts in live.items()}
        self._check_pages(live, values)
        query = f"query($i: ID!) {{ {class_}___get(_id: $i) {{ {fields} }} }}"
        for id_ in self.naive.objects:
            assert self._ask(query, i=id_) == shown.get(id_), model.text
        query = f"""query($i: ID!, $t: Datetime!) {{
            {class_}___getVersion(_id: $i, atVersion: $t) {{ {fields} }} }}"""
        for id_ in self.naive.objects if model.versioned else ():
            for at in self.instants[-4:]:
                texts = self.naive.objects[id_].at(at)
                version = None if texts is None else {"_id": id_, **model.answer(texts)}
                assert self._ask(query, i=id_, t=written(at)) == version, model.text
        self._check_lookups(live)
        if model.versioned:
            self._check_past(values)

    def _check_past(self, values: Mapping[str, str]) -> None:
        """Ask for deleted objects, and for pages and unique values as of an instant."""
        model, class_ = self.model, self.model.class_name
        fields = " ".join(["_id", *map(model.field, model.attributes)])
        query = f"""{{ {class_}___getDeletedPage(options: {{next: 50}}) {{
            items {{ object {{ {fields} }} deletedOn(format: "{ANSWERED}") }} }} }}"""
        if f"{class_} deleted objects" in self.api.entities.unbuilt():
            (error,) = self.api.body(query)["errors"]
            assert error["extensions"]["issueType"] == "SERVICE_HANDLER_ERROR", error
            return
        items = [
            {"object": {"_id": id_, **model.answer(last.texts)}, "deletedOn": written(last.end or 0)}
            for id_, last in self.naive.deleted
        ]
        found = self.api.ask(query)["items"]
        assert [{**each, "object": _texts(each["object"])} for each in found] == items, model.text
        for at in self.instants[-3:-2]:
            past, name = self.naive.at(at), sorted(values)[len(self.instants) % len(values)]
            self._check_pages(past, {name: values[name]}, at)
            self._check_lookups(past, at)

    def _check_pages(
        self, objects: Mapping[str, Texts], values: Mapping[str, str], at: int | None = None
    ) -> None:
        """Ask for pages. `objects`: what each object had at an instant, or has now."""
        model, class_ = self.model, self.model.class_name
        fields = " ".join(["_id", *map(model.field, model.attributes)])
        shown = {id_: {"_id": id_, **model.answer(texts)} for id_, texts in objects.items()}
        pages: list[tuple[dict[str, Any], list[str]]] = [({}, [*objects])]
        for name, text in values.items():
            pages += expected_pages(model, objects, name, text)
        for index in model.indexes:
            order = [f"{name}___ASC" for name in model.names(index)]
            pages.append(({"orderBy": order}, ordered_by(model, objects, index)))
        query = f"""query($o: {class_}PageOptions) {{
            {class_}___getPage(options: $o{_at(at)}) {{ totalCount items {{ {fields} }} }} }}"""
        for options, ids in pages:
            answer = {"totalCount": len(ids), "items": [shown[id_] for id_ in ids]}
            assert self._ask(query, o={"next": 50, **options}) == answer, (options, at, model.text)

    def _ask(self, query: str, **variables: Any) -> Any:
        return _texts(self.api.ask(query, **variables))

    def _check_cursors(self, chance: random.Random) -> None:
        """Go from page to page by cursors."""
        names = chance.sample(sorted(self.model.attributes), len(self.model.attributes))
        order = " ".join(f"{name}___ASC" for name in self.model.names(names))
        found, cursor, has_next = list[str](), "", True
        while has_next:
            page = self.api.ask(
                f"{{ {self.model.class_name}___getPage(options: {{next: 2 orderBy: [{order}] {cursor}}}) "
                "{ nextCursor hasNext items { _id } } }"
            )
            found += [item["_id"] for item in page["items"]]
            cursor, has_next = f'cursor: "{page["nextCursor"]}"', page["hasNext"]
        assert found == ordered_by(self.model, self.naive.live, names)

    def _check_lookups(self, objects: Mapping[str, Texts], at: int | None = None) -> None:
        """Ask for unique values. `objects`: what each object had at an instant, or has now."""
        model = self.model
        for unique in model.uniques:
            holders: dict[Any, set[str | None]] = {}
            for id_, texts in objects.items():
                if key := unique_key(model, unique, texts):
                    holders.setdefault(key, set()).add(id_)
            free = tuple(model.readable(name)[-1] for name in unique)
            expected: dict[Any, set[str | None]] = {free: {None}, **holders}
            for key, ids in expected.items():
                names = model.names(unique)
                operands = [
                    model.sent(name, text)
                    if model.attributes[name].type == ENUM
                    else literal(model.sent(name, text))
                    for name, text in zip(unique, key, strict=True)
                ]
                arguments = ", ".join(f"{name}: {each}" for name, each in zip(names, operands, strict=True))
                service = f"{model.class_name}___getBy{'_'.join(name.upper() for name in names)}"
                found = self.api.ask(f"{{ {service}({arguments}{_at(at)}) {{ _id }} }}")
                holder = None if found is None else found["_id"]
                assert holder in ids

    @property
    def _now(self) -> int:
        return self.api.clock.instant

    def _tick(self) -> None:
        self.instants.append(self._now + 500)
        self.api.clock.instant += 1000

    def _values(self, chance: random.Random) -> dict[str, str | None]:
        names = chance.sample(sorted(self.model.attributes), chance.randint(0, len(self.model.attributes)))
        stored_texts = {text for texts in self.naive.live.values() for text in texts.values()}
        likely = {
            name: [each for each in self.model.readable(name) if each in stored_texts] for name in names
        }
        return {
            name: chance.choice([None, *likely[name], *likely[name], *self.model.readable(name)])
            for name in sorted(names)
        }

    def _sent(self, values: Texts) -> dict[str, Any]:
        return {
            self.model.attributes[name].shown_name: self.model.sent(name, text)
            for name, text in values.items()
        }

    def _mutate(self, query: str, id_: str | None, texts: Texts, **variables: Any) -> Any:
        """Send a mutation that stores texts; return its data, or None if it is rightly refused."""
        self._tick()
        body = self.api.body(query, **variables)
        before = None if id_ is None else self.naive.objects[id_].texts
        others = [each for other, each in self.naive.live.items() if other != id_]
        taken, unbuilt, duplicated = False, False, False
        for unique in self.model.uniques:
            key = unique_key(self.model, unique, texts)
            if key is None or (before is not None and unique_key(self.model, unique, before) == key):
                continue
            taken |= key in [unique_key(self.model, unique, each) for each in others]
            unready = self._unready(unique)
            unbuilt |= BuildState.BUILDING in unready
            # Of several objects that had the same values, one has the guard. If it releases it, nobody has.
            duplicated |= BuildState.ENFORCED in unready
        types = {error["extensions"]["issueType"] for error in body.get("errors", ())}
        empty = {
            name
            for name, one in self.model.attributes.items()
            if one.required and self.model.shown(texts, name) is None
        }
        if "restoreVersion" in query and empty and types == {"ATTRIBUTE_REQUIRED"}:
            return None
        if (taken and not duplicated) or ((taken or unbuilt) and types):
            assert "ENTITY_UNIQUE" in types, body
            return None
        assert not types, (body["errors"], self.model.text)
        return body["data"]

    def _meanwhile(self, chance: random.Random) -> None:
        self._refresh()
        self._adopt_converted()
        self.answers_agree()
        getattr(self, chance.choice(WRITES))(chance)
        self.answers_agree()

    def _adopt_converted(self) -> None:
        """Take over what a conversion that is not finished has done, which shows in what is stored."""
        kept = self._kept()
        for id_, texts in self.naive.live.items():
            if self._stored(id_) != texts:
                self.naive.convert(self.model, kept, [id_])

    def _refresh(self) -> None:
        """Let the repository read the registry again, as it does after some seconds."""
        entities = self.api.entities
        inner = entities._repository if isinstance(entities, RenamedRepository) else entities
        inner._store.registry.invalidate()

    def _reindex(self, engine: Engine) -> ReindexOutcome:
        try:
            return Reindex(engine, self.api.model, sleep=lambda _: None, local=self._is_local).run(
                self.model.class_name
            )
        finally:
            self._refresh()

    def _convert(self, engine: Engine) -> None:
        try:
            stored_model = StoredNames(self.api.model).stored_model
            Conversion(engine, stored_model, local=self._is_local).run("Thing", (), lambda _: None)
        finally:
            self._refresh()

    @property
    def _conversion(self) -> Any:
        """The types and defaults to which objects are converted."""
        types = {name: (one.type, one.default) for name, one in self.model.attributes.items()}
        return types, self.model.values.keys()

    def _kept(self) -> set[str]:
        """Return the attributes in uniqueness constraints of any model, whose defaults are not converted."""
        return {column.attribute for entry in self._unique_entries() for column in entry.columns}

    def _unready(self, unique: Sequence[str]) -> set[BuildState]:
        """Return the states of a uniqueness constraint under this and other models, except for READY."""
        entries = [
            each
            for each in self._unique_entries()
            if {column.attribute for column in each.columns} == {*unique}
        ]
        return {each.state for each in entries} - {BuildState.READY}

    def _unique_entries(self) -> Sequence[UniqueEntry]:
        return parse_registry(self.engine.get([keys.REGISTRY])[0]).uniques.get("Thing", ())

    def _stored(self, id_: str) -> Texts:
        (head,) = self.engine.get([Key(f"Thing#{id_}", keys.HEAD)])
        assert head is not None
        state = json.loads(head.state or "{}")
        return {name: _text(value) for name, value in state.items()}


def _at(instant: int | None) -> str:
    """Return the argument of a service for an instant, None for now."""
    return "" if instant is None else f', atVersion: "{written(instant)}"'


def _text(value: Any) -> str | None:
    return value if value is None or isinstance(value, str) else json.dumps(value)


def _texts(answer: Any) -> Any:
    """Return an answer with the texts of its values."""
    if isinstance(answer, dict) and "items" in answer:
        return {**answer, "items": [*map(_texts, answer["items"])]}
    return answer if answer is None else {name: _text(value) for name, value in answer.items()}


def _stopping(engine: Engine, chance: random.Random) -> Engine:
    return StoppingEngine(engine, chance.randint(1, 4), after=chance.random() < 0.5)


STEPS = (
    *[ModelChanges.change_model, ModelChanges.write] * 4,
    *[ModelChanges.reindex, ModelChanges.kill_reindex, ModelChanges.write_while_reindexing],
    *[ModelChanges.convert, ModelChanges.kill_conversion, ModelChanges.write_while_converting],
    *[ModelChanges.grow_enum, ModelChanges.look],
)


def run(chance: random.Random, steps: int, kind: EngineImplementation) -> None:
    """Take random steps, and check the store after each."""
    folder = tempfile.TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None)
    with folder as name, closing(kind.open(Path(name))) as engine:
        changes = ModelChanges(engine, local=kind.fences)
        changes.begin(chance)
        for step in chance.choices(STEPS, k=steps):
            step(changes, chance)
            changes.stored_values_agree()
            changes.answers_agree()


HISTORIES = {
    "reference": (count(6, 60), count(10, 25)),
    "sqlite": (count(3, 30), count(10, 25)),
    "dynamodb-ministack": (count(1, 10), count(5, 25)),
}
"""By engine: the number of histories, and of steps. The reference engine checks no fences, like DynamoDB."""
CHOSEN = [each for each in ENGINES if each.name in HISTORIES]


@pytest.mark.soak
@pytest.mark.parametrize("kind", CHOSEN, ids=lambda kind: kind.name)
def test_random_changes_of_a_model_agree_with_a_naive_store(kind: EngineImplementation) -> None:
    histories, steps = HISTORIES[kind.name]

    @settings(max_examples=histories, phases=[Phase.reuse, Phase.generate])
    @given(st.integers(0, 2**64))
    def check(number: int) -> None:
        run(random.Random(number), steps, kind)

    check()
