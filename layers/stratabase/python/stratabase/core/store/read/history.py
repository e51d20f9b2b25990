"""The history of one object: its versions in order, and its version at an instant.

A closed version never changes. But DynamoDB may show the items of a commit one after the other: the closed
version before the new head, or the head before the closed version. So a reader could miss a version. Each
entry has the start of the previous version. If the entry found has another start, the read is repeated.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain

from stratabase.core import waiting
from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.core.domain.objects.entity import Entity, Moment, Reference
from stratabase.core.domain.objects.instant import Instant
from stratabase.core.store.engine.port import ITEMS, Bounds, Item
from stratabase.core.store.engine.read_limiter import ReadLimiter
from stratabase.core.store.layout import keys
from stratabase.core.store.layout.object_items import HistoryEntry, history_entry
from stratabase.core.store.read.context import StoreContext
from stratabase.values.messages import _

_MAX_ATTEMPTS = 10
_FIRST_PAUSE = 0.002
"""Seconds. Each pause is twice as long as the one before, and all pauses together take about two seconds."""


class _Inconsistent(Exception):
    """A version is missing between two entries that were read."""


class ReadRetry:
    """The attempts to read several items consistently."""

    def __init__(self) -> None:
        self._failed = 0

    def wait(self) -> None:
        """Pause before another attempt. Raises Unavailable after too many attempts."""
        self._failed += 1
        if self._failed == _MAX_ATTEMPTS:
            raise Unavailable(_("Another write to the same object is still in progress. Try again."))
        waiting.pause(_FIRST_PAUSE * 2.0**self._failed)

    def reset(self) -> None:
        """Reset the count, because an attempt has succeeded."""
        self._failed = 0


class History:
    """The history of one object of a versioned class, which is read lazily."""

    def __init__(self, store: StoreContext, reference: Reference, limiter: ReadLimiter) -> None:
        self._engine = store.engine
        self._class = store.model.classes[reference.class_name]
        self._head = keys.head(reference)
        self._limiter = limiter

    def at(self, instant: Instant, present: HistoryEntry | None) -> Entity | None:
        """Return the version at an instant, None if there was none. `present`: the entry of the head.

        Raises ReadBudgetExceeded, Unavailable.
        """
        # The first read may lag, which costs half: a closed version that it finds is right. Only if it finds
        # none, and the entries do not prove that there is none, repeat the read with strong consistency.
        retry, exact = ReadRetry(), False
        while present is not None and present.start > instant:
            if present.previous is None:
                return None
            newest = next(self._read(None, instant + 1, 1, backward=True, exact=exact), None)
            if newest is not None and newest.end is not None and newest.end > instant:
                return newest.version
            if self._is_known(newest, instant, present):
                return None
            if exact:
                retry.wait()
                present = self._present()
            exact = True
        return None if present is None else present.version

    def _is_known(self, newest: HistoryEntry | None, instant: Instant, present: HistoryEntry) -> bool:
        """Return whether no version can be missing between the newest one found and an instant."""
        start = None if newest is None else newest.start
        if present.previous is not None and present.previous <= instant:
            return present.previous == start
        above = self._first_after(instant)
        return above is not None and above.previous == start

    def ascending(
        self, since: Instant | None, until: Instant | None, limit: int | None
    ) -> Iterator[HistoryEntry]:
        """Yield the entries that start at `since` or later and before `until`, in the order of their starts.

        The caller takes at most `limit` entries. Raises ReadBudgetExceeded, Unavailable.
        """
        retry, last, is_complete = ReadRetry(), None, False
        while not is_complete:
            is_complete, at = True, since if last is None else last.start + 1
            try:
                for entry in self._read(at, None, limit):
                    _check(_follows(entry, last, since))
                    if not _is_within(entry, since, until):
                        return
                    yield entry
                    retry.reset()
                    # The current version and the deletion have no end: nothing follows them.
                    last, is_complete = entry, entry.end is None
            except _Inconsistent:
                retry.wait()
                is_complete = False

    def descending(
        self, since: Instant | None, until: Instant | None, limit: int | None
    ) -> Iterator[HistoryEntry]:
        """Yield the same entries as `ascending`, in the opposite order."""
        retry, last = ReadRetry(), None
        while not _is_first(last, since):
            before = last
            try:
                for entry in self._read_downward(last, since, until, limit):
                    _check(last is None or last.previous == entry.start)
                    if not _is_within(entry, since, until):
                        return
                    yield entry
                    retry.reset()
                    last = entry
                if last is None:
                    return
                # `last` has a previous version in the period. If no entry was found, it is missing.
                _check(last is not before)
            except _Inconsistent:
                retry.wait()

    def _read_downward(
        self, last: HistoryEntry | None, since: Instant | None, until: Instant | None, limit: int | None
    ) -> Iterator[HistoryEntry]:
        """Yield the entries before `last`, or from the newest one on if there is no `last`."""
        if last is not None or until is None:
            return self._read(since, None if last is None else last.start, limit, backward=True)
        closed = self._read(since, until, limit, backward=True)
        newest = next(closed, None)
        above = self._open_behind(newest, since, until)
        return chain((each for each in (above, newest) if each is not None), closed)

    def _open_behind(
        self, newest: HistoryEntry | None, since: Instant | None, until: Instant
    ) -> HistoryEntry | None:
        """Return the current version if it follows the newest closed one and starts before `until`."""
        if newest is not None and newest.end is not None and newest.end >= until:
            return None
        above = self._first_after((-1 if since is None else since - 1) if newest is None else newest.start)
        if above is None:
            return None
        _check(_follows(above, newest, since))
        if above.start >= until:
            return None
        _check(above.end is None)  # otherwise a concurrent write has just closed it
        return above

    def _first_after(self, instant: Instant) -> HistoryEntry | None:
        """Return the first entry that starts after an instant, or else the entry of the head."""
        return next(self._read(instant + 1, None, 1), None)

    def _present(self) -> HistoryEntry | None:
        (item,) = self._engine.get([self._head], places=False)
        return None if item is None else history_entry(item, self._class)

    def _read(
        self,
        since: Instant | None,
        until: Instant | None,
        limit: int | None,
        *,
        backward: bool = False,
        exact: bool = True,
    ) -> Iterator[HistoryEntry]:
        """Yield the closed versions that start in a period. If `until` is None, include the head's entry."""
        low = keys.VERSIONS if since is None else keys.version_sort(since)
        high = keys.HEAD if until is None else keys.version_sort(until - 1)
        self._limiter.check()
        pages = self._engine.range(
            ITEMS,
            self._head.partition,
            Bounds(low, high),
            backward=backward,
            limit=limit,
            exact=exact,
            whole=False,
        )
        for items in pages:
            self._limiter.record(items)
            for item in items:
                entry = history_entry(item, self._class)
                if entry is not None:
                    yield entry
            self._limiter.check()


