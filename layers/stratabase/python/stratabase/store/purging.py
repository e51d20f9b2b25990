"""What writes have left, because they could not do it as one, is ended bit by bit.

A ledger notes for a deleted object which parts and links are left, or which parts an update took out of
their whole. Whatever stops a purge, the next one goes on; several at once do no harm. Nobody is refused
anything here: whether all may go was asked before.
"""

import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain
from typing import NamedTuple

from stratabase.domain.objects.change import Change, Deletion, Effect, LinkDeletion, Tombstone
from stratabase.domain.objects.commit_refusals import Conflict, TooLarge
from stratabase.domain.objects.entity import Entity, Reference
from stratabase.domain.objects.instant import Instant
from stratabase.domain.objects.version import instant_after
from stratabase.store import codec, endings, keys, links, since, staging
from stratabase.store.committing import commit
from stratabase.store.desk import Desk
from stratabase.store.engine.port import ITEMS, Batch, Delete, ExpectationFailed, Item, Key, OutcomeUnknown

_TOGETHER = 100
_LINKS_TOGETHER = 20
"""Each is two links, and perhaps two counts."""
_TRIES = 10
"""After which an object that others keep writing is left to the next purge."""


class _Left(NamedTuple):
    """What a ledger tells: itself, and when what is left has ended."""

    ledger: Item
    ended: Instant = 0


