"""Filters by roles and grants over indexes that lag: objects at rest are shown and counted as they are."""

import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, NamedTuple
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stratabase.core.domain.objects.change import Change, Creation, Deletion, Effect, Modification
from stratabase.core.domain.objects.entity import Entity, Reference, part_ids
from stratabase.core.domain.query.order import Order
from stratabase.core.domain.query.page import Page, Query, Window
from stratabase.core.model.reading import read_model
from stratabase.core.operations.context import ReadContext, evaluation_context
from stratabase.core.operations.ports import EntityRepository
from stratabase.core.operations.read.reader import Reader
from stratabase.core.store.query import planner
from tests.contract.engine.lagging import LONGEST_LAG, LaggingEngine
from tests.contract.engine.reference import ReferenceEngine
from tests.core.operations.read.test_random_plans import ALL, CALLER, filled, queries, text
from tests.fakes import unlimited_budget
from tests.soak import EXAMPLES, count

DEPTH = 8
"""How far filters and grants follow roles: 3 roles in a filter, and more in conditions and grants."""


class Seen(NamedTuple):
    """The objects at one moment."""

    since: float
    states: Mapping[Reference, Mapping[str, Any]]


class History:
    """The same random writes over indexes that lag, and over a store that does not."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self.model = read_model(text(chance), "plans")
        state = chance.getstate()
        self.engine = LaggingEngine(chance.randrange(2**32))
        self.lagging, self.exact = self._filled(self.engine, state), self._filled(ReferenceEngine(), state)
        self.engine.settle()
        self._number = 0
        self.moments = [Seen(self.engine.now, self._states())]

    def _filled(self, engine: Any, state: Any) -> EntityRepository:
        chance = random.Random()
        chance.setstate(state)
        return filled(chance, engine, self.model)

    def write(self) -> None:
        """Create, change or delete an object."""
        changes = self._change()
        began = self.engine.now
        self._number += 1
        for entities in (self.exact, self.lagging):
            effects = [_effect(entities, reference, changed) for reference, changed in changes.items()]
            entities.commit(Change(f"w{self._number}", self._number, tuple(effects)))
        self.moments.append(Seen(began, self._states()))

    def _change(self) -> Mapping[Reference, Mapping[str, Any] | None]:
        """Return what a write sets, None for an object to delete."""
        chance, states = self._chance, self.moments[-1].states
        existing = {each.class_name for each in states}
        kind = chance.choice([each for each in ("Team", "Mate", "Mate", "Mate", "Task") if each in existing])
        reference = chance.choice(sorted(each for each in states if each.class_name == kind))
        changes: Mapping[str, Any] | None = {"size": chance.randint(0, 3)}
        match chance.choice(["size", "size", "name", "role", "role", "delete", "create"]):
            case "name":
                changes = {"name": f"x{self._number}"}
            case "role" if kind == "Mate":
                changes = {"team": chance.choice([None, *(f"t{each}" for each in range(5))])}
            case "role" if kind == "Team":
                taken = {state.get("lead") for state in states.values()}
                free = [each.id for each in states if each.class_name == "Mate" and each.id not in taken]
                changes = {"lead": chance.choice([None, *free])}
            case "delete" if kind == "Mate" and not part_ids(states[reference].get("tasks")):
                changes = None
            case "create":
                reference = Reference("Mate", f"m{10 + self._number}")
                changes = {"name": reference.id, "size": 1, "team": f"t{chance.randint(0, 4)}"}
        return {reference: changes}

    def _states(self) -> Mapping[Reference, Mapping[str, Any]]:
        names = {"Team": 5, "Mate": 60, "Task": 16}
        ids = [Reference("Team", f"t{each}") for each in range(names["Team"])]
        ids += [Reference("Mate", f"m{each}") for each in range(names["Mate"])]
        ids += [Reference("Task", f"m{each // 2}k{each % 2}") for each in range(names["Task"])]
        found = zip(ids, self.exact.read(ids), strict=True)
        return {reference: entity.state for reference, entity in found if entity is not None}

    def restless(self, began: float) -> set[Reference]:
        """Return the objects that were written within the lag, and all objects near them."""
        now = [each for each in self.moments if each.since + LONGEST_LAG > began]
        recent = [*self.moments[: len(self.moments) - len(now)][-1:], *now]
        pairs = pairwise(recent)
        moved = {
            reference
            for one, other in pairs
            for reference in {*one.states, *other.states}
            if one.states.get(reference) != other.states.get(reference)
        }
        near = dict[Reference, set[Reference]]()
        for moment in recent:
            for one, other in _neighbours(moment.states):
                near.setdefault(one, set()).add(other)
                near.setdefault(other, set()).add(one)
        for _ in range(DEPTH):
            moved |= {each for reference in moved for each in near.get(reference, ())}
        return moved


def _neighbours(states: Mapping[Reference, Mapping[str, Any]]) -> Iterator[tuple[Reference, Reference]]:
    targets = {"team": "Team", "lead": "Mate", "mate": "Mate"}
    for reference, state in states.items():
        for role, target in targets.items():
            if isinstance(state.get(role), str):
                yield reference, Reference(target, state[role])


def _effect(entities: EntityRepository, reference: Reference, changed: Mapping[str, Any] | None) -> Effect:
    (before,) = entities.read([reference])
    if changed is None:
        assert before is not None
        return Deletion(before)
    if before is None:
        return Creation(Entity(reference, {"_id": reference.id, **changed}))
    state = {name: value for name, value in {**before.state, **changed}.items() if value is not None}
    return Modification(before, replace(before, state=state))


def page_of(history: History, entities: EntityRepository, profile: str, query: Query) -> Page:
    """Return a page for a profile."""
    caller = replace(CALLER, profile=profile, administrator=profile == "Admin")
    context = ReadContext(history.model, entities, unlimited_budget(), evaluation_context(caller, 0))
    return Reader(context).page(query)


def truth(history: History, profile: str, query: Query) -> Page:
    """Return the page of a scan of the store that does not lag."""
    with patch.object(planner, "_selective", lambda _: ()), patch.object(planner, "_by_key", lambda _: ()):
        return page_of(history, history.exact, profile, query)


def ids(page: Page) -> Sequence[str]:
    """Return the ids of the objects of a page."""
    return [each.reference.id for each in page.items]


def hold_pages_against_the_truth(number: int) -> Counter[str]:
    """Write, and compare pages; return how many objects were compared."""
    chance = random.Random(number)
    history = History(chance)
    asked = [
        (profile, replace(query, window=Window(100), fields=ALL, order=Order()))
        for profile, query in queries(chance, history.model)
    ]
    compared = Counter[str]()
    for _ in range(8):
        history.write()
        for profile, query in asked:
            began = history.engine.now
            page = page_of(history, history.lagging, profile, query)
            right = {*ids(truth(history, profile, query))}
            restless = {each.id for each in history.restless(began) if each.class_name == query.class_name}
            assert {*ids(page)} - restless == right - restless, (profile, query)
            assert page.total_count is not None
            assert len(right - restless) <= page.total_count <= len(right | restless)
            assert not page.has_next
            compared["shown"] += len(right - restless)
            compared["restless"] += len(restless)
    history.engine.settle()
    for profile, query in asked:
        last = truth(history, profile, query)
        found = page_of(history, history.lagging, profile, query)
        assert (ids(found), found.total_count) == (ids(last), last.total_count)
    return compared


@pytest.mark.soak
@settings(max_examples=count(EXAMPLES // 2, EXAMPLES // 4))
@given(st.integers(0, 2**64))
def test_objects_at_rest_are_shown_and_counted(number: int) -> None:
    """Random grants along roles, filters, writes, and stored names."""
    hold_pages_against_the_truth(number)


def test_some_objects_are_at_rest_and_others_are_not() -> None:
    compared = sum((hold_pages_against_the_truth(number) for number in range(6)), Counter[str]())
    assert min(compared["shown"], compared["restless"]) > 100, compared