def _check(fits: bool) -> None:  # noqa: FBT001 - as with assert
    if not fits:
        raise _Inconsistent


def _follows(entry: HistoryEntry, last: HistoryEntry | None, since: Instant | None) -> bool:
    """Return whether no version is missing between `last`, or the start of the period, and an entry."""
    return entry.previous == last.start if last is not None else _is_first(entry, since)


def _is_first(entry: HistoryEntry | None, since: Instant | None) -> bool:
    """Return whether an entry is the first that starts at `since` or later."""
    if entry is None:
        return False
    return entry.previous is None or (since is not None and entry.previous < since)


def _is_within(entry: HistoryEntry, since: Instant | None, until: Instant | None) -> bool:
    return (since is None or entry.start >= since) and (until is None or entry.start < until)


Heads = Mapping[Reference, Item | None]


def read_as_of(
    store: StoreContext, moments: Sequence[Moment], heads: Heads, limiter: ReadLimiter
) -> Mapping[Moment, Entity | None]:
    """Return the versions of objects at instants, None for an object that did not exist then.

    `heads`: the heads of the objects. Raises ReadBudgetExceeded, Unavailable.
    """
    present = {reference: _present_entry(store, reference, item) for reference, item in heads.items()}
    each = list(dict.fromkeys(moments))
    earlier = [moment for moment in each if _is_earlier(present[moment.reference], moment.at)]
    found = store.parallel_map(
        lambda moment: History(store, moment.reference, limiter).at(moment.at, present[moment.reference]),
        earlier,
    )
    known = {moment: _version(present[moment.reference]) for moment in each}
    return known | dict(zip(earlier, found, strict=True))


def _present_entry(store: StoreContext, reference: Reference, item: Item | None) -> HistoryEntry | None:
    return None if item is None else history_entry(item, store.model.classes[reference.class_name])


def _is_earlier(present: HistoryEntry | None, instant: Instant) -> bool:
    return present is not None and present.start > instant


def _version(present: HistoryEntry | None) -> Entity | None:
    return None if present is None else present.version
