"""The catalog notes when names are removed and come back, also while two models serve side by side."""

from dataclasses import replace

import pytest

from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.core.model.model import Model, Profile, Role
from stratabase.core.model.reading import read_model
from stratabase.core.model.stored_names import NameKind
from stratabase.core.store.catalog.catalog import (
    SEEN_STEP,
    SERVED_APART,
    Catalog,
    CatalogEntry,
    CatalogName,
    fingerprint,
    parse_catalog,
    serialize_catalog,
    stored_names_of,
)
from stratabase.core.store.catalog.catalog_store import MAX_PART_LENGTH, CatalogStore, ServedNames
from stratabase.core.store.engine.port import Batch, Engine
from stratabase.core.store.engine.wrappers import DelegatingEngine
from stratabase.core.store.indexes.registry import Registry
from stratabase.core.store.layout import keys
from stratabase.values.messages import verbatim
from tests.contract.engine.reference import ReferenceEngine
from tests.models import COLOUR, attribute, class_, model

NICKNAME = CatalogName(NameKind.ATTRIBUTE, "Employee", "nickname")
OLD = model(class_("Employee", attribute("name", "String"), attribute("nickname", "String")))
NEW = model(class_("Employee", attribute("name", "String")))


def after(*steps: tuple[Model, int, bool]) -> Catalog:
    """Return the catalog after models were seen. Each step: the model, the instant, whether it begins."""
    catalog = Catalog()
    for served, now, begins in steps:
        catalog = catalog.record(stored_names_of(served), now, begins=begins)
    return catalog


def entry(*steps: tuple[Model, int, bool]) -> CatalogEntry:
    """Return the entry of the nickname after models were seen."""
    return after(*steps).entries[NICKNAME]


def test_all_names_of_a_model_are_recorded_with_their_forms() -> None:
    boss = Role("boss", "Employee", opposite="crew", holds_key=True)
    crew = Role("crew", "Employee", many=True, opposite="boss")
    employee = replace(OLD.classes["Employee"], roles={"boss": boss, "crew": crew})
    profiles = {"Clerk": Profile("Clerk", renamed_from="Scribe")}
    served = replace(model(employee, enumerations=(COLOUR,)), profiles=profiles)
    assert {f"{name.kind.value} {name}": form for name, form in stored_names_of(served).items()} == {
        "class Employee": "",
        "attribute Employee.name": "String",
        "attribute Employee.nickname": "String",
        "role Employee.boss": "to-one association to Employee",
        "role Employee.crew": "to-many association to Employee",
        "enum value Colour.RED": "",
        "enum value Colour.GREEN": "",
        "enum value Colour.BLUE": "",
        "profile Scribe": "",
    }


def test_a_removed_name_keeps_the_instant_of_its_first_removal() -> None:
    assert entry((OLD, 1, True)) == CatalogEntry(1, forms=("String",))
    assert entry((OLD, 1, True), (NEW, 5, True), (NEW, 9, True)).removed == 5


def test_a_name_comes_back_when_a_model_with_it_begins_to_serve() -> None:
    steps = ((OLD, 1, True), (NEW, 5, True), (OLD, 9, True))
    assert (entry(*steps).removed, entry(*steps).back, entry(*steps).is_removed) == (5, 9, False)
    assert [each.name for each in after(*steps).removed_names()] == [str(NICKNAME)]
    again = entry(*steps, (NEW, 12, True))
    assert (again.removed, again.back) == (12, None)


def test_models_that_serve_side_by_side_do_not_bring_names_back() -> None:
    steps = [(OLD, 1, True), (NEW, 5, True)]
    for hour in range(1, 40):
        steps += [(OLD, hour * SEEN_STEP, False), (NEW, hour * SEEN_STEP + 7, False)]
    found = entry(*steps)
    assert (found.removed, found.back) == (5, None)
    assert found.was_seen_after_removal(40 * SEEN_STEP)
    assert not found.was_seen_after_removal(40 * SEEN_STEP + SERVED_APART)


def test_nothing_is_written_while_a_model_goes_on_serving() -> None:
    catalog = after((OLD, 1, True))
    assert catalog.record(stored_names_of(OLD), SEEN_STEP, begins=False) is catalog
    assert catalog.record(stored_names_of(OLD), SEEN_STEP + 1, begins=False) is not catalog
    removed = after((OLD, 1, True), (NEW, 5, True))
    assert removed.record(stored_names_of(NEW), 6, begins=True) is removed


