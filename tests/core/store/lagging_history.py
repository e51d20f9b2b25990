"""Objects over an engine with lagging indexes, and the history of all their states."""

import random
from collections.abc import Iterator
from math import inf
from typing import Any, NamedTuple

from stratabase.core.domain.objects.entity import State
from stratabase.core.domain.query.filter import Filter
from stratabase.core.domain.query.order import Order
from stratabase.core.domain.query.page import Query
from tests.contract.engine.lagging import LONGEST_LAG, LaggingEngine
from tests.core.domain.query import naive
from tests.core.domain.query.queries import IDS
from tests.core.store.random_queries import Scenario, a_state
from tests.core.store.stores import Store, fresh_class
from tests.models import THING

MOST_WRITES = 80
"""The limit of writes in one history, so that every walk ends."""


class Version(NamedTuple):
    """The state of an object from one moment to another."""

    state: State
    since: float
    until: float = inf


class Span(NamedTuple):
    """The time during which a read ran."""

    began: float
    ended: float


class LaggingHistory:
    """Random writes over lagging indexes, with all states that a reader may see or must see."""

    def __init__(self, chance: random.Random, result: Scenario) -> None:
        self.engine = LaggingEngine(chance.randrange(2**32))
        self.store = Store(self.engine, fresh_class(indexes=result.indexes))
        self._chance = chance
        self._versions: dict[str, list[Version]] = {}
        self._writes = 0
        self.store.page(Query("", Order()))  # it meets the registry now, so that a write is one commit
        for state in result.states:
            self._create(state["_id"], state)

    @property
    def states(self) -> list[State]:
        """The present states of all objects."""
        return [all_[-1].state for all_ in self._versions.values() if all_[-1].until == inf]

    def write(self) -> None:
        """Create, update or delete a random object."""
        self._writes += 1
        if self._writes > MOST_WRITES:
            return
        living = [str(state["_id"]) for state in self.states]
        free = sorted({*IDS} - {*living})
        operation = self._chance.choice(["create", "update", "update", "update", "delete"])
        if operation == "create" or not living:
            self._create(self._chance.choice(free or [f"more{self._writes}"]), a_state(self._chance))
        elif operation == "update":
            self._update(self._chance.choice(living))
        else:
            self._delete(self._chance.choice(living))

    def end(self) -> None:
        """Stop writing, and let the indexes catch up."""
        self._writes = MOST_WRITES
        self.engine.settle()

    def may_be(self, id_: str, span: Span) -> Iterator[State]:
        """Yield the states in which a page may show an object."""
        for version in self._versions.get(id_, ()):
            if version.since <= span.ended and version.until + LONGEST_LAG > span.began:
                yield version.state

    def must_be(self, filter_: Filter | None, span: Span) -> dict[str, State]:
        """Return the matching objects that a walk must show: unchanged for longer than any lag."""
        return {
            id_: version.state
            for id_, (*_, version) in self._versions.items()
            if version.until > span.ended
            and version.since + LONGEST_LAG <= span.began
            and matches(filter_, version.state)
        }

    def may_match(self, filter_: Filter | None, span: Span) -> set[str]:
        """Return the ids of the objects that a page may count as matches."""
        return {
            id_ for id_ in self._versions if any(matches(filter_, state) for state in self.may_be(id_, span))
        }

    def _create(self, id_: str, state: dict[str, Any]) -> None:
        began = self.engine.now
        self.store.create(id_, **{name: value for name, value in state.items() if name != "_id"})
        self._become(id_, began)

    def _update(self, id_: str) -> None:
        change = self.store.update(id_, **a_state(self._chance))
        began = self.engine.now
        self.store.commit(change)
        self._become(id_, began)

    def _delete(self, id_: str) -> None:
        change = self.store.deletion(id_)
        self._end(id_, self.engine.now)
        self.store.commit(change)

    def _become(self, id_: str, now: float) -> None:
        self._end(id_, now)
        self._versions.setdefault(id_, []).append(Version(self.store.get(id_).state, now))

    def _end(self, id_: str, now: float) -> None:
        versions = self._versions.get(id_, [])
        versions[-1:] = [version._replace(until=min(version.until, now)) for version in versions[-1:]]


def matches(filter_: Filter | None, state: State) -> bool:
    """Return whether a state matches a filter. None matches everything."""
    return filter_ is None or naive.matches(filter_, state, THING)
