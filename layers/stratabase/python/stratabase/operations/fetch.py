"""Read what is wanted of objects: level by level, each in a few batches however many objects there are."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from stratabase.domain.allowance import Allowance
from stratabase.domain.entity import Entity
from stratabase.domain.fetch import Associables, Face, Fetch, Node, RoleFetch, ToMany, ToOne, plainly
from stratabase.model.model import Model
from stratabase.operations.fetching.associables import AssociablesWalk, FreeWalk, is_exclusive
from stratabase.operations.fetching.branch import Branch
from stratabase.operations.fetching.known import Known
from stratabase.operations.fetching.source import Source
from stratabase.operations.fetching.to_many import ManyWalk
from stratabase.operations.fetching.to_one import OneWalk
from stratabase.operations.fetching.walk import Walk


def fetched(  # noqa: PLR0913 - of what, how much, out of what
    source: Source,
    model: Model,
    fetch: Fetch,
    entities: Sequence[Entity],
    allowance: Allowance,
    *,
    face: Face = plainly,
) -> list[Node]:
    """Return the nodes of objects of one class, without parts whose whole is there no more.

    Raises TooMuchRead.
    """
    if not fetch.roles and not any(model.classes[entity.reference.class_name].part for entity in entities):
        return list(map(face, entities))
    known = Known(source, model, allowance, face)
    known.add(entities)
    known.settle(entity.reference for entity in entities)
    there = [entity for entity in entities if known.get(entity.reference) is not None]
    branch = Branch(fetch, face)
    nodes = branch.nodes(there)
    _go_on([branch], known)
    return nodes


def _go_on(level: Sequence[Branch], known: Known) -> None:
    """Walk from level to level until nothing more is wanted."""
    while walks := [walk for branch in level for walk in _walks(branch, known)]:
        while unknown := known.unknown(reference for walk in walks for reference in walk.needs()):
            known.read(unknown)
        for walk in walks:
            walk.arrive()
            walk.spend()
        level = [walk.next for walk in walks]


def _walks(branch: Branch, known: Known) -> Iterator[Walk[Any]]:
    if branch.entities:
        for place, wanted in branch.fetch.roles.items():
            yield _KINDS[type(wanted)](place, wanted, branch, known)


def _associables(place: str, wanted: Associables, branch: Branch, known: Known) -> Walk[Associables]:
    exclusive = is_exclusive(wanted.role, known.model.classes[wanted.role.target])
    return (FreeWalk if exclusive else AssociablesWalk)(place, wanted, branch, known)


_KINDS: Mapping[type[RoleFetch], Callable[..., Walk[Any]]] = {
    ToOne: OneWalk,
    ToMany: ManyWalk,
    Associables: _associables,
}