def test_the_types_that_an_attribute_had_are_kept_in_order() -> None:
    number = model(class_("Employee", attribute("nickname", "Int")))
    assert entry((OLD, 1, True), (number, 2, True)).forms == ("String", "Int")
    assert entry((OLD, 1, True), (number, 2, True), (OLD, 3, True)).forms == ("Int", "String")


def test_a_catalog_survives_storage() -> None:
    catalog = after((OLD, 1, True), (NEW, 5, True), (OLD, 9, True))
    assert parse_catalog(3, serialize_catalog(catalog)) == replace(catalog, revision=3)


def test_the_fingerprint_depends_on_names_and_types_only() -> None:
    assert fingerprint(stored_names_of(OLD)) == fingerprint(
        stored_names_of(replace(OLD, application="Other"))
    )
    assert len({fingerprint(stored_names_of(each)) for each in (OLD, NEW)}) == 2


def test_a_renamed_attribute_keeps_its_entry() -> None:
    renamed = 'type Employee { name: String alias: String @renamed(from: "nickname") }'
    text = f'extend schema @application(name: "Test")\n{renamed}'
    served = ServedNames(ReferenceEngine(), read_model(text, "model.graphql"), lambda: 1)
    assert NICKNAME in served.names


@pytest.mark.parametrize("classes", [1, 40, 500])
def test_a_catalog_of_any_size_is_stored_in_items_that_dynamodb_accepts(classes: int) -> None:
    engine = ReferenceEngine()
    # Names that hardly compress.
    names = [
        CatalogName(
            NameKind.ATTRIBUTE, f"C{number * 7919:x}", f"{fingerprint({})}{number * member * 104_729:x}"
        )
        for number in range(classes)
        for member in range(40)
    ]
    store = CatalogStore(engine)
    entries = {name: CatalogEntry(number * 7, number * 11) for number, name in enumerate(names)}
    store.update(lambda catalog: replace(catalog, entries=entries))
    assert store.read() == Catalog(1, entries)
    parts = [item for page in engine.scan() for item in page]
    assert max(len(item.state or "") for item in parts) <= MAX_PART_LENGTH
    store.update(lambda catalog: replace(catalog, entries=dict([*entries.items()][:3])))
    assert len([item for page in engine.scan() for item in page]) == 1


def test_parts_are_split_and_read_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stratabase.core.store.catalog.catalog_store.MAX_PART_LENGTH", 50)
    engine = ReferenceEngine()
    store = CatalogStore(engine)
    catalog = store.update(lambda catalog: catalog.record(stored_names_of(OLD), 1, begins=True))
    assert len([item for page in engine.scan() for item in page]) > 2
    assert store.read() == catalog
    store.update(lambda catalog: replace(catalog, entries={NICKNAME: CatalogEntry(1)}))
    assert store.read().entries == {NICKNAME: CatalogEntry(1)}


class OvertakenEngine(DelegatingEngine):
    """An engine on which another process writes the catalog before the first commit."""

    overtaken = False

    def commit(self, batch: Batch) -> None:
        if not self.overtaken:
            self.overtaken = True
            ServedNames(self._engine, NEW, lambda: 3).begin()
        super().commit(batch)


def test_processes_that_record_at_once_lose_nothing() -> None:
    engine = ReferenceEngine()
    ServedNames(OvertakenEngine(engine), OLD, lambda: 1).begin()
    assert {str(name) for name in CatalogStore(engine).read().entries} >= {
        "Employee.nickname",
        "Employee.name",
    }


def test_the_registry_says_whether_a_model_must_be_recorded() -> None:
    engine, now = ReferenceEngine(), [1]
    served = ServedNames(engine, OLD, lambda: now[0])
    registry = served.mark(Registry())
    assert [*registry.served.values()] == [1]
    now[0] = SEEN_STEP
    assert served.mark(registry) is registry
    assert CatalogStore(engine).read().revision == 1
    now[0] = SEEN_STEP + 1
    assert [*served.mark(registry).served.values()] == [SEEN_STEP + 1]
    now[0] = 10 * SERVED_APART
    assert [*served.mark(registry.with_served("other", 2, forget_before=0)).served.values()] == [now[0]]


def test_a_store_that_does_not_respond_delays_only_the_record() -> None:
    class Unreachable(DelegatingEngine):
        def _before_read(self) -> None:
            raise Unavailable(verbatim("no store"))

    registry = Registry()
    assert ServedNames(Unreachable(ReferenceEngine()), OLD, lambda: 1).mark(registry) is registry


def test_the_catalog_is_stored_on_each_engine(engine: Engine) -> None:
    ServedNames(engine, OLD, lambda: 5).begin()
    assert NICKNAME in CatalogStore(engine).read().entries
    assert engine.get([keys.catalog()]) != [None]
