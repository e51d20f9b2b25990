"""Answers are those of graphql-core's executor over a plain reader, to the byte.

Models, objects, documents and variables are random. The plain reader has all objects in dicts, and filters,
sorts and cuts them by simple code (`PlainEntities`). Each document is asked by several members, with several
values of its variables, and while objects change and indexes are built: what the service keeps of a document
must not show.
"""

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import pytest

from stratabase.core.domain.caller import Caller
from stratabase.core.domain.objects.entity import Entity, Reference
from stratabase.core.domain.objects.instant import Instant, format_instant
from stratabase.core.domain.query.taken_plan import TakenPlan
from stratabase.core.model.model import Class
from stratabase.core.operations.context import Services
from stratabase.core.operations.ports import EntityRepository
from stratabase.core.schema.execution.compiled_operation import CompiledOperation
from stratabase.core.schema.executor import SchemaExecutor
from stratabase.core.store.engine.port import Engine
from stratabase.core.store.query.planner import record_plans
from stratabase.core.store.repository import Repository
from stratabase.values.formats.preferences import Formats
from tests.contract.engine.engines import DISTANT, EngineImplementation
from tests.core.schema.random_answers.models import STORED, condition_of, random_model
from tests.core.schema.random_answers.objects import (
    LAST_INSTANT,
    MOST_OBJECTS,
    SECOND,
    ContractVisibility,
    RandomObjects,
)
from tests.core.schema.random_answers.queries import QueryWriter
from tests.core.schema.random_answers.totals import (
    Column,
    columns_of,
    folded_keys,
    key_of,
    random_keys,
    rank,
    totals_of,
)
from tests.fakes import CountedIds, FrozenClock, unlimited_budget
from tests.soak import count, seed

CALLERS = (
    Caller("1", "ada", "Admin", administrator=True),
    Caller("2", "ab", "Member"),
    Caller("3", "eve", "Clerk", formats=Formats("yyyy.MM.dd", "HH.mm", "Europe/Rome", "it")),
)
DOCUMENTS = 24
"""The documents about one store."""


class Deleted(NamedTuple):
    """When an object was deleted, and all objects as they were then."""

    instant: Instant
    before: Mapping[Reference, Entity]


