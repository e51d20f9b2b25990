"""Random changes of a model, writes, and killed reindexes and conversions, against a naive store."""

import json
import tempfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, ClassVar

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from stratabase.model.stored_names import StoredNames
from stratabase.store.backfill.convert import Conversion
from stratabase.store.backfill.reindex import Reindex, ReindexOutcome
from stratabase.store.engine.port import Engine, Key
from stratabase.store.indexes.registry import parse_registry
from stratabase.store.layout import keys
from stratabase.store.renamed_repository import RenamedRepository
from tests.contract.engine.engines import KINDS as ENGINES
from tests.schema.evolving_api import EvolvingApi
from tests.schema.naive_evolution import (
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
from tests.soak import count
from tests.store.backfill.test_drop import BusyEngine, Stopped, StoppingEngine

NAMES = ("a", "b", "c", "d", "e")
VALUE_NAMES = (*ENUM_VALUES, "PINK")
LISTS = st.sampled_from([("a",), ("b",), ("a", "b"), ("c", "a"), ("b", "c")])
FIRST = NaiveModel(
    {name: NaiveAttribute(name) for name in STORED_NAMES}, {name: name for name in ENUM_VALUES}
)


def _one(data: st.DataObject, model: NaiveModel) -> tuple[str, NaiveAttribute]:
    name = data.draw(st.sampled_from(sorted(model.attributes)))
    return name, model.attributes[name]


def _changed(model: NaiveModel, name: str, **changes: Any) -> NaiveModel:
    return replace(
        model, attributes={**model.attributes, name: replace(model.attributes[name], **changes)}
    ).possible()


def rename_attributes(data: st.DataObject, model: NaiveModel) -> NaiveModel:
    names = data.draw(st.permutations(NAMES))
    each = zip(model.attributes.items(), names, strict=False)
    return replace(model, attributes={name: replace(one, shown_name=shown) for (name, one), shown in each})


def rename_values(data: st.DataObject, model: NaiveModel) -> NaiveModel:
    return replace(
        model, values=dict(zip(model.values, data.draw(st.permutations(VALUE_NAMES)), strict=False))
    )


def rename_class(data: st.DataObject, model: NaiveModel) -> NaiveModel:
    return replace(model, class_name=data.draw(st.sampled_from(["Thing", "Item"])))


def change_type(data: st.DataObject, model: NaiveModel) -> NaiveModel:
    name, _ = _one(data, model)
    return _changed(model, name, type=data.draw(st.sampled_from(KINDS)))


def change_default(data: st.DataObject, model: NaiveModel) -> NaiveModel:
    name, _ = _one(data, model)
    return _changed(model, name, default=data.draw(st.sampled_from([None, *model.readable(name)])))


def change_required(data: st.DataObject, model: NaiveModel) -> NaiveModel:
    name, one = _one(data, model)
    return _changed(model, name, required=not one.required)


def remove_attribute(data: st.DataObject, model: NaiveModel) -> NaiveModel:
    name, _ = _one(data, model)
    left = {each: one for each, one in model.attributes.items() if each != name}
    return replace(model, attributes=left or model.attributes).possible()


def add_attribute(data: st.DataObject, model: NaiveModel) -> NaiveModel:
    missing = [name for name in STORED_NAMES if name not in model.attributes]
    taken = {one.shown_name for one in model.attributes.values()}
    free = data.draw(st.sampled_from([name for name in NAMES if name not in taken]))
    return replace(
        model, attributes={**model.attributes, **{name: NaiveAttribute(free) for name in missing[:1]}}
    )


def remove_value(data: st.DataObject, model: NaiveModel) -> NaiveModel:
    gone = data.draw(st.sampled_from(sorted(model.values)))
    left = {name: shown for name, shown in model.values.items() if name != gone}
    return replace(model, values=left or model.values).possible()


def add_value(data: st.DataObject, model: NaiveModel) -> NaiveModel:
    missing = [name for name in ENUM_VALUES if name not in model.values]
    free = data.draw(st.sampled_from([name for name in VALUE_NAMES if name not in model.values.values()]))
    return replace(model, values={**model.values, **dict.fromkeys(missing[:1], free)})


def change_unique(data: st.DataObject, model: NaiveModel) -> NaiveModel:
    return replace(model, uniques=model.uniques ^ {data.draw(LISTS)}).possible()


def change_index(data: st.DataObject, model: NaiveModel) -> NaiveModel:
    return replace(model, indexes=model.indexes ^ {data.draw(LISTS)}).possible()


def change_versioned(data: st.DataObject, model: NaiveModel) -> NaiveModel:
    return replace(model, versioned=not model.versioned)


CHANGES: list[Callable[[st.DataObject, NaiveModel], NaiveModel]] = [
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
    change_index,
    change_versioned,
]


class ModelChanges(RuleBasedStateMachine):
    """A class whose model changes again and again, while objects are written."""

    engine_name: ClassVar[str] = "reference"

    def __init__(self) -> None:
        super().__init__()
        (kind,) = (each for each in ENGINES if each.name == self.engine_name)
        self.folder = tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None)
        self.engine: Engine = kind.open(Path(self.folder.name))
        self.model, self.naive = FIRST, NaiveStore()
        self.api = EvolvingApi(self.engine, self.model.text)
        self.instants: list[int] = []
        self.killed: list[object] = []
        """The types and defaults to which conversions were killed that did not go on."""

    def teardown(self) -> None:
        self.engine.close()
        self.folder.cleanup()

    @initialize(data=st.data())
    def begin(self, data: st.DataObject) -> None:
        for _ in range(data.draw(st.integers(0, 3))):
            self.create(data)

    @rule(data=st.data())
    def change_model(self, data: st.DataObject) -> None:
        """Serve a model with some changes."""
        for change in data.draw(st.lists(st.sampled_from(CHANGES), min_size=1, max_size=3)):
            self.model = change(data, self.model)
        self.api.serve(self.model.text)

    @rule(data=st.data())
    def create(self, data: st.DataObject) -> None:
        """Create an object, with nulls and values for some attributes."""
        values = self._values(data)
        for name, one in self.model.attributes.items():
            if one.required and (name in values or one.default is None) and values.get(name) is None:
                values[name] = data.draw(st.sampled_from(self.model.readable(name)))
        texts, sent = created(values, self.model), self._sent(values)
        class_ = self.model.class_name
        query = f"mutation($d: {class_}Create!) {{ {class_}___create(data: $d) {{ _id }} }}"
        found = self._mutate(query, None, texts, d=sent)
        if found:
            self.naive.write(found[f"{class_}___create"]["_id"], texts, self.model, self._now)

    @rule(data=st.data())
    def update(self, data: st.DataObject) -> None:
        """Update an object, also by explicit nulls."""
        if not (live := self.naive.live):
            return
        id_ = data.draw(st.sampled_from([*live]))
        values = self._values(data)
        for name, one in self.model.attributes.items():
            if one.required and name in values and values[name] is None:
                del values[name]
        texts, class_ = overwritten(live[id_], values, self.model), self.model.class_name
        query = f"mutation($d: {class_}Update!) {{ {class_}___update(data: $d) {{ _id }} }}"
        if self._mutate(query, id_, texts, d={"_id": id_, **self._sent(values)}):
            self.naive.write(id_, texts, self.model, self._now)

    @rule(data=st.data())
    def delete(self, data: st.DataObject) -> None:
        if not (live := self.naive.live):
            return
        id_ = data.draw(st.sampled_from([*live]))
        self._tick()
        assert self.api.delete(self.model.class_name, id_) == []
        self.naive.delete(id_, self.model, self._now)

    @precondition(lambda self: self.model.versioned)
    @rule(data=st.data())
    def restore(self, data: st.DataObject) -> None:
        """Restore an object as it was at an instant, in spite of warnings."""
        found = [
            (id_, at)
            for id_, each in self.naive.objects.items()
            for at in self.instants
            if each.at(at) is not None
        ]
        if not found:
            return
        id_, at = data.draw(st.sampled_from(found))
        former = self.naive.objects[id_].at(at)
        assert former is not None
        texts = restored(self.naive.objects[id_].texts, former, self.model)
        query = f"""mutation($i: ID!, $t: Datetime!) {{ {self.model.class_name}___restoreVersion(
            _id: $i, atVersion: $t, forceWarnings: {{dataValidation: true}}) {{ _id }} }}"""
        if self._mutate(query, id_, texts, i=id_, t=written(at)):
            self.naive.write(id_, texts, self.model, self._now)

    @rule()
    def reindex(self) -> None:
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

    @rule(at=st.integers(1, 6), after=st.booleans())
    def kill_reindex(self, at: int, after: bool) -> None:
        """Kill a reindex before or after a commit."""
        with suppress(Stopped):
            self._reindex(StoppingEngine(self.engine, at, after=after))

    @rule(at=st.integers(1, 6), what=st.sampled_from(["create", "update", "delete"]), data=st.data())
    def write_while_reindexing(self, at: int, what: str, data: st.DataObject) -> None:
        """Write an object before a commit of a reindex."""
        self._reindex(BusyEngine(self.engine, at, lambda: self._meanwhile(what, data)))

    @rule()
    def convert(self) -> None:
        """Make the types and defaults of the model permanent."""
        self._convert(self.engine)
        if self._conversion in self.killed:  # it went on behind objects that were written since
            self._convert(self.engine)
        self.killed.clear()
        kept = self._kept()
        self.naive.convert(self.model, kept, [*self.naive.live])

    @rule(at=st.integers(1, 6), after=st.booleans())
    def kill_conversion(self, at: int, after: bool) -> None:
        """Kill a conversion before or after a commit. What it has done shows in what is stored."""
        self.killed.append(self._conversion)
        with suppress(Stopped):
            self._convert(StoppingEngine(self.engine, at, after=after))
        self._adopt_converted()

    @rule(at=st.integers(1, 6), what=st.sampled_from(["create", "update", "delete"]), data=st.data())
    def write_while_converting(self, at: int, what: str, data: st.DataObject) -> None:
        """Write an object before a commit of a conversion."""
        self._convert(BusyEngine(self.engine, at, lambda: self._meanwhile(what, data)))
        self._adopt_converted()

    @invariant()
    def stored_values_agree(self) -> None:
        """Each head has the texts of the naive store."""
        assert {id_: self._stored(id_) for id_ in self.naive.live} == self.naive.live

    @rule(data=st.data())
    def look(self, data: st.DataObject) -> None:
        """Compare values that no object has, too."""
        self._check_answers(
            {name: data.draw(st.sampled_from(self.model.readable(name))) for name in self.model.attributes}
        )

    @rule(data=st.data())
    def walk(self, data: st.DataObject) -> None:
        """Go from page to page by cursors."""
        names = data.draw(st.permutations(sorted(self.model.attributes)))
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

    @invariant()
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
        pages: list[tuple[dict[str, Any], list[str]]] = [({}, [*live])]
        for name, text in values.items():
            pages += expected_pages(model, live, name, text)
        for index in model.indexes:
            order = [f"{name}___ASC" for name in model.names(index)]
            pages.append(({"orderBy": order}, ordered_by(model, live, index)))
        query = f"""query($o: {class_}PageOptions) {{
            {class_}___getPage(options: $o) {{ totalCount items {{ {fields} }} }} }}"""
        for options, ids in pages:
            answer = {"totalCount": len(ids), "items": [shown[id_] for id_ in ids]}
            assert self._ask(query, o={"next": 50, **options}) == answer, (options, model.text)
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
        self._check_lookups()

    def _ask(self, query: str, **variables: Any) -> Any:
        return _texts(self.api.ask(query, **variables))

    def _check_lookups(self) -> None:
        model, live = self.model, self.naive.live
        for unique in model.uniques:
            holders: dict[Any, set[str | None]] = {}
            for id_, texts in live.items():
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
                found = self.api.ask(f"{{ {service}({arguments}) {{ _id }} }}")
                holder = None if found is None else found["_id"]
                assert holder in ids

    @property
    def _now(self) -> int:
        return self.api.clock.instant

    def _tick(self) -> None:
        self.instants.append(self._now + 500)
        self.api.clock.instant += 1000

    def _values(self, data: st.DataObject) -> dict[str, str | None]:
        names = data.draw(st.sets(st.sampled_from(sorted(self.model.attributes))))
        return {
            name: data.draw(st.sampled_from([None, *self.model.readable(name)])) for name in sorted(names)
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
        taken, unbuilt = False, False
        for unique in self.model.uniques:
            key = unique_key(self.model, unique, texts)
            if key is None or (before is not None and unique_key(self.model, unique, before) == key):
                continue
            taken |= key in [unique_key(self.model, unique, each) for each in others]
            label = f"{self.model.class_name} @unique({', '.join(self.model.names(unique))})"
            unbuilt |= label in self.api.entities.unbuilt()
        types = {error["extensions"]["issueType"] for error in body.get("errors", ())}
        empty = {
            name
            for name, one in self.model.attributes.items()
            if one.required and self.model.shown(texts, name) is None
        }
        if "restoreVersion" in query and empty and types == {"ATTRIBUTE_REQUIRED"}:
            return None
        if taken or (unbuilt and types):
            assert "ENTITY_UNIQUE" in types, body
            return None
        assert not types, (body["errors"], self.model.text)
        return body["data"]

    def _meanwhile(self, what: str, data: st.DataObject) -> None:
        self._refresh()
        self._adopt_converted()
        self.answers_agree()
        getattr(self, what)(data)
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
    def _conversion(self) -> object:
        """The types and defaults to which objects are converted."""
        types = {name: (one.type, one.default) for name, one in self.model.attributes.items()}
        return types, self.model.values.keys()

    @property
    def _is_local(self) -> bool:
        return self.engine_name == "sqlite"

    def _kept(self) -> set[str]:
        """Return the attributes in uniqueness constraints of any model, whose defaults are not converted."""
        entries = parse_registry(self.engine.get([keys.REGISTRY])[0]).uniques.get("Thing", ())
        return {column.attribute for entry in entries for column in entry.columns}

    def _stored(self, id_: str) -> Texts:
        (head,) = self.engine.get([Key(f"Thing#{id_}", keys.HEAD)])
        assert head is not None
        state = json.loads(head.state or "{}")
        return {name: _text(value) for name, value in state.items()}


def written(instant: int) -> str:
    """Return an instant as `atVersion` takes it."""
    moment = datetime.fromtimestamp(instant / 1000, UTC)
    return f"{moment:%d-%m-%Y %H:%M:%S}.{instant % 1000:03}"


def _text(value: Any) -> str | None:
    return value if value is None or isinstance(value, str) else json.dumps(value)


def _texts(answer: Any) -> Any:
    """Return an answer with the texts of its values."""
    if isinstance(answer, dict) and "items" in answer:
        return {**answer, "items": [*map(_texts, answer["items"])]}
    return answer if answer is None else {name: _text(value) for name, value in answer.items()}


class ModelChangesOnSqlite(ModelChanges):
    engine_name = "sqlite"


class ModelChangesOnDynamoDB(ModelChanges):
    engine_name = "dynamodb-moto"


ModelChanges.TestCase.settings = settings(
    max_examples=count(8, 100), stateful_step_count=count(10, 25), deadline=None
)
ModelChangesOnSqlite.TestCase.settings = settings(
    max_examples=count(4, 50), stateful_step_count=count(10, 25), deadline=None
)
ModelChangesOnDynamoDB.TestCase.settings = settings(
    max_examples=count(1, 5), stateful_step_count=count(6, 20), deadline=None
)
TestModelChanges = ModelChanges.TestCase
TestModelChangesOnSqlite = ModelChangesOnSqlite.TestCase
TestModelChangesOnDynamoDB = ModelChangesOnDynamoDB.TestCase
