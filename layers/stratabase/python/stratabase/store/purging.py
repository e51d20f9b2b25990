"""What deletions have left, because they could not do it as one, is ended bit by bit.

A ledger notes for a deleted object which parts and links are left. Whatever stops a purge, the next one goes
on; several at once do no harm. Nobody is refused anything here: whether all may go was asked before.
"""

import secrets
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import chain

from stratabase.domain.change import Change, Conflict, Deletion, Effect, TooLarge, Unlinking
from stratabase.domain.entity import Entity, Reference
from stratabase.domain.instant import Instant
from stratabase.domain.version import instant_after
from stratabase.store import endings, keys, links, since
from stratabase.store.committing import commit
from stratabase.store.desk import Desk
from stratabase.store.engine import Batch, Delete

_TOGETHER = 100
_LINKS_TOGETHER = 20
"""Each is two links, and perhaps two counts."""
_TRIES = 10
"""After which an object that others keep writing is left to the next purge."""


class Purging:
    """Ends what is left of deleted objects."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    def waiting(self) -> Iterator[Reference]:
        """Yield the deleted objects of which something is left; the last ones perhaps not yet."""
        pages = self._desk.engine.range(keys.LISTING, keys.PURGES)
        return (keys.purge_of(item.key) for item in chain.from_iterable(pages))

    def steps(self, references: Iterable[Reference]) -> Iterator[None]:
        """End what is left of deleted objects, and yield after each attempt to write. Raises Unavailable."""
        waiting = list(references)
        while waiting:
            with suppress(Conflict):
                yield from self._purge(waiting.pop(), waiting)

    def _purge(self, reference: Reference, waiting: list[Reference]) -> Iterator[None]:
        """End what is left of one object; what is then left of its parts is to wait. Raises Conflict."""
        key = keys.purge(reference)
        (ledger,) = self._desk.engine.get([key])
        if ledger is None:
            return
        parts, ended = endings.noted(ledger), endings.ended(ledger)
        if not self._knows(reference, *parts):
            return
        for first in range(0, len(parts), _TOGETHER):
            there = self._there(parts[first : first + _TOGETHER])
            late = {entity.reference for entity in there if self._is_late(entity, ended)}
            in_time = [entity for entity in there if entity.reference not in late]
            yield from self._end(in_time, ended, waiting)
            yield from self._end_each([each for each in there if each.reference in late], ended, waiting)
        yield from self._unlink(reference)
        self._desk.engine.commit(Batch(_name(), (Delete(key),)))
        yield

    def _knows(self, *references: Reference) -> bool:
        """Return whether the model still has the classes, without which nobody can tell what is to end."""
        return all(reference.class_name in self._desk.model.classes for reference in references)

    def _there(self, references: Sequence[Reference]) -> list[Entity]:
        return [entity for entity in self._desk.read_all(references) if entity is not None]

    def _is_late(self, entity: Entity, ended: Instant) -> bool:
        """Return whether a version would begin when it ends, or later."""
        return self._desk.class_of(entity).versioned and since.start_of_entity(entity) >= ended

    def _end(self, entities: Sequence[Entity], ended: Instant, waiting: list[Reference]) -> Iterator[None]:
        """Delete objects together, if that can be; otherwise fewer, down to one by one.

        They end when their whole did; one that was written after that, as soon as it can.
        """
        half = len(entities) // 2
        if half == 0:
            yield from self._end_each(entities, ended, waiting)
            return
        try:
            waiting += self._commit(ended, *map(Deletion, entities))
            yield
        except (Conflict, TooLarge):
            yield from self._end(entities[:half], ended, waiting)
            yield from self._end(entities[half:], ended, waiting)

    def _end_each(
        self, entities: Sequence[Entity], ended: Instant, waiting: list[Reference]
    ) -> Iterator[None]:
        """Delete objects one by one, as they are by then. Raises Conflict."""
        for entity in entities:
            for _ in range(_TRIES):
                try:
                    waiting += self._commit(ended, *map(Deletion, self._there([entity.reference])))
                    break
                except TooLarge:
                    yield from self._unlink(entity.reference)
                except Conflict:
                    yield
            else:
                raise Conflict
            yield

    def _unlink(self, reference: Reference) -> Iterator[None]:
        """End the links of an object."""
        for ends in self._desk.associations.kept(reference.class_name):
            role = ends.near.role
            while others := links.found(self._desk.engine, role, reference.id, _LINKS_TOGETHER):
                with suppress(Conflict):  # one of them has ended meanwhile
                    self._commit(0, *(Unlinking(role, reference.id, other) for other in others))
                yield

    def _commit(self, instant: Instant, *effects: Effect) -> list[Reference]:
        if not effects:
            return []
        starts = (since.start_of_entity(each.before) for each in effects if isinstance(each, Deletion))
        return commit(self._desk, Change(_name(), instant_after(instant, starts), effects), forced=True)


def _name() -> str:
    return f"purge{secrets.token_hex(12)}"
