"""Totals that have reached the read limit are refused before anything is read, on an engine with a price."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from sys import maxsize
from time import monotonic
from typing import Any

import pytest

from stratabase.core.domain.issues.refusals import ReadBudgetExceeded
from stratabase.core.domain.objects.change import Change, Creation
from stratabase.core.domain.objects.entity import Entity, Reference
from stratabase.core.domain.query.filter import Comparison
from stratabase.core.domain.query.order import Order
from stratabase.core.domain.query.page import PageFields, Query, Window
from stratabase.core.domain.query.read_budget import ReadBudget
from stratabase.core.model.reading import read_model
from stratabase.core.model.types.operators import Operator
from stratabase.core.store.engine.port import Item
from stratabase.core.store.query import pages
from stratabase.core.store.repository import Repository
from tests.contract.engine.reference import ReferenceEngine

MODEL = read_model(
    'extend schema @application(name: "A") @profile(name: "P", administrator: true) type C { number: Int }',
    "m",
)
OBJECTS = 90


class _CountingEngine(ReferenceEngine):
    """An engine that counts ranges."""

    ranges = 0

    def range(self, *arguments: Any, **options: Any) -> Iterator[Sequence[Item]]:
        self.ranges += 1
        return super().range(*arguments, **options)


class _PagedEngine(ReferenceEngine):
    """An engine whose ranges have small pages."""

    def range(self, *arguments: Any, **options: Any) -> Iterator[Sequence[Item]]:
        for page in super().range(*arguments, **options):
            yield from (page[at : at + 30] for at in range(0, len(page), 30))


def query(least: int | None = None) -> Query:
    filter_ = None if least is None else Comparison("number", Operator.GTE, least)
    fields = PageFields(version_start=False, attributes=frozenset(), totals=frozenset({"number"}))
    return Query("C", Order(), filter_, Window(maxsize), fields)


def filled(engine: ReferenceEngine) -> Repository:
    """Return the objects of an engine, after some were created."""
    entities = Repository(engine, MODEL)
    for start in range(0, OBJECTS, 30):
        made = (
            Entity(Reference("C", f"{number:03}"), {"_id": f"{number:03}"})
            for number in range(start, start + 30)
        )
        entities.commit(Change(f"c{start}", 1, tuple(map(Creation, made))))
    return entities


def test_totals_that_were_too_much_are_refused_before_anything_is_read() -> None:
    engine, now = _CountingEngine(), [0]
    entities = filled(engine)
    object.__setattr__(entities._store, "now", lambda: now[0])

    def read(asked: Query, objects: int) -> tuple[str, int]:
        """Return the refusal, or an empty text, and how many ranges were read."""
        engine.ranges = 0
        budget = ReadBudget(210 * objects, 60, monotonic)
        try:
            list(entities.matches(asked, budget))
        except ReadBudgetExceeded as refusal:
            return str(refusal), engine.ranges
        return "", engine.ranges

    first, ranges = read(query(), 20)
    assert first.startswith("C: The request reached its read limit after ")
    assert ranges
    again, ranges = read(query(), 20)
    assert again.startswith("C: Nothing was read: a short time ago, the same request reached its read limit")
    assert f"after {OBJECTS} objects." in again
    assert ranges == 0
    # Another filter may have other matches, and a larger budget may be enough.
    filtered, ranges = read(query(5), 20)
    assert '@index(attributes: ["number"])' in filtered
    assert ranges
    assert '@index(attributes: ["number"])' in read(query(5), 20)[0]
    assert read(query(), 2 * OBJECTS) == ("", 1)
    now[0] = 10**9
    assert read(query(), 20)[1]


def test_what_totals_read_of_other_objects_refuses_no_other_totals(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "_BATCH", 30)
    entities = filled(_PagedEngine())
    size = 2 * 210 * OBJECTS
    budget = ReadBudget(size, 60, monotonic)
    with pytest.raises(ReadBudgetExceeded):  # noqa: PT012 - each batch leads to more reads
        for _ in entities.matches(query(), budget):
            budget.charge(size)

    number = sum(len(each.states) for each in entities.matches(query(), ReadBudget(size, 60, monotonic)))
    assert number == OBJECTS


def test_long_filters_are_not_remembered() -> None:
    engine = _CountingEngine()
    entities = filled(engine)
    long = replace(query(), filter=Comparison("number", Operator.NOT_IN, tuple(range(1000))))
    for _ in range(2):
        engine.ranges = 0
        with pytest.raises(ReadBudgetExceeded):
            list(entities.matches(long, ReadBudget(210 * 20, 60, monotonic)))
        assert engine.ranges
