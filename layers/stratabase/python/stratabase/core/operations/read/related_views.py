"""Load what the roles of many objects lead to, and put it into their views."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from types import MappingProxyType
from typing import Any, Generic, TypeVar

from stratabase.core.domain.objects.entity import Entity, Reference, RoleStorage, State, UnmadeEntities
from stratabase.core.domain.query.derived import Computed, computed_parts, simplify
from stratabase.core.domain.query.fetch import Fetch, Render, RoleFetch, ToMany, ToOne, View, render_stored
from stratabase.core.domain.query.page import ALL_IDS, Page, Paginator, id_range_of
from stratabase.core.model.api_names import ID
from stratabase.core.operations.read.batched_reads import BatchedRead
from stratabase.core.operations.read.derived_values import DerivedValues
from stratabase.core.operations.read.identity_map import RoleLoader
from stratabase.core.operations.read.reader import Reader
from stratabase.core.operations.read.totals import totals_of_pages

F = TypeVar("F", bound=RoleFetch)


class ShownObject:
    """An object on one level of an answer, with its view."""

    __slots__ = ("_entities", "_number", "id", "state", "times", "view")

    def __init__(  # noqa: PLR0913, PLR0917 - every object of an answer passes here
        self,
        id_: str,
        state: State,
        view: dict[str, Any],
        times: int,
        entities: Sequence[Entity],
        number: int,
    ) -> None:
        """`entities`, `number`: the object is the one with this number among these."""
        self.id = id_
        self.state = state
        self.view = view
        self.times = times
        """How often the object appears in the response."""
        self._entities = entities
        self._number = number

    @property
    def entity(self) -> Entity:
        """The object."""
        return self._entities[self._number]


class ViewGroup:
    """Objects of one class on one level of an answer. Each has one view, however often it is shown."""

    def __init__(self, fetch: Fetch, render: Render) -> None:
        self.fetch = fetch
        self._render = render
        self._has_only_values = fetch.has_only_values
        """Whether the views get nothing else, so that none has to be found again."""
        self._by_id: dict[str, ShownObject] = {}
        self._values_times = 0

    @property
    def times(self) -> int:
        """How often the response shows these objects, all together."""
        return self._values_times + sum(each.times for each in self._by_id.values())

    @property
    def shown(self) -> Collection[ShownObject]:
        """The objects in the order in which they were first shown. None if only their values are shown."""
        return self._by_id.values()

    @property
    def entities(self) -> Iterator[Entity]:
        """The entities of these objects."""
        return (each.entity for each in self._by_id.values())

    def view(self, entity: Entity, times: int = 1) -> View:
        """Return the view of an object, which appears `times` more times in the response."""
        if self._has_only_values:
            self._values_times += times
            return self._render(entity)
        id_ = entity.reference.id
        shown = self._by_id.get(id_)
        if shown is None:
            view = dict(self._render(entity))
            self._by_id[id_] = ShownObject(id_, entity.state, view, times, (entity,), 0)
            return view
        shown.times += times
        return shown.view

    def views(self, entities: Iterable[Entity], times: int = 1) -> list[View]:
        """Return the views of objects, each of which appears `times` more times in the response."""
        if isinstance(entities, UnmadeEntities) and self._render is render_stored:
            return self._views_of_states(entities, times)
        return [self.view(entity, times) for entity in entities]

    def _views_of_states(self, entities: UnmadeEntities, times: int) -> list[View]:
        # The objects themselves are made only if something needs more than their states.
        if self._has_only_values:
            self._values_times += times * len(entities)
            return list(entities.states)
        views: list[View] = []
        for number, state in enumerate(entities.states):
            id_ = str(state[ID])
            shown = self._by_id.get(id_)
            if shown is None:
                shown = self._by_id[id_] = ShownObject(id_, state, dict(state), times, entities, number)
            else:
                shown.times += times
            views.append(shown.view)
        return views

    def demand(self, derived: DerivedValues) -> None:
        """Ask for the derived attributes that the views show."""
        entities = list(self.entities)
        derived.demand(entities[0].reference.class_name, Computed(self.fetch.derived), entities)

    def complete(self, derived: DerivedValues) -> None:
        """Put the computed derived attributes into the views."""
        entities = list(self.entities)
        class_name = entities[0].reference.class_name
        for name in self.fetch.derived:
            values = derived.values(class_name, name, entities)
            for each, value in zip(self.shown, values, strict=True):
                each.view[name] = value


class RelatedViews(RoleLoader, ABC, Generic[F]):
    """Loads what a role leads to from all objects of a group, and puts it into their views under a key.

    Call `needs` and load what it returns, until it returns nothing. Then call `finish`.
    """

    def __init__(self, key: str, wanted: F, group: ViewGroup, reader: Reader) -> None:
        super().__init__(wanted.name, reader)
        self.key = key
        self.wanted = wanted
        self.group = group
        self.reader = reader
        self.next = ViewGroup(wanted.fetch, reader.render)
        """The objects that the role leads to: a group of the next level."""

    @abstractmethod
    def needs(self) -> BatchedRead[Sequence[Reference]]:
        """Return the objects still to load. Call again after loading them, until there are none."""

    @abstractmethod
    def finish(self) -> None:
        """Put what was loaded into the views, and its objects into `next`."""

    def show_pages(self, pages: Sequence[Page]) -> None:
        """Put pages of objects in memory, one for each owner, into the views. Raises ReadBudgetExceeded."""
        wanted: Any = self.wanted
        if wanted.fetch.totals:
            pages = totals_of_pages(self.reader, self.target, wanted.fetch.totals, pages)
        for owner, page in zip(self.group.shown, pages, strict=True):
            views = self.next.views(page.items, owner.times)
            owner.view[self.key] = wanted.render_page(page, views)

    def charge(self) -> None:
        """Charge the read budget for the objects that the next level shows. Raises ReadBudgetExceeded."""
        self.reader.charge_shown(self.target.name, self.next.times)


class ToOneViews(RelatedViews[ToOne]):
    """Follows a to-one role: a key, a part, a whole, or the one link of a one-to-one association."""

    _ids: Sequence[Sequence[str]] | None = None
    """For each owner: the ids that the role may lead to. There may be several only for the past."""
    _targets: Mapping[str, Reference] = MappingProxyType({})
    """By such an id: the target. Many owners may share one."""

    def needs(self) -> BatchedRead[Sequence[Reference]]:
        """Return the targets of the role that are not loaded yet."""
        if self._ids is None:
            # If the other side holds the key, links lead there. Otherwise, the owner's state has the id.
            is_linked = self.storage is RoleStorage.OPPOSITE_KEY
            self._ids = (
                (yield from self._linked_ids())
                if is_linked
                else self.all_stored_ids([owner.state for owner in self.group.shown])
            )
            ids = dict.fromkeys(chain.from_iterable(self._ids))
            self._targets = dict(zip(ids, self.references(ids), strict=True))
        elif not self.depends_on_wholes:
            return ()  # what the first call returned is loaded
        return self.unread(self._targets.values())

    def finish(self) -> None:
        """Put the view of the target, or None, into the view of each owner."""
        assert self._ids is not None
        found = dict(zip(self._targets, map(self.found, self._targets.values()), strict=True))
        key, show, has_key = self.key, self.next.view, self.is_stored_in_targets
        for owner, ids in zip(self.group.shown, self._ids, strict=True):
            view = None
            for id_ in ids:
                entity = found[id_]
                # A link may be outdated, so the target's own key decides.
                if entity is not None and (not has_key or self.leads_back(entity, owner.id)):
                    view = show(entity, owner.times)
                    break
            owner.view[key] = view

    def _linked_ids(self) -> BatchedRead[Sequence[Sequence[str]]]:
        ids = [owner.id for owner in self.group.shown]
        return (yield from self.reader.load_links(self.name, ids, ALL_IDS))


class ToManyViews(RelatedViews[ToMany]):
    """Follows a to-many role: links, or lists of parts. It reads no more of them than the page needs.

    Links may lead to objects that no longer exist. Then it reads on, twice as many each time.
    """

    def __init__(self, key: str, wanted: ToMany, group: ViewGroup, reader: Reader) -> None:
        super().__init__(key, wanted, group, reader)
        self._query = simplify(wanted.query)
        self._range = id_range_of(self._query)
        self._enough = self._range.limit
        self._ids: dict[ShownObject, Sequence[str]] = {}
        self._exhausted: set[ShownObject] = set()
        """The owners whose ids have all been read."""
        self._computed = computed_parts(self._query, self.target)
        self._derived: DerivedValues | None = None
        """What the query needs computed of all objects that may be on a page."""

    def needs(self) -> BatchedRead[Sequence[Reference]]:
        """Return the targets that are not loaded yet, or what must be loaded to test and sort them."""
        # 1. Read ids until each owner has enough existing targets, or no more ids.
        while short := [owner for owner in self.group.shown if self._is_short(owner)]:
            yield from self._look_up(short)
        # 2. Return the targets that are not loaded yet.
        unread = self.unread(self.reference(id_) for ids in self._ids.values() for id_ in ids)
        if unread or not self._computed:
            return unread
        # 3. If the query filters by roles, or filters or sorts by derived attributes, return what these need.
        return (yield from self._derived_values().all_needs())

    def finish(self) -> None:
        """Put the page of its targets into the view of each owner."""
        paginator = Paginator(self._query, self.target, partial(self.reader.compare, self.target.name))
        if self._computed:
            self._derived_values().compute()
        pages: list[Page] = []
        for owner in self.group.shown:
            entities = self._with_computed(self._targets(owner))
            pages.append(paginator.page(self.reader.within_budget(self.target.name, entities)))
        self.show_pages(pages)

    def _is_short(self, owner: ShownObject) -> bool:
        """Return whether an owner needs more ids: none were read, or too few lead to existing objects."""
        if owner not in self._ids:
            return True
        if self._enough is None or owner in self._exhausted:
            return False
        is_known = not self.unread(map(self.reference, self._ids[owner]))
        return is_known and len(self._targets(owner)) < self._enough

    def _targets(self, owner: ShownObject) -> list[Entity]:
        return self.targets(owner.id, self._ids[owner])

    def _derived_values(self) -> DerivedValues:
        if self._derived is None:
            self._derived = DerivedValues(self.reader)
            found = chain.from_iterable(map(self._targets, self.group.shown))
            self._derived.demand(self.target.name, self._computed, found)
        return self._derived

    def _with_computed(self, entities: list[Entity]) -> list[Entity]:
        """Return objects whose states also have what the query needs computed."""
        if not self._computed:
            return entities
        return self._derived_values().with_values(self.target.name, self._computed, entities)

    def _look_up(self, owners: Sequence[ShownObject]) -> BatchedRead[None]:
        """Read the ids that the role of each owner leads to, or more of them than before."""
        # Not the first look: double the range, so that few rounds suffice even if most links are outdated.
        if self._ids and self._range.limit is not None:
            self._range = self._range._replace(limit=2 * self._range.limit)
        limit = self._range.limit
        if self.storage is RoleStorage.PARTS:
            found = self._stored_ids(owners)
        elif limit == 0:
            found = ((),) * len(owners)
        else:
            found = yield from self.reader.load_links(self.name, [owner.id for owner in owners], self._range)
        for owner, ids in zip(owners, found, strict=True):
            self._ids[owner] = ids
            if limit is None or len(ids) < limit:
                self._exhausted.add(owner)

    def _stored_ids(self, owners: Sequence[ShownObject]) -> Sequence[Sequence[str]]:
        listed: Iterable[Any] = (owner.state.get(self.role.name) for owner in owners)
        return [self._range.select(ids or ()) for ids in listed]
