"""Read what is wanted of objects: level by level, each in a few batches however many objects there are."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from stratabase.domain.objects.entity import Entity
from stratabase.domain.query.fetch import Associables, Fetch, RoleFetch, ToMany, ToOne, View
from stratabase.operations.fetching.associables import AssociablesWalk, FreeWalk, is_exclusive
from stratabase.operations.fetching.branch import Branch
from stratabase.operations.fetching.known import Known
from stratabase.operations.fetching.locks import show_locks
from stratabase.operations.fetching.to_many import ManyWalk
from stratabase.operations.fetching.to_one import OneWalk
from stratabase.operations.fetching.walk import Walk


def fetched(known: Known, fetch: Fetch, entities: Sequence[Entity]) -> list[View]:
    """Return the views of objects of one class, without parts whose whole is there no more.

    Raises TooMuchRead.
    """
    there = known.standing(entities)
    if not fetch.roles and not fetch.derived and fetch.render_lock is None:
        return list(map(known.face, there))
    branch = Branch(fetch, known.face)
    views = branch.views(there)
    _Descent(known).go_on([branch])
    return views


class _Descent:
    """One fetch on its way from level to level; what is derived is found on the same way."""

    def __init__(self, known: Known) -> None:
        self._known = known
        self._deriving = known.deriving()
        self._asking: list[Branch] = []
        """The branches whose views show derived attributes."""

    def go_on(self, level: Sequence[Branch]) -> None:
        """Walk until nothing more is wanted."""
        show_locks(level, self._known)
        while walks := self._walks(level):
            self._take(walks)
            level = [walk.next for walk in walks]
            show_locks(level, self._known)
        self._end()

    def _walks(self, level: Sequence[Branch]) -> list[Walk[Any]]:
        asking = [branch for branch in level if branch.fetch.derived and branch.entities]
        for branch in asking:
            branch.demand(self._deriving)
        self._asking += asking
        return [walk for branch in level for walk in _walks(branch, self._known)]

    def _take(self, walks: Sequence[Walk[Any]]) -> None:
        """Go from one level to the next."""
        deriving = self._deriving
        # Derived values follow links to their end. After them, a page need not ask for a part of these.
        while needed := dict.fromkeys(chain(deriving.needs(), *(walk.needs() for walk in walks))):
            self._known.read(list(needed))
        deriving.arrive()
        for walk in walks:
            walk.arrive()
            walk.spend()

    def _end(self) -> None:
        """Follow what only derived values ask for still, and put them into the views."""
        self._known.finish(self._deriving)
        for branch in self._asking:
            branch.complete(self._deriving)


def _walks(branch: Branch, known: Known) -> Iterator[Walk[Any]]:
    if branch.entities:
        for spot, wanted in branch.fetch.roles.items():
            yield _KINDS[type(wanted)](spot, wanted, branch, known)


def _associables(spot: str, wanted: Associables, branch: Branch, known: Known) -> Walk[Associables]:
    exclusive = is_exclusive(wanted.role, known.model.classes[wanted.role.target])
    return (FreeWalk if exclusive else AssociablesWalk)(spot, wanted, branch, known)


_KINDS: Mapping[type[RoleFetch], Callable[..., Walk[Any]]] = {
    ToOne: OneWalk,
    ToMany: ManyWalk,
    Associables: _associables,
}
