"""Random changes of a type and a default, and writes, against a naive model of what is stored."""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stratabase.core.domain.objects.change import Modification
from stratabase.core.domain.objects.entity import Entity
from stratabase.core.domain.query.filter import Comparison
from stratabase.core.domain.query.order import Order, OrderTerm
from stratabase.core.domain.query.page import Query, Window
from stratabase.core.model.attribute import Attribute, overwrite
from stratabase.core.model.model import Class, Index
from stratabase.core.model.types import TYPES
from stratabase.core.model.types.base import AttributeType
from stratabase.core.model.types.enumeration import EnumType
from stratabase.core.model.types.operators import Operator
from stratabase.core.store.indexes.entries import BuildState
from stratabase.core.store.indexes.registry import Registry, parse_registry
from stratabase.core.store.layout import keys
from stratabase.evolution.backfill.reindex import Reindex
from tests.contract.engine.reference import ReferenceEngine
from tests.core.store.stores import Store
from tests.models import attribute, model
from tests.soak import EXAMPLES

NOTHING = object()
"""Stands for a value that is not stored."""
VALUES: Mapping[str, tuple[AttributeType, Mapping[str, Any]]] = {
    "String": (TYPES["String"], {text: text for text in ("5", "05", "true", "RED", "BLUE", "text")}),
    "Text": (TYPES["Text"], {text: text for text in ("5", "05", "true", "RED", "BLUE", "text")}),
    "Int": (TYPES["Int"], {"5": 5}),
    "Real": (TYPES["Real"], {"5": "5"}),
    "Boolean": (TYPES["Boolean"], {"true": True}),
    "Few": (EnumType("Few", ["RED"]), {"RED": "RED"}),
    "More": (EnumType("More", ["RED", "BLUE"]), {"RED": "RED", "BLUE": "BLUE"}),
}
"""By name of a type: the type, and its values by text, among the texts of this test."""


def text_of(value: Any) -> str:
    """Return the text of a stored value."""
    return "true" if value is True else str(value)


class NaiveStore:
    """What is stored for `x` of each object, and what a type and a default show of it."""

    def __init__(self) -> None:
        self.values: Mapping[str, Any] = {}
        self.default: Any = None
        self.stored: dict[str, Any] = {}

    def shown(self, id_: str) -> Any:
        """Return the value that the present type shows."""
        stored = self.stored[id_]
        if stored is NOTHING:
            return self.default
        return None if stored is None else self.values.get(text_of(stored))

    def write(self, id_: str, value: Any) -> None:
        """Store a value that a client sets."""
        if value is None:
            was_null = self.stored[id_] is None
            self.stored[id_] = None if was_null or self.default is not None else NOTHING
        elif self.stored[id_] in {None, NOTHING} or self.shown(id_) != value:
            self.stored[id_] = value


def thing(type_name: str, default: Any) -> Class:
    """Return a class with an index by `x`, which is of a type and has a default."""
    x = Attribute("x", VALUES[type_name][0], default=default)
    each = {"x": x, "note": attribute("note", "Int")}
    return Class("Thing", attributes=MappingProxyType(each), indexes=(Index(("x",)),))


def overwritten(store: Store, id_: str, **changes: Any) -> Modification:
    """Return the modification of an object by values that a client sets."""
    before = store.get(id_)
    after = overwrite(before.state, changes, store.class_.attributes)
    return Modification(before, Entity(before.reference, after, before.commit_ids))


def check(store: Store, naive: NaiveStore) -> None:
    """Check what the store shows, filters and orders."""
    shown = {id_: naive.shown(id_) for id_ in naive.stored}
    assert {id_: store.get(id_).state.get("x") for id_ in shown} == shown

    def found(order: Order = Order(), filter_: Any = None) -> list[str]:  # noqa: B008
        page = store.page(Query("", order, filter_, window=Window(100)))
        return [entity.reference.id for entity in page.items]

    nulls = [id_ for id_ in sorted(shown) if shown[id_] is None]
    assert found(filter_=Comparison("x", Operator.NULL, True)) == nulls
    ordered = nulls + sorted((id_ for id_ in shown if id_ not in nulls), key=lambda id_: (shown[id_], id_))
    assert found(Order.of([OrderTerm("x")])) == ordered
    for value in naive.values.values():
        expected = [id_ for id_ in sorted(shown) if shown[id_] is not None and shown[id_] == value]
        assert found(filter_=Comparison("x", Operator.EQ, value)) == expected


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("model"), st.sampled_from(sorted(VALUES)), st.integers(-2, 5)),
        st.tuples(st.just("write"), st.sampled_from("abcd"), st.integers(-1, 5)),
        st.tuples(st.just("touch"), st.sampled_from("abcd"), st.integers(0, 3)),
        st.tuples(st.just("reindex"), st.just(""), st.just(0)),
    ),
    max_size=12,
)