class Compared:
    """A service over a store, and the plain one."""

    def __init__(self, engine: Engine, number: int, other: Engine | None = None) -> None:
        self.chance = Random(number)
        self.objects = RandomObjects(engine, random_model(self.chance), self.chance, other)
        self.model = self.objects.model
        self._clock = FrozenClock(LAST_INSTANT)
        self._service = self._executor(self.objects.stored, compiled=True)
        self._plain = self._executor(self.objects.plain, compiled=False)
        self.writer = QueryWriter(self.model, self._plain.schema, self.chance)
        self.gone: dict[Reference, Deleted] = {}
        self.asked = self.answered = self.kept = self.labels = self.totals = self.folded = self.deleted = 0
        self.by_index_alone = 0

    def _executor(self, entities: EntityRepository, *, compiled: bool) -> SchemaExecutor:
        services = Services(self.model, entities, self._clock, CountedIds(), unlimited_budget)
        return SchemaExecutor(services, _failed, compile_answers=compiled)

    def ask(self, text: str, variables: Mapping[str, Any], caller: Caller) -> dict[str, Any]:
        """Return the answer that both give."""
        name = "O0" if " O1" in text else None
        asked = (text, variables, name, caller, "t")
        answer = self._service.execute(*asked, base_url="https://x").body
        assert answer == self._plain.execute(*asked, base_url="https://x").body, asked
        found: dict[str, Any] = json.loads(answer)
        self.asked += 1
        self.answered += any((found.get("data") or {}).values())
        return found

    def ask_all(self) -> None:
        """Ask random documents."""
        texts: list[tuple[str, Mapping[str, Any]]] = []
        for number in range(DOCUMENTS):
            if number % 5 == 4:
                self.check_kept_objects()
                self.objects.change()
                self.delete_some()
                self.restore_one()
            if number == 2 * DOCUMENTS // 3:
                self.objects.reindex()
            text = self.writer.query(literals=self.chance.random() < 0.3)
            texts.append((text, self.writer.variables()))
            for _ in range(2):
                self.ask(text, self.writer.variables(), self.chance.choice(CALLERS))
            self.ask(*self.chance.choice(texts), self.chance.choice(CALLERS))
            self.ask(self.writer.targets(), {}, self.chance.choice(CALLERS))
            if number % 4 == 0:
                self._walk()

    def _walk(self) -> None:
        """Follow the cursors of a page."""
        text, caller = self.writer.walk(), self.chance.choice(CALLERS)
        variables = self.writer.variables()
        for _ in range(4):
            answer = self.ask(text, variables, caller)
            page = (answer.get("data") or {}).get("page") or {}
            cursor = page.get("nextCursor") or page.get("prevCursor")
            if cursor is None:
                break
            variables = {**variables, "at": cursor}

    def delete_some(self) -> None:
        """Delete some objects at the same instant. The store may refuse that."""
        self._clock.instant = self.objects.next_instant()
        for reference in self.objects.some_to_delete():
            if reference in self.objects.plain.objects:
                before = dict(self.objects.plain.objects)
                if self._write(f'{reference.class_name}___delete(_id: "{reference.id}") {{ deleted }}'):
                    self._note_deleted(before)
        self._clock.instant = LAST_INSTANT

    def _note_deleted(self, before: Mapping[Reference, Entity]) -> None:
        for each in before.keys() - self.objects.plain.objects.keys():
            if self.model.classes[each.class_name].versioned:
                self.gone[each] = Deleted(self._clock.instant, before)

    def restore_one(self) -> None:
        """Restore a deleted object. The store may refuse that."""
        alone = [each for each in self.gone if not self.model.classes[each.class_name].part]
        if not alone:
            return
        reference = self.chance.choice(alone)
        at = format_instant(self.gone[reference].instant - 1)
        self._clock.instant = self.objects.next_instant()
        self._write(
            f'{reference.class_name}___restoreVersion(_id: "{reference.id}", atVersion: "{at}", ) {{ _id }}'
        )
        for each in self.gone.keys() & self.objects.plain.objects.keys():
            del self.gone[each]
        self._clock.instant = LAST_INSTANT

    def _write(self, mutation: str) -> bool:
        """Run a mutation. Return whether the service has done it. If it has, the plain one does the same."""
        none: Mapping[str, Any] = {}
        asked = (f"mutation {{ {mutation} }}", none, None, CALLERS[0], "t")
        answer = self._service.execute(*asked, base_url="https://x").body
        if "errors" in json.loads(answer):
            return False
        assert answer == self._plain.execute(*asked, base_url="https://x").body, asked
        return True

    def check_deleted(self) -> None:
        """Compare the deleted objects that members see with those that were deleted, page by page."""
        for caller in CALLERS:
            for class_ in self.model.classes.values():
                if class_.name.startswith("C") and class_.versioned and class_.exposed:
                    self._check_deleted(class_, caller)

    def _check_deleted(self, class_: Class, caller: Caller) -> None:
        if not caller.administrator and not self._is_judged_alone(class_):
            return
        of_class = [each for each in self.gone if each.class_name == class_.name]
        latest_first = sorted(of_class, key=lambda each: (self.gone[each].instant, each.id), reverse=True)
        expected = [
            (each.id, self.gone[each].instant)
            for each in latest_first
            if caller.administrator or self._saw(each, caller)
        ]
        size = self.chance.choice([1, 2, 3, 7])
        for limit, following in (("next", "nextCursor"), ("prev", "prevCursor")):
            found: list[tuple[str, Instant]] = []
            cursor: Any = None
            for _ in range(len(expected) + 2):
                answer = self.ask(
                    f"query($at: Cursor) {{ page: {class_.name}___getDeletedPage"
                    f"(options: {{{limit}: {size}, cursor: $at}}) {{ "
                    f'items {{ object {{ _id }} deletedOn(format: "iso") }} {following} }} }}',
                    {"at": cursor},
                    caller,
                )
                page = (answer.get("data") or {}).get("page")
                if page is None:  # the caller may not read the class
                    return
                shown = [(each["object"]["_id"], _instant(each["deletedOn"])) for each in page["items"]]
                found = [*found, *shown] if limit == "next" else [*shown, *found]
                cursor = page[following]
                if len(page["items"]) < size:
                    break
            assert found == expected, (class_, caller, limit)
        self.deleted += len(expected)

    def _is_judged_alone(self, class_: Class) -> bool:
        """Return whether the values of an object alone decide who sees it."""
        grants = [each for each in class_.grants if each.field is None and each.where is not None]
        return not class_.part and all(condition_of(each).role is None for each in grants)

    def _saw(self, reference: Reference, caller: Caller) -> bool:
        """Return whether a member saw an object before its deletion."""
        before = self.gone[reference].before
        shown = ContractVisibility(self.model, before, caller.profile).shown(reference.class_name, [])
        return reference.id in shown

    def check_kept_objects(self) -> None:
        """Compare the objects that requests share with those that are stored: no request may change them."""
        assert isinstance(self.objects.stored, Repository)
        store = self.objects.stored._store
        kept = store.kept_objects.of(store.engine.data_version())
        found = [*kept]
        stored = store.read_all([entity.reference for entity in found])
        assert [(each.state, each.seen) for each in found] == [
            each and (each.state, each.seen) for each in stored
        ]
        self.kept += len(found)

    def check_visibility(self) -> None:
        """Compare what members see of all objects with the sentences of the contract."""
        for caller in CALLERS[1:]:
            seen = ContractVisibility(self.model, self.objects.plain.objects, caller.profile)
            for class_ in self.model.classes.values():
                if class_.name.startswith("C"):
                    self._check_class(class_, caller, seen)

    def check_totals(self) -> None:
        """Compare the totals that members see with those of the objects that they see."""
        with record_plans(self._note_plan):
            for caller in CALLERS:
                for class_ in self.model.classes.values():
                    if class_.name.startswith("C"):
                        self._check_totals(class_, caller)

    def _note_plan(self, plan: TakenPlan) -> None:
        self.by_index_alone += plan.description.startswith("count the entries of ")

    def _check_totals(self, class_: Class, caller: Caller) -> None:
        columns = columns_of(class_)
        selected = f"_count {' '.join(each.totals for each in columns)}"
        answer = self.ask(
            f"{{ page: {class_.name}___getPage {{ aggregates {{ {selected} }} }} }}", {}, caller
        )
        if answer.get("data") is None or answer["data"]["page"] is None:
            return
        totals = answer["data"]["page"]["aggregates"]
        columns = [each for each in columns if totals[each.name] is not None]
        items = self._items(class_, columns, caller)
        assert totals["_count"] == len(items)
        expected = {each.name: totals_of(each, items) for each in columns}
        assert {each.name: totals[each.name] for each in columns} == expected, (class_, caller)
        self.totals += bool(items)
        for names in (None, *(each.attributes for each in class_.indexes)):
            among = [each for each in columns if names is None or each.name in names]
            keys = random_keys(among, self.chance)
            if keys:
                self._check_groups(class_, among, items, keys, caller)

    def _items(self, class_: Class, columns: Sequence[Column], caller: Caller) -> list[Mapping[str, Any]]:
        options = f"options: {{next: {10 * MOST_OBJECTS}}}"
        shown = " ".join(each.field for each in columns)
        answer = self.ask(
            f"{{ page: {class_.name}___getPage({options}) {{ items {{ _id {shown} }} }} }}", {}, caller
        )
        found: list[Mapping[str, Any]] = answer["data"]["page"]["items"]
        return found

    def _check_groups(
        self,
        class_: Class,
        columns: Sequence[Column],
        items: Sequence[Mapping[str, Any]],
        keys: Sequence[str],
        caller: Caller,
    ) -> None:
        by_name = {each.name: each for each in columns}
        groups: dict[tuple[Any, ...], list[Mapping[str, Any]]] = defaultdict(list)
        for item in items:
            groups[tuple(key_of(key, by_name, item) for key in keys)].append(item)
        column = self.chance.choice(columns)
        # A folded key shows what the object with the least id has.
        folded = folded_keys(class_, keys)
        self.folded += bool(folded)
        shown = {each: min(found, key=lambda item: str(item["_id"])) for each, found in groups.items()}
        expected = [
            [len(groups[each]), totals_of(column, groups[each]), [shown[each][key] for key in folded]]
            for each in sorted(groups, key=rank)
        ]
        found: list[Any] = []
        cursor = None
        for _ in range(len(groups) + 1):
            arguments = f"by: [{', '.join(keys)}], next: 4, cursor: $at"
            page = self.ask(
                f"query($at: Cursor) {{ page: {class_.name}___getPage {{ groups({arguments}) {{ "
                "totalCount nextCursor hasNext "
                f"items {{ _count {column.totals} _keys {{ __typename {' '.join(folded)} }} }} }} }} }}",
                {"at": cursor},
                caller,
            )["data"]["page"]["groups"]
            assert page["totalCount"] == len(groups)
            found += [
                [each["_count"], each[column.name], [each["_keys"][key] for key in folded]]
                for each in page["items"]
            ]
            cursor = page["nextCursor"]
            if not page["hasNext"]:
                break
        assert found == expected, (class_, keys, caller)

    def _check_class(self, class_: Class, caller: Caller, seen: ContractVisibility) -> None:
        names = [each for each in class_.attributes if each in STORED and each != "picture"]
        options = f"options: {{next: {10 * MOST_OBJECTS}}}"
        answer = self.ask(
            f"{{ page: {class_.name}___getPage({options}) {{ items {{ _id {' '.join(names)} }} }} }}",
            {},
            caller,
        )
        page = (answer.get("data") or {}).get("page") or {"items": []}
        found = {each["_id"]: {name for name in names if each[name] is not None} for each in page["items"]}
        assert found == seen.shown(class_.name, names), (class_, caller, answer)
        answer = self.ask(
            f"{{ page: {class_.name}___getPage({options}) {{ items {{ _id _label }} }} }}", {}, caller
        )
        page = (answer.get("data") or {}).get("page") or {"items": []}
        labels = {each["_id"]: each["_label"] for each in page["items"]}
        assert labels == seen.labels(class_.name), (class_, caller)
        self.labels += sum(each is not None for each in labels.values())


