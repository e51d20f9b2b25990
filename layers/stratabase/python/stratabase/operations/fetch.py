"""Read what is wanted of objects: level by level, each in a few batches however many objects there are."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from stratabase.domain.entity import Entity
from stratabase.domain.fetch import Associables, Fetch, RoleFetch, ToMany, ToOne, View
from stratabase.operations.fetching.associables import AssociablesWalk, FreeWalk, is_exclusive
from stratabase.operations.fetching.branch import Branch
from stratabase.operations.fetching.known import Known
from stratabase.operations.fetching.to_many import ManyWalk
from stratabase.operations.fetching.to_one import OneWalk
from stratabase.operations.fetching.walk import Walk


def fetched(known: Known, fetch: Fetch, entities: Sequence[Entity]) -> list[View]:
    """Return the views of objects of one class, without parts whose whole is there no more.

    Raises TooMuchRead.
    """
    known.settle(known.wholes(entities))
    there = [entity for entity in entities if known.stands(entity)]
    if not fetch.roles:
        return list(map(known.face, there))
    branch = Branch(fetch, known.face)
    views = branch.views(there)
    _go_on([branch], known)
    return views


def _go_on(level: Sequence[Branch], known: Known) -> None:
    """Walk from level to level until nothing more is wanted."""
    while walks := [walk for branch in level for walk in _walks(branch, known)]:
        while needed := dict.fromkeys(chain.from_iterable(walk.needs() for walk in walks)):
            known.read(list(needed))
        for walk in walks:
            walk.arrive()
            walk.spend()
        level = [walk.next for walk in walks]


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