class Purging:
    """Ends what is left of deleted objects, of parts that updates took out, and of stopped restorations.

    A ledger that is gone tells that all of it was done.
    """

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    def waiting(self) -> Iterator[Key]:
        """Yield the ledgers of what is left; of the last ones perhaps not yet."""
        pages = self._desk.engine.range(keys.LISTING, keys.PURGES)
        return (item.key for item in chain.from_iterable(pages))

    def ledgers(self, references: Sequence[Reference]) -> list[Item]:
        """Return the ledgers of what writes of some objects have left."""
        found = self._desk.together(self._ledgers_of, references)
        return list(chain.from_iterable(found))

    def _ledgers_of(self, reference: Reference) -> list[Item]:
        pages = self._desk.engine.range(ITEMS, keys.ledgers(reference), keys.ALL_LEDGERS)
        return list(chain.from_iterable(pages))

    def steps(self, ledgers: Iterable[Key]) -> Iterator[None]:
        """End what ledgers tell of, and yield after each attempt to write. Raises Unavailable."""
        waiting = list(ledgers)
        while waiting:
            key = waiting.pop()
            with suppress(Conflict):
                end = self._finish if keys.is_of_restoration(key) else self._purge
                yield from end(key, waiting)

    def _purge(self, key: Key, waiting: list[Key]) -> Iterator[None]:
        """End what is left of one object; what is then left of its parts is to wait. Raises Conflict."""
        (ledger,) = self._desk.engine.get([key])
        if ledger is None:
            return
        reference, parts, left = (
            keys.ledger_of(key),
            endings.noted(ledger),
            _Left(ledger, endings.ended(ledger)),
        )
        if not self._knows(reference, *parts):
            return
        for first in range(0, len(parts), _TOGETHER):
            there = self._there(parts[first : first + _TOGETHER])
            late = {entity.reference for entity in there if self._is_late(entity, left.ended)}
            if late and not self._is_left(left):
                return
            ends = [Deletion(entity) for entity in there]
            in_time = [end for end in ends if end.before.reference not in late]
            yield from self._end(in_time, left, waiting)
            yield from self._end_each([end for end in ends if end.before.reference in late], left, waiting)
        if keys.is_of_deletion(key):
            yield from self._unlink(reference)
        self._remove(ledger)
        yield

    def _finish(self, key: Key, waiting: list[Key]) -> Iterator[None]:
        """Make the parts that a stopped restoration brought back gone again, as they were. Raises Conflict.

        Of one that is done, remove the lists. One that runs is left alone.
        """
        engine = self._desk.engine
        (ledger,) = engine.get([key])
        if ledger is None or staging.is_running(ledger, self._desk.now()):
            return
        is_undone = staging.stopped(engine, ledger, _name())
        lists = list(chain.from_iterable(staging.lists(engine, ledger)))
        for item in lists if is_undone else ():
            told = {gone.reference: gone for gone in staging.listed(item)}
            if not self._knows(*told):
                return
            left = _Left(ledger)
            yield from self._end(list(self._withdrawals(item, told, left)), left, waiting)
        for first in range(0, len(lists), _TOGETHER):
            some = lists[first : first + _TOGETHER]
            engine.commit(Batch(_name(), tuple(Delete(item.key) for item in some)))
            yield
        self._remove(ledger)
        yield

    def _remove(self, ledger: Item) -> None:
        """Remove a ledger, if another has not: perhaps there is a new one by now."""
        with suppress(ExpectationFailed, OutcomeUnknown):
            self._desk.engine.commit(Batch(_name(), (Delete(ledger.key, endings.named_as(ledger)),)))

    def _withdrawals(
        self, item: Item, told: Mapping[Reference, Tombstone], left: _Left
    ) -> Iterator[Deletion]:
        """Yield the ends of those parts on a list that are there because of it."""
        (brought_back,) = codec.commit_ids(item)
        there = self._there([*told])
        for entity in there:
            if entity.commit_ids[-1] == brought_back:
                yield Deletion(entity, told[entity.reference])
        changed = [each for each in there if each.commit_ids[-1] != brought_back]
        if changed and self._is_left(left):  # who has written them unseen has made versions
            yield from (Deletion(entity) for entity in changed if brought_back in entity.commit_ids)

    def _knows(self, *references: Reference) -> bool:
        """Return whether the model still has the classes, without which nobody can tell what is to end."""
        return all(reference.class_name in self._desk.model.classes for reference in references)

    def _there(self, references: Sequence[Reference]) -> list[Entity]:
        return [entity for entity in self._desk.read_all(references) if entity is not None]

    def _is_late(self, entity: Entity, ended: Instant) -> bool:
        """Return whether a version would begin when it ends, or later."""
        return self._desk.class_of(entity).versioned and since.start_of_entity(entity) >= ended

    def _end(self, ends: Sequence[Deletion], left: _Left, waiting: list[Key]) -> Iterator[None]:
        """Delete objects together, if that can be; otherwise fewer, down to one by one.

        They end when their whole did; one that was written after that, as soon as it can.
        """
        half = len(ends) // 2
        if half == 0:
            yield from self._end_each(ends, left, waiting)
            return
        try:
            waiting += self._commit(left.ended, *ends)
            yield
        except (Conflict, TooLarge):
            yield from self._end(ends[:half], left, waiting)
            yield from self._end(ends[half:], left, waiting)

    def _end_each(self, ends: Iterable[Deletion], left: _Left, waiting: list[Key]) -> Iterator[None]:
        """Delete objects one by one, as they are by then. Raises Conflict."""
        for end in ends:
            for _ in range(_TRIES):
                try:
                    waiting += self._commit(left.ended, *self._again(end, left))
                    break
                except TooLarge:
                    yield from self._unlink(end.before.reference)
                except Conflict:
                    yield
            else:
                raise Conflict
            yield

    def _again(self, end: Deletion, left: _Left) -> Iterator[Deletion]:
        """Yield the end of an object as it is by now, if it is still there, and to end."""
        for entity in self._there([end.before.reference]):
            is_same = entity.commit_ids == end.before.commit_ids
            if is_same or self._is_left(left):
                yield Deletion(entity, end.withdrawn if is_same else None)

    def _is_left(self, left: _Left) -> bool:
        """Return whether a ledger is still there; otherwise what was read before may have been restored."""
        (found,) = self._desk.engine.get([left.ledger.key])
        return found is not None and codec.commit_ids(found) == codec.commit_ids(left.ledger)

    def _unlink(self, reference: Reference) -> Iterator[None]:
        """End the links of an object."""
        for ends in self._desk.associations.kept(reference.class_name):
            role = ends.near.role
            while others := links.found(self._desk.engine, role, reference.id, _LINKS_TOGETHER):
                with suppress(Conflict):  # one of them has ended meanwhile
                    self._commit(0, *(LinkDeletion(role, reference.id, other) for other in others))
                yield

    def _commit(self, instant: Instant, *effects: Effect) -> list[Key]:
        if not effects:
            return []
        starts = (since.start_of_entity(each.before) for each in effects if isinstance(each, Deletion))
        return commit(self._desk, Change(_name(), instant_after(instant, starts), effects), forced=True)


def _name() -> str:
    return f"purge{secrets.token_hex(12)}"
