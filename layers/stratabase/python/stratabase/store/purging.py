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
from stratabase.store import codec, endings, keys, links
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
        parts = endings.noted(ledger)
        if not self._knows(reference, *parts):
            return
        for first in range(0, len(parts), _TOGETHER):
            yield from self._end(self._there(parts[first : first + _TOGETHER]), waiting)
        yield from self._unlink(reference)
        self._desk.engine.commit(Batch(_name(), (Delete(key),)))
        yield

    def _knows(self, *references: Reference) -> bool:
        """Return whether the model still has the classes, without which nobody can tell what is to end."""
        return all(reference.class_name in self._desk.model.classes for reference in references)

    def _there(self, references: Sequence[Reference]) -> list[Entity]:
        items = self._desk.engine.get([keys.head(reference) for reference in references])
        return [codec.entity_of(item) for item in items if item is not None]

    def _end(self, entities: Sequence[Entity], waiting: list[Reference]) -> Iterator[None]:
        """Delete objects together, if that can be; otherwise fewer, down to one by one."""
        half = len(entities) // 2
        if half == 0:
            yield from self._end_each(entities, waiting)
            return
        try:
            waiting += self._commit(*map(Deletion, entities))
            yield
        except (Conflict, TooLarge):
            yield from self._end(entities[:half], waiting)
            yield from self._end(entities[half:], waiting)

    def _end_each(self, entities: Sequence[Entity], waiting: list[Reference]) -> Iterator[None]:
        """Delete objects one by one, as they are by then. Raises Conflict."""
        for entity in entities:
            for _ in range(_TRIES):
                try:
                    waiting += self._commit(*map(Deletion, self._there([entity.reference])))
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
                    self._commit(*(Unlinking(role, reference.id, other) for other in others))
                yield

    def _commit(self, *effects: Effect) -> list[Reference]:
        return commit(self._desk, Change(_name(), 0, effects), forced=True) if effects else []


def _name() -> str:
    return f"purge{secrets.token_hex(12)}"
