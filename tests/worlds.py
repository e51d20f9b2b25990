"""Small worlds for tests of the rooms above the store: objects in a dict, a clock that one sets."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import count

from stratabase.domain.allowance import Allowance
from stratabase.domain.change import Broken, Change, Conflict, Taken, reference_of
from stratabase.domain.cut import Cut
from stratabase.domain.derived_query import Derive
from stratabase.domain.entity import Entity, Reference, State
from stratabase.domain.instant import Instant
from stratabase.domain.member import Caller
from stratabase.domain.page import Page, Query
from stratabase.domain.role_name import RoleName
from stratabase.domain.serial_name import SerialName
from stratabase.model.class_ import Kind, Unique
from stratabase.model.model import Model
from stratabase.operations.world import World
from tests.role_rules import Graph, breaches, has_doubtful_links, taken

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
    """Objects in a dict. `before_commit` is called before each commit, to let another write come between.

    It keeps to the roles of its model as a store does. While not `sweeping`, it is one that has not come to
    purge the links to deleted objects: then those dangle.
    """

    def __init__(self, model: Model) -> None:
        self._model = model
        self.graph = Graph()
        self.commits: list[Change] = []
        self.queries: list[Query] = []
        self.allowances: list[Allowance] = []
        self.before_commit: Callable[[], None] = lambda: None
        self.refuse: Exception | None = None
        self.sweeping = True
        self.serials: Counter[SerialName] = Counter()

    @property
    def objects(self) -> dict[Reference, Entity]:
        """All that there are."""
        return self.graph.objects

    def read(
        self, references: Sequence[Reference], allowance: Allowance | None = None
    ) -> list[Entity | None]:
        if allowance is not None:
            self.allowances.append(allowance)
        return [self._counted(self._there(reference)) for reference in references]

    def linked(
        self,
        role: RoleName,
        ids: Sequence[str],
        *,
        start: str | None = None,
        limit: int | None = None,
        backward: bool = False,
        allowance: Allowance | None = None,
    ) -> list[tuple[str, ...]]:
        if allowance is not None:
            self.allowances.append(allowance)
        return [self._led_to(role, id_, start, backward=backward)[:limit] for id_ in ids]

    def joined(self, role: RoleName, pairs: Sequence[tuple[str, str]]) -> list[bool]:
        return [other in self.graph.led_to(self._model, role, owner) for owner, other in pairs]

    def page(self, query: Query, allowance: Allowance, derive: Derive | None = None) -> Page:
        self.queries.append(query)
        self.allowances.append(allowance)
        cut = Cut(query, self._model.classes[query.class_name])
        found = [each for each in self.objects.values() if each.reference.class_name == query.class_name]
        return cut(derive(found) if derive else found)

    def holding(self, class_name: str, unique: Unique, values: State, allowance: Allowance) -> Entity | None:
        self.allowances.append(allowance)
        return next(self.graph.holding(class_name, unique, values), None)

    def commit(self, change: Change) -> None:
        self.before_commit()
        if self.refuse is not None:
            raise self.refuse
        after = self._allowed(change)
        if not self.sweeping:
            after.links |= self.graph.leading_to_gone(change, self._model)
        self.commits.append(change)
        self.graph = after

    def next_serials(self, wanted: Mapping[SerialName, int]) -> Mapping[SerialName, range]:
        given = {
            name: range(first := self.serials[name] + 1, first + number) for name, number in wanted.items()
        }
        self.serials.update(wanted)
        return given

    def rehearse(self, change: Change) -> None:
        self._allowed(change)

    def _allowed(self, change: Change) -> Graph:
        """Return what a change leads to. Raises Conflict, Taken, Broken."""
        if any(self._there(reference_of(effect)) != effect.before for effect in change.on_objects()):
            raise Conflict
        if has_doubtful_links(self._model, self.graph, change):
            raise Conflict
        after = self.graph.after(change, self._model)
        if twice := tuple(taken(self._model, after, change)):
            raise Taken(twice)
        if broken := breaches(self._model, self.graph, after, change):
            raise Broken(broken)
        return after

    def _there(self, reference: Reference) -> Entity | None:
        is_singleton = (
            reference.id == "1" and self._model.classes[reference.class_name].kind is Kind.SINGLETON
        )
        return self.objects.get(reference) or (
            Entity(reference, {"_id": reference.id}) if is_singleton else None
        )

    def _counted(self, entity: Entity | None) -> Entity | None:
        return entity and replace(entity, counts=self.graph.counts(self._model, entity.reference))

    def _led_to(self, role: RoleName, id_: str, start: str | None, *, backward: bool) -> tuple[str, ...]:
        all_ids = self.graph.led_to(self._model, role, id_)
        if backward:
            return tuple(other for other in reversed(all_ids) if start is None or other < start)
        return tuple(other for other in all_ids if start is None or other > start)


def plenty() -> Allowance:
    """Return an allowance that nothing uses up."""
    return Allowance(2**60, 1, clock=lambda: 0.0)


def world_of(model: Model) -> tuple[World, DictEntities, FrozenClock]:
    """Return a world of a model, with the fakes that it is made of."""
    entities, clock = DictEntities(model), FrozenClock()
    return World(model, entities, clock, CountedIds(), plenty), entities, clock
