"""The history of one object: its versions in their order, none missing, and the one of an instant.

A closed version never changes. But a reader may see one item of a commit before another: the closed version
before the new head, or the other way round. Each entry names the start of the version before it; where that
is not the version that was found, the read is repeated.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain

from stratabase import waiting
from stratabase.domain.issues.refusals import Unavailable
from stratabase.domain.objects.entity import Entity, Reference
from stratabase.domain.objects.instant import Instant
from stratabase.messages import _
from stratabase.store.engine.port import ITEMS, Bounds, Item
from stratabase.store.engine.read_limiter import ReadLimiter
from stratabase.store.layout import keys
from stratabase.store.layout.versions import HistoryEntry, history_entry
from stratabase.store.read.context import StoreContext

_MAX_ATTEMPTS = 10
_FIRST_PAUSE = 0.002
"""Seconds; each pause is twice as long as the one before it, so that all take some two seconds."""


class _Inconsistent(Exception):
    """Entries that were read do not follow one another."""


class ReadRetry:
    """The attempts to read several items as of one moment."""

    def __init__(self) -> None:
        self._failed = 0

    def wait(self) -> None:
        """Return when it is time for another attempt. Raises Unavailable when there have been enough."""
        self._failed += 1
        if self._failed == _MAX_ATTEMPTS:
            raise Unavailable(_("Another write to the same object is still in progress. Try again."))
        waiting.pause(_FIRST_PAUSE * 2.0**self._failed)

    def reset(self) -> None:
        """Start over, since an attempt went well."""
        self._failed = 0


class History:
    """The entries of one object of a versioned class, each read when it is asked for."""

    def __init__(self, store: StoreContext, reference: Reference, limiter: ReadLimiter) -> None:
        self._engine = store.engine
        self._class = store.model.classes[reference.class_name]
        self._head = keys.head(reference)
        self._limiter = limiter

    def at(self, instant: Instant, present: HistoryEntry | None) -> Entity | None:
        """Return the version of an instant, None where there was none; `present`: the entry of the head.

        Raises ReadBudgetExceeded, Unavailable.
        """
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
        """Return whether no version between the newest one found and an instant can be missing."""
        start = None if newest is None else newest.start
        if present.previous is not None and present.previous <= instant:
            return present.previous == start
        above = self._first_after(instant)
        return above is not None and above.previous == start

    def ascending(
        self, since: Instant | None, until: Instant | None, limit: int | None
    ) -> Iterator[HistoryEntry]:
        """Yield the entries that start since an instant and before another; at most `limit` are needed.

        Raises ReadBudgetExceeded, Unavailable.
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
                    last, is_complete = entry, entry.end is None
            except _Inconsistent:
                retry.wait()
                is_complete = False

    def descending(
        self, since: Instant | None, until: Instant | None, limit: int | None
    ) -> Iterator[HistoryEntry]:
        """Yield the same entries in the opposite order."""
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
                _check(last is not before)
            except _Inconsistent:
                retry.wait()

    def _read_downward(
        self, last: HistoryEntry | None, since: Instant | None, until: Instant | None, limit: int | None
    ) -> Iterator[HistoryEntry]:
        """Yield the entries before the last one, or from the newest on, which may be the open version."""
        if last is not None or until is None:
            return self._read(since, None if last is None else last.start, limit, backward=True)
        closed = self._read(since, until, limit, backward=True)
        newest = next(closed, None)
        above = self._open_behind(newest, since, until)
        return chain((each for each in (above, newest) if each is not None), closed)

    def _open_behind(
        self, newest: HistoryEntry | None, since: Instant | None, until: Instant
    ) -> HistoryEntry | None:
        """Return the open version if it follows the newest closed one and starts before `until`."""
        if newest is not None and newest.end is not None and newest.end >= until:
            return None
        above = self._first_after((-1 if since is None else since - 1) if newest is None else newest.start)
        if above is None:
            return None
        _check(_follows(above, newest, since))
        if above.start >= until:
            return None
        _check(above.end is None)  # otherwise it was closed just now
        return above

    def _first_after(self, instant: Instant) -> HistoryEntry | None:
        """Return the first entry that starts after an instant; that of the head if no version does."""
        return next(self._read(instant + 1, None, 1), None)

    def _present(self) -> HistoryEntry | None:
        (item,) = self._engine.get([self._head])
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
        """Yield the closed versions that start in a period; if it has no end, the entry of the head too."""
        low = keys.VERSIONS if since is None else keys.version_sort(since)
        high = keys.HEAD if until is None else keys.version_sort(until - 1)
        self._limiter.check()
        for items in self._engine.range(
            ITEMS, self._head.partition, Bounds(low, high), backward=backward, limit=limit, exact=exact
        ):
            self._limiter.record(items)
            entries = (history_entry(item, self._class) for item in items)
            yield from (entry for entry in entries if entry is not None)
            self._limiter.check()


def _check(fits: bool) -> None:  # noqa: FBT001 - as with assert
    if not fits:
        raise _Inconsistent


def _follows(entry: HistoryEntry, last: HistoryEntry | None, since: Instant | None) -> bool:
    """Return whether no version is missing between two entries, or before the first of a period."""
    return entry.previous == last.start if last is not None else _is_first(entry, since)


def _is_first(entry: HistoryEntry | None, since: Instant | None) -> bool:
    """Return whether no version before an entry started since an instant."""
    if entry is None:
        return False
    return entry.previous is None or (since is not None and entry.previous < since)


def _is_within(entry: HistoryEntry, since: Instant | None, until: Instant | None) -> bool:
    return (since is None or entry.start >= since) and (until is None or entry.start < until)


Moment = tuple[Reference, Instant]
Heads = Mapping[Reference, Item | None]


def read_as_of(
    store: StoreContext, moments: Sequence[Moment], heads: Heads, limiter: ReadLimiter
) -> Mapping[Moment, Entity | None]:
    """Return the versions of moments, None where there was none. `heads`: those of their objects.

    Raises ReadBudgetExceeded, Unavailable.
    """
    present = {reference: _present_entry(store, reference, item) for reference, item in heads.items()}
    each = list(dict.fromkeys(moments))
    earlier = [moment for moment in each if _is_earlier(present[moment[0]], moment[1])]
    found = store.parallel_map(
        lambda one: History(store, one[0], limiter).at(one[1], present[one[0]]), earlier
    )
    known = {moment: _version(present[moment[0]]) for moment in each}
    return known | dict(zip(earlier, found, strict=True))


def _present_entry(store: StoreContext, reference: Reference, item: Item | None) -> HistoryEntry | None:
    return None if item is None else history_entry(item, store.model.classes[reference.class_name])


def _is_earlier(present: HistoryEntry | None, instant: Instant) -> bool:
    return present is not None and present.start > instant


def _version(present: HistoryEntry | None) -> Entity | None:
    return None if present is None else present.version