def _instant(shown: str) -> Instant:
    return round(datetime.fromisoformat(shown).timestamp() * SECOND)


def _failed(error: BaseException, _: str) -> None:
    raise error


def compare(kind: EngineImplementation, folder: Path, number: int) -> Compared:
    """Compare the answers about one store."""
    folder.mkdir()
    engine = kind.open(folder)
    # Over the wire, `open` makes another table.
    other = kind.open(folder) if kind.name == "sqlite" else None
    compared = Compared(engine, number, other)
    compared.check_visibility()
    compared.check_totals()
    compared.ask_all()
    compared.check_totals()
    compared.check_deleted()
    for each in (engine, other):
        if each is not None:
            each.close()
    return compared


@pytest.mark.soak
@pytest.mark.parametrize("kind", DISTANT, ids=lambda kind: kind.name)
def test_answers_are_those_of_a_plain_reader(kind: EngineImplementation, tmp_path: Path) -> None:
    for turn in range(count(2, 200) if kind.name == "sqlite" else count(1, 40)):
        compare(kind, tmp_path / str(turn), seed() + turn)


def test_many_requests_are_answered_by_compiled_operations(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise, the test above would compare refusals, or graphql-core's executor with itself."""
    compiled: list[bool] = []
    data = CompiledOperation.data

    def noted(*given: Any) -> Any:
        found = data(*given)
        compiled.append(found is not None)
        return found

    monkeypatch.setattr(CompiledOperation, "data", noted)

    compared = compare(DISTANT[0], tmp_path / "store", 3)

    assert compared.answered > compared.asked / 2
    assert sum(compiled) > compared.asked / 3
    assert compared.kept > 10
    assert compared.labels > 10
    assert compared.totals > 2
    assert compared.deleted > 2
    assert compared.by_index_alone > 2
