"""The history of one object: its versions in their order, none missing, however commits are shown.

A closed version is never changed: one that is found is right. But of a commit that closes a version and
changes the head, a reader may see the one before the other. Each step names the version before it; where that
is not the one that was found, it is looked for again.
"""

from collections.abc import Iterator
from itertools import chain

from stratabase.domain.objects.entity import Entity, Reference
from stratabase.domain.objects.instant import Instant
from stratabase.store import keys
from stratabase.store.desk import Desk
from stratabase.store.engine.port import ITEMS, Bounds
from stratabase.store.engine.read_limiter import ReadLimiter
from stratabase.store.engine.read_retry import ReadRetry
from stratabase.store.step import Step, step_of


class _Torn(Exception):
    """What was read does not fit together."""


class History:
    """The steps of one object of a versioned class, each read when it is asked for."""

    def __init__(self, desk: Desk, reference: Reference, spending: ReadLimiter) -> None:
        self._engine = desk.engine
        self._class = desk.model.classes[reference.class_name]
        self._head = keys.head(reference)
        self._spending = spending

    def at(self, instant: Instant, present: Step | None) -> Entity | None:
        """Return the version of an instant, None where there was none; `present`: what the head told.

        Raises TooMuchRead, Unavailable.
        """
        looks, exact = ReadRetry(), False
        while present is not None and present.start > instant:
            if present.previous is None:
                return None
            newest = next(self._read(None, instant + 1, 1, backward=True, exact=exact), None)
            if newest is not None and newest.end is not None and newest.end > instant:
                return newest.version
            if self._is_known(newest, instant, present):
                return None
            if exact:
                looks.wait()
                present = self._present()
            exact = True
        return None if present is None else present.version

    def _is_known(self, newest: Step | None, instant: Instant, present: Step) -> bool:
        """Return whether it is certain that no version is newer than one, and began until an instant."""
        start = None if newest is None else newest.start
        if present.previous is not None and present.previous <= instant:
            return present.previous == start
        above = self._above(instant)
        return above is not None and above.previous == start

    def ascending(self, since: Instant | None, until: Instant | None, limit: int | None) -> Iterator[Step]:
        """Yield the steps that begin since an instant and before another; at most `limit` are needed.

        Raises TooMuchRead, Unavailable.
        """
        looks, last, is_complete = ReadRetry(), None, False
        while not is_complete:
            is_complete, at = True, since if last is None else last.start + 1
            try:
                for step in self._read(at, None, limit):
                    _check(_follows(step, last, since))
                    if not _is_within(step, since, until):
                        return
                    yield step
                    looks.reset()
                    last, is_complete = step, step.end is None
            except _Torn:
                looks.wait()
                is_complete = False

    def descending(self, since: Instant | None, until: Instant | None, limit: int | None) -> Iterator[Step]:
        """Yield the same the other way round."""
        looks, last = ReadRetry(), None
        while not _is_first(last, since):
            before = last
            try:
                for step in self._downward(last, since, until, limit):
                    _check(last is None or last.previous == step.start)
                    if not _is_within(step, since, until):
                        return
                    yield step
                    looks.reset()
                    last = step
                if last is None:
                    return
                _check(last is not before)
            except _Torn:
                looks.wait()

    def _downward(
        self, last: Step | None, since: Instant | None, until: Instant | None, limit: int | None
    ) -> Iterator[Step]:
        """Yield the steps below the last one, or else from the newest on, though that be the open version."""
        if last is not None or until is None:
            return self._read(since, None if last is None else last.start, limit, backward=True)
        closed = self._read(since, until, limit, backward=True)
        newest = next(closed, None)
        above = self._behind(newest, since, until)
        return chain((each for each in (above, newest) if each is not None), closed)

    def _behind(self, newest: Step | None, since: Instant | None, until: Instant) -> Step | None:
        """Return the open version, or the end, if it is what follows the newest closed version of a time."""
        if newest is not None and newest.end is not None and newest.end >= until:
            return None
        above = self._above((-1 if since is None else since - 1) if newest is None else newest.start)
        if above is None:
            return None
        _check(_follows(above, newest, since))
        if above.start >= until:
            return None
        _check(above.end is None)  # otherwise it has been closed just now
        return above

    def _above(self, instant: Instant) -> Step | None:
        """Return the first step that begins after an instant; the present one, if no other is closed."""
        return next(self._read(instant + 1, None, 1), None)

    def _present(self) -> Step | None:
        (item,) = self._engine.get([self._head])
        return None if item is None else step_of(item, self._class)

    def _read(
        self,
        since: Instant | None,
        until: Instant | None,
        limit: int | None,
        *,
        backward: bool = False,
        exact: bool = True,
    ) -> Iterator[Step]:
        """Yield the closed versions that begin in a time; if that has no end, the present step too."""
        low = keys.VERSIONS if since is None else keys.version_sort(since)
        high = keys.HEAD if until is None else keys.version_sort(until - 1)
        self._spending.check()
        for items in self._engine.range(
            ITEMS, self._head.partition, Bounds(low, high), backward=backward, limit=limit, exact=exact
        ):
            self._spending.record(items)
            steps = (step_of(item, self._class) for item in items)
            yield from (step for step in steps if step is not None)
            self._spending.check()


def _check(fits: bool) -> None:  # noqa: FBT001 - as with assert
    if not fits:
        raise _Torn


def _follows(step: Step, last: Step | None, since: Instant | None) -> bool:
    """Return whether no version is missing between two steps, or before the first one of a time."""
    return step.previous == last.start if last is not None else _is_first(step, since)


def _is_first(step: Step | None, since: Instant | None) -> bool:
    """Return whether no version before a step began since an instant."""
    if step is None:
        return False
    return step.previous is None or (since is not None and step.previous < since)


def _is_within(step: Step, since: Instant | None, until: Instant | None) -> bool:
    return (since is None or step.start >= since) and (until is None or step.start < until)