@pytest.mark.soak
@settings(max_examples=EXAMPLES)
@given(STEPS)
def test_random_changes_of_a_type_and_a_default_agree_with_a_naive_model(
    steps: list[tuple[str, str, int]],
) -> None:
    engine, naive = ReferenceEngine(), NaiveStore()
    naive.values = VALUES["String"][1]
    store = Store(engine, thing("String", None))
    for what, name, number in steps:
        values = [*naive.values.values()]
        if what == "model":
            naive.values = VALUES[name][1]
            defaults = [None, None, *naive.values.values()]
            naive.default = defaults[number % len(defaults)] if number >= 0 else None
            store = Store(engine, thing(name, naive.default))
        elif what == "write":
            value = None if number < 0 else values[number % len(values)]
            if name not in naive.stored:
                store.create(name)
                naive.stored[name] = NOTHING
            store.commit(overwritten(store, name, x=value))
            naive.write(name, value)
        elif what == "touch" and name in naive.stored:
            store.commit(overwritten(store, name, note=number))
        elif what == "reindex":
            Reindex(engine, model(store.class_), sleep=lambda _: None).run("Thing")
            store = Store(engine, store.class_)
        check(store, naive)


def registry_of(engine: ReferenceEngine, class_: Class) -> Registry:
    """Return the registry after a process with a model has started."""
    Store(engine, class_).entities.unbuilt()
    return parse_registry(engine.get([keys.REGISTRY])[0])


def states(engine: ReferenceEngine, class_: Class) -> list[BuildState]:
    """Return the states of the indexes of a class for a model."""
    return [slot.state for slot in registry_of(engine, class_).classes["Thing"]]


def test_more_values_of_an_enum_make_nothing_building_and_fewer_do() -> None:
    engine = ReferenceEngine()
    store = Store(engine, thing("Few", None))
    store.create("a", x="RED")
    assert states(engine, thing("More", None)) == [BuildState.READY]
    Store(engine, thing("More", None)).create("b", x="BLUE")
    assert states(engine, thing("Few", None)) == [BuildState.READY, BuildState.BUILDING]


def test_more_values_of_an_enum_are_built_if_objects_may_have_them() -> None:
    engine = ReferenceEngine()
    Store(engine, thing("String", None)).create("a", x="BLUE")
    for name in ("Few", "More"):
        class_ = thing(name, None)
        assert BuildState.BUILDING in states(engine, class_)
        Reindex(engine, model(class_), sleep=lambda _: None).run("Thing")
        assert states(engine, class_)[-1] is BuildState.READY


def test_a_string_and_a_text_share_an_index_and_other_types_do_not() -> None:
    engine = ReferenceEngine()
    Store(engine, thing("String", None)).create("a", x="text")
    assert states(engine, thing("Text", None)) == [BuildState.READY]
    assert states(engine, thing("Int", None)) == [BuildState.READY, BuildState.BUILDING]
    assert states(engine, thing("String", "d"))[-1] is BuildState.BUILDING


def test_an_index_of_an_earlier_version_of_the_service_is_used_at_once() -> None:
    """That version wrote no readings. Its columns get those of the first model that it serves."""
    engine = ReferenceEngine()
    class_ = thing("More", None)
    Store(engine, class_).create("a", x="RED")
    item = engine.get([keys.REGISTRY])[0]
    assert item is not None
    assert item.state is not None
    assert '"readings":["Enum(BLUE|RED)"]' in item.state
    earlier = item.state.replace('"readings":["Enum(BLUE|RED)"],', "")
    engine._items[keys.REGISTRY] = replace(item, state=earlier)
    assert states(engine, class_) == [BuildState.READY]
    assert states(engine, thing("Int", None)) == [BuildState.READY, BuildState.BUILDING]
