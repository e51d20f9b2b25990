"""Texts that `@text` folds: the same objects are found, ordered and unique on every engine."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import product
from threading import Barrier
from typing import Any

import pytest

from stratabase.core.domain.issues.refusals import StoreOutOfService
from stratabase.core.domain.objects.commit_refusals import Conflict, UniqueNotBuilt, UniqueViolation
from stratabase.core.domain.query.filter import Comparison, Filter
from stratabase.core.domain.query.order import Order, OrderTerm, position_of
from stratabase.core.domain.query.page import Query, Window
from stratabase.core.model.model import Class, Unique
from stratabase.core.model.types import FOLDED_TYPES, TYPES
from stratabase.core.model.types.base import AttributeType
from stratabase.core.model.types.operators import Operator
from stratabase.core.store.engine.port import Engine
from stratabase.core.store.layout.access_path import (
    Column,
    columns_of,
    parse_columns,
    serialize_columns,
    serialize_readings,
)
from tests.contract.engine.engines import STORING, engine_fixture
from tests.contract.engine.reference import ReferenceEngine
from tests.core.domain.query import naive
from tests.core.store.stores import Store, fresh_class
from tests.evolution.backfill.unique_cases import reindex
from tests.fakes import unlimited_budget
from tests.models import attribute
from tests.soak import count
from tests.values.folded_words import folded_words

engine = engine_fixture(STORING, "module")
ALIAS = Unique(("alias",))
SPELLINGS = ("Straße", "STRASSE", "strasse", "straẞe")


def retyped(class_: Class, **types: AttributeType) -> Class:
    """Return a class in which some attributes have other types."""
    changed = {name: replace(class_.attributes[name], type=type_) for name, type_ in types.items()}
    return replace(class_, attributes={**class_.attributes, **changed})


def ids(
    store: Store,
    filter_: Filter | None,
    order: Order = Order(),  # noqa: B008
    window: Window = Window(500),  # noqa: B008
) -> list[str]:
    page = store.page(Query("", order, filter_, window))
    return [entity.reference.id for entity in page.items]


def test_words_of_many_scripts_are_found_by_an_index_and_without(engine: Engine) -> None:
    words = [word for each in folded_words().values() for word in each]
    stores = [Store(engine, fresh_class(indexes=indexes)) for indexes in ([], [("alias",), ("remark",)])]
    for store in stores:
        store.fill(
            {"_id": f"{number:03}", "alias": word.written, "remark": word.written}
            for number, word in enumerate(words)
        )
    for word in words[::30]:
        for name, folded in (("alias", word.folded), ("remark", word.without_accents)):
            same = [f"{n:03}" for n, each in enumerate(words) if getattr(each, _FORMS[name]) == folded]
            for store, operand in product(stores, {word.written, folded}):
                assert ids(store, Comparison(name, Operator.EQ, operand)) == same, (word, name)
    for name, form in _FORMS.items():
        order = Order.of([OrderTerm(name, descending=True)])
        ranks = {f"{n:03}": (getattr(word, form), word.written) for n, word in enumerate(words)}
        expected = sorted(ranks, key=ranks.__getitem__, reverse=True)
        assert [ids(store, None, order) for store in stores] == [expected, expected]


_FORMS = {"alias": "folded", "remark": "without_accents"}


def test_equal_texts_have_the_order_of_what_was_written(engine: Engine) -> None:
    """The order goes on with it after all other terms, before the id; cursors lie between equal texts."""
    store = Store(engine, fresh_class(indexes=[("alias",), ("alias", "count")]))
    texts = ["ab", "AB", "b", "Ab", "a", "aB", "A"] * 2
    states: list[dict[str, Any]] = [
        {"_id": f"{number:02}", "alias": text, "count": number % 2} for number, text in enumerate(texts)
    ]
    store.fill(states)
    for terms in product((False, True), repeat=2):
        for names in (("alias",), ("alias", "count"), ("count", "alias")):
            order = Order.of([OrderTerm(name, down) for name, down in zip(names, terms, strict=False)])
            for filter_ in (None, Comparison("alias", Operator.IN, ("AB", "A"))):
                expected = naive.page(states, filter_, order, Window(500), store.class_).ids
                assert ids(store, filter_, order) == expected
                walked: list[str] = []
                start = None
                while len(walked) < len(expected):
                    walked += ids(store, filter_, order, Window(3, start=start))
                    start = position_of(next(each for each in states if each["_id"] == walked[-1]), order)
                assert walked == expected


def test_a_value_is_unique_however_it_is_written(engine: Engine) -> None:
    store = Store(engine, fresh_class(("alias",)))
    store.create("a", alias="Straße")
    for spelling in SPELLINGS:
        with pytest.raises(UniqueViolation):
            store.create("b", alias=spelling)
        values = {"alias": spelling}
        found = store.entities.find_by_unique(store.class_.name, ALIAS, values, unlimited_budget())
        assert found is not None
        assert found.state["alias"] == "Straße"
    store.commit(store.update("a", alias="STRASSE"))
    assert store.get("a").state["alias"] == "STRASSE"
    store.commit(store.update("a", alias="x"))
    store.create("b", alias="strasse")


def test_of_several_spellings_at_once_one_is_stored(engine: Engine) -> None:
    store, callers = Store(engine, fresh_class(("alias",))), len(SPELLINGS)
    store.entities.unbuilt()
    for turn in range(count(4, 100)):
        barrier = Barrier(callers)

        def create(number: int, turn: int = turn, barrier: Barrier = barrier) -> bool:
            barrier.wait()
            try:
                store.create(f"{turn} {number}", alias=f"{SPELLINGS[number]} {turn}")
            except (UniqueViolation, Conflict):
                return False
            return True

        with ThreadPoolExecutor(callers) as threads:
            done = list(threads.map(create, range(callers)))
        found = ids(store, Comparison("alias", Operator.EQ, f"strasse {turn}"))
        assert (sum(done), len(found)) == (1, 1)


def test_another_comparison_is_built_while_processes_with_both_models_write(engine: Engine) -> None:
    exact = retyped(
        fresh_class(("alias",), indexes=[("alias",)]), alias=TYPES["String"], remark=TYPES["Text"]
    )
    folded = retyped(exact, alias=FOLDED_TYPES["String FOLDED"])
    before = Store(engine, exact)
    for id_, alias in (("1", "Zoe"), ("2", "ZOE"), ("3", "Adam")):
        before.create(id_, alias=alias)
    now = Store(engine, folded)
    labels = [f"{exact.name} {each}" for each in ("@unique(alias)", "@index(alias)")]
    assert sorted(now.entities.unbuilt()) == sorted(labels)
    # Both go on writing, after they have noticed each other. Each sees what its own model says.
    before = Store(engine, exact)
    before.create("4", alias="adam")
    with pytest.raises(UniqueNotBuilt):
        now.create("5", alias="Bob")
    assert ids(before, Comparison("alias", Operator.EQ, "zoe")) == []
    assert ids(now, Comparison("alias", Operator.EQ, "zoe")) == ["1", "2"]
    found = {(each.ids, str(each.values["alias"]).lower()) for each in reindex(engine, folded).duplicates}
    assert found == {(("1", "2"), "zoe"), (("3", "4"), "adam")}
    now = Store(engine, folded)
    now.create("5", alias="Bob")
    with pytest.raises(UniqueViolation):
        now.create("6", alias="bOB")
    assert ids(now, Comparison("alias", Operator.EQ, "aDAM")) == ["3", "4"]
    for id_, alias in (("2", "Zorro"), ("4", "Ada")):
        now.commit(now.update(id_, alias=alias))
    assert reindex(engine, folded).duplicates == ()
    now = Store(engine, folded)
    assert now.entities.unbuilt() == ()
    assert ids(now, None, Order.of([OrderTerm("alias")])) == ["4", "3", "5", "1", "2"]


def test_columns_name_the_version_of_unicode() -> None:
    columns = columns_of(fresh_class(), ("alias", "remark", "name"))
    readings = serialize_readings(columns)
    assert readings == ["Folded14", "FoldedNoAccents14", "String"]
    assert parse_columns(serialize_columns(columns), readings) == columns


def test_a_folding_of_a_later_version_is_refused_by_name() -> None:
    (column,) = parse_columns(["alias:text"], ["Folded99"])
    assert isinstance(column, Column)
    with pytest.raises(StoreOutOfService, match="'Folded99', which a later version"):
        column.value({"alias": "x"})


def test_a_text_that_was_written_before_is_compared_like_one_that_is_written_now() -> None:
    """An update that leaves the text alone keeps its guard and its place."""
    store = Store(ReferenceEngine(), fresh_class(("alias",), indexes=[("alias",)]))
    store.create("a", alias="Ä")
    store.commit(store.update("a", note="x"))
    with pytest.raises(UniqueViolation):
        store.create("b", alias="A\u0308")
    store.commit(store.deletion("a"))
    store.create("b", alias="ä")
    assert ids(store, Comparison("alias", Operator.STARTS_WITH, "Ä")) == ["b"]


def test_the_attributes_of_this_test_fold() -> None:
    class_ = fresh_class()
    assert attribute("alias", "String").type.folding is None
    assert [class_.attributes[name].type.full_name for name in _FORMS] == [
        "String FOLDED",
        "Text FOLDED_NO_ACCENTS",
    ]
