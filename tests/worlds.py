"""Small worlds for tests of the rooms above the store: objects in a dict, a clock that one sets."""

from collections.abc import Callable, Iterator, Sequence
from itertools import count

from stratabase.domain.allowance import Allowance
from stratabase.domain.change import Change, Conflict, Creation, Deletion
from stratabase.domain.entity import Entity, Reference
from stratabase.domain.instant import Instant
from stratabase.domain.member import Caller
from stratabase.domain.page import Page, Query
from stratabase.model.model import Model
from stratabase.operations.world import World

NOON = 1_577_880_000_000
"""2020-01-01T12:00:00Z."""

ADMINISTRATOR = Caller("m1", "ada", "Administrator", administrator=True)


class FrozenClock:
    """A clock that goes only when it is told to."""

    def __init__(self, instant: Instant = NOON) -> None:
        self.instant = instant

    def now(self) -> Instant:
        return self.instant


class CountedIds:
    """Ids that can be foretold: id1, id2 …"""

    def __init__(self) -> None:
        self._numbers: Iterator[int] = count(1)

    def new(self) -> str:
        return f"id{next(self._numbers)}"


class DictEntities:
    """Objects in a dict. `before_commit` is called before each commit, to let another write come between."""

    def __init__(self) -> None:
        self.objects: dict[Reference, Entity] = {}
        self.commits: list[Change] = []
        self.queries: list[Query] = []
        self.allowances: list[Allowance] = []
        self.before_commit: Callable[[], None] = lambda: None
        self.refuse: Exception | None = None

    def read(
        self, references: Sequence[Reference], allowance: Allowance | None = None
    ) -> list[Entity | None]:
        if allowance is not None:
            self.allowances.append(allowance)
        return [self.objects.get(reference) for reference in references]

    def page(self, query: Query, allowance: Allowance) -> Page:
        self.queries.append(query)
        self.allowances.append(allowance)
        items = tuple(
            entity for entity in self.objects.values() if entity.reference.class_name == query.class_name
        )
        return Page(items, total_count=len(items), has_next=False, has_prev=False)

    def commit(self, change: Change) -> None:
        self.before_commit()
        if self.refuse is not None:
            raise self.refuse
        for effect in change.effects:
            if (
                not isinstance(effect, Creation)
                and self.objects.get(effect.before.reference) != effect.before
            ):
                raise Conflict
        self.commits.append(change)
        for effect in change.effects:
            if isinstance(effect, Deletion):
                del self.objects[effect.before.reference]
            else:
                after = effect.after
                self.objects[after.reference] = Entity(after.reference, after.state, (change.commit_id,))


def plenty() -> Allowance:
    """Return an allowance that nothing uses up."""
    return Allowance(2**60, 1, clock=lambda: 0.0)


def world_of(model: Model) -> tuple[World, DictEntities, FrozenClock]:
    """Return a world of a model, with the fakes that it is made of."""
    entities, clock = DictEntities(), FrozenClock()
    return World(model, entities, clock, CountedIds(), plenty), entities, clock
