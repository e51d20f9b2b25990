"""The interfaces that operations need: objects, attempts, time, and ids."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from stratabase.core.domain.attempts import RecordedAttempt
    from stratabase.core.domain.objects.change import Change, DeletedObject, DeletionPlace, Tombstone
    from stratabase.core.domain.objects.entity import (
        Entity,
        Moment,
        Reference,
        RoleName,
        SerialName,
        State,
    )
    from stratabase.core.domain.objects.idempotency import IdempotencyRecord
    from stratabase.core.domain.objects.instant import Instant
    from stratabase.core.domain.objects.lock import Lock
    from stratabase.core.domain.query.derived import Derive, Related
    from stratabase.core.domain.query.page import IdRange, Matches, Page, Query
    from stratabase.core.domain.query.read_budget import ReadBudget
    from stratabase.core.model.model import Unique


class ReadableObjects(Protocol):
    """The stored objects, for those who only read.

    A result is *strongly consistent* if it shows all writes that were committed before the call.

    With a read budget, a method draws on it, and raises ReadBudgetExceeded once it is used up.
    """

    def read(self, references: Sequence[Reference], budget: ReadBudget | None = None) -> list[Entity | None]:
        """Return objects in the order of `references`, None for a missing object. Strongly consistent.

        A singleton always exists: before it is first written (by an Update), it has only its `_id`. Reads for
        writes have no budget.
        """

    def linked(
        self,
        role: RoleName,
        ids: Sequence[str],
        id_range: IdRange = ...,
        *,
        at: Sequence[Instant] | None = None,
        budget: ReadBudget | None = None,
    ) -> list[tuple[str, ...]]:
        """Return, for each owner, the ids of the objects that a role leads to. Strongly consistent.

        The owner's state does not hold the role: it is a to-many association, or the side of a one-to-one
        association that holds no key (at most one id). For each owner, the result has the ids in `id_range`,
        in its order. An object may no longer exist, because a key that leads to nothing keeps its link.

        With `at`, one instant for each owner, the objects' class must be versioned and hold the keys. The
        result has the ids of the objects that the role may have led to at that instant. Their versions of
        that instant tell whether it did. An owner may occur several times.
        """

    def as_of(self, moments: Sequence[Moment], budget: ReadBudget | None = None) -> list[Entity | None]:
        """Return objects as they were at instants, None for each that did not exist then.

        Strongly consistent. An object does not exist before its first version, and while it is deleted. If
        its class is not versioned, the result has it as it is now. Raises Unavailable if a concurrent write
        does not finish.
        """

    def ids_at(
        self, class_name: str, instant: Instant, id_range: IdRange, budget: ReadBudget
    ) -> Iterator[Sequence[str]]:
        """Yield the IDs of all objects of a versioned class that may have existed at an instant, in batches.

        They are in the order of the range, each once, and deleted objects are among them. `as_of` tells which
        of them existed. The limit of the range is the size of the first batch. An object that was written a
        moment ago may be missing. Raises DeletedNotListed, ReadBudgetExceeded.
        """

    def versions(  # noqa: PLR0913 - what narrows a range is named, and rarely given
        self,
        reference: Reference,
        since: Instant | None = None,
        until: Instant | None = None,
        *,
        backward: bool = False,
        limit: int | None = None,
        budget: ReadBudget | None = None,
    ) -> Iterator[Entity]:
        """Yield the versions of an object in the order of their starts, descending if `backward`.

        Strongly consistent.

        These are the closed versions and the open one. They start at `since` or later and before `until`, and
        are at most `limit`. Raises ReadBudgetExceeded, Unavailable.
        """

    def page(
        self,
        query: Query,
        budget: ReadBudget,
        derive: Derive | None = None,
        related: Related | None = None,
    ) -> Page:
        """Return one page of the objects of a class. Raises ReadBudgetExceeded.

        The objects have their states: the attributes in `query.fields.attributes` as their types read them,
        or all. They have no commit ids, counts or locks.

        If the query uses derived attributes, `derive` computes them: it takes many objects at a time, and
        returns them with these values. The page has the objects as `derive` returned them.

        If the filter is about the objects that roles lead to, the store may look for these first. It calls
        `related` for pages of those that the caller sees.
        """

    def matches(
        self,
        query: Query,
        budget: ReadBudget,
        derive: Derive | None = None,
        related: Related | None = None,
    ) -> Iterator[Matches]:
        """Yield all objects that match a query, in batches, in any order. Raises ReadBudgetExceeded.

        The query asks for items and has a window without a start, whose size is the number of objects that
        the caller takes. The states have the values in `query.fields.totals`. Otherwise it is as for `page`.
        """

    def find_by_unique(
        self, class_name: str, unique: Unique, values: State, budget: ReadBudget
    ) -> Entity | None:
        """Return the object that has unique values, or None if there is none, or a value is null.

        Strongly consistent after the guards of all objects are built. Raises ReadBudgetExceeded.
        """

    def tombstones(self, references: Sequence[Reference]) -> list[Tombstone | None]:
        """Return the tombstones of deleted objects of versioned classes, None for other objects.

        Strongly consistent.
        """

    def deleted(  # noqa: PLR0913 - where to start, and in which order
        self,
        class_name: str,
        start: DeletionPlace | None,
        budget: ReadBudget,
        *,
        inclusive: bool = False,
        oldest_first: bool = False,
        size: int = 1,
    ) -> Iterator[Sequence[DeletedObject]]:
        """Yield the deleted objects of a versioned class in batches, the latest deletion first.

        `start` is where to start, with what lies there if `inclusive`; None for the beginning. `size` is that
        of the first batch. A deletion may show after a while only, but an object that exists again never
        shows. Raises DeletedNotListed, ReadBudgetExceeded.
        """

    def pending_purges(self, references: Sequence[Reference]) -> list[Instant | None]:
        """Return when objects were deleted whose cleanup is unfinished, None for others.

        The parts that remain ended at that instant, although they are still stored.
        """

    def referrers(self, role: RoleName, id_: str, limit: int) -> tuple[str, ...]:
        """Return the ids of objects that lead to an object by a required to-one role that holds the key.

        The result has at most `limit` ids. It is strongly consistent, except for keys that are older than
        the links of the role.
        """

    def are_linked(self, role: RoleName, pairs: Sequence[tuple[str, str]]) -> list[bool]:
        """Return, for each pair of owner and other, whether a link leads to the other. Strongly consistent.

        The role is a to-many association without a key on either side.
        """

    def check_role(self, role: RoleName) -> None:
        """Raise RoleUnavailable if objects may not have a role in their state, although the model says so.

        This is the case after a change of the model that stores the role differently, until its associations
        have been moved. `linked` and `are_linked` raise it, too.
        """

    def known_since(self, role: RoleName) -> Instant:
        """Return the instant since which objects have a role in their state, 0 if they always had.

        It is when the associations of the role were moved there, after a change of the model that stores the
        role differently. The versions that ended before do not have the role.
        """

    def known_size(self, class_name: str, limit: int) -> int | None:
        """Return the number of objects of a class, None if the store doesn't know it, or it exceeds `limit`.

        A store on this machine knows it. Others would have to be asked.
        """


class WritableObjects(Protocol):
    """Writes of objects: what they need before, their trial, and their commit."""

    def next_serials(self, wanted: Mapping[SerialName, int]) -> Mapping[SerialName, Sequence[int]]:
        """Reserve numbers of Serial attributes: how many of each in, the new numbers out.

        They start at 1 and increase, and no number is ever returned again. Some may stay unused. Processes
        that take numbers at the same time may get them in another order. Raises Unavailable.
        """

    def may_refuse(self, changes: Sequence[Change]) -> list[bool]:
        """Return for each change whether `dry_run` could refuse it now.

        False is certain. If each change creates one object, it takes much less time than a dry run of each.
        The changes are not held against one another, and the IDs of new objects count as free.
        """

    def dry_run(self, change: Change) -> None:
        """Raise what `commit` would raise for a change now. Write nothing."""

    def commit(self, change: Change) -> None:
        """Commit a change as a whole or not at all.

        After these refusals, it is certain that nothing was written:

        - LockedByOthers: others have locked an object of the change.
        - AlreadyRecorded: the step of the idempotency record of the change is recorded already.
        - Conflict: an object is no longer as it was read.
        - UniqueViolation: other objects have the unique values.
        - UniqueNotBuilt: the store cannot tell yet whether others have them.
        - IntegrityViolation: a role would break the rules of the model.
        - TooLarge: the change is larger than the store accepts.

        Raises Unavailable if the store cannot tell whether it was written.
        """

    def finish_cleanup(self, references: Sequence[Reference]) -> bool:
        """Finish the cleanup of earlier writes of these objects if there is time.

        Return whether there was any.

        The cleanup deletes parts that their whole no longer lists, or does not list yet. Raises Unavailable,
        also while one of the objects is being restored.
        """

    def fork(self) -> EntityRepository:
        """Return the same objects for a trial of several commits: they stay in memory, and end with it.

        It serves one caller. It shows the objects that are stored when it reads them, and its own commits.
        """


class LockableObjects(Protocol):
    """The locks of objects. A write checks them in its own commit."""

    def lock(
        self,
        commit_id: str,
        references: Sequence[Reference],
        lock: Lock,
        now: Instant,
        record: IdempotencyRecord | None = None,
    ) -> None:
        """Lock objects, all or none. Each occurs once. A lock that ends at `now` or earlier counts as ended.

        The member may already hold the locks. Raises LockRefused and TooLarge, after which no new lock
        exists. Raises AlreadyRecorded if the step of the `record` is recorded already. Raises Unavailable if
        the store cannot tell whether the locks exist.
        """

    def unlock(  # noqa: PLR0913 - as `lock`
        self,
        commit_id: str,
        references: Sequence[Reference],
        member_id: str,
        now: Instant,
        *,
        anybodys: bool = False,
        record: IdempotencyRecord | None = None,
    ) -> None:
        """End the locks of a member on objects, or all locks if `anybodys`. Each object occurs once.

        Objects without a lock stay so. Raises as `lock`.
        """


class IdempotencyRecords(Protocol):
    """Records of the steps of requests that have an idempotency key.

    A commit and a lock write the record of their step themselves.
    """

    def recorded(self, scope: str) -> list[IdempotencyRecord]:
        """Return all records of an idempotency key, also expired ones. Strongly consistent."""

    def record(self, record: IdempotencyRecord, now: Instant) -> None:
        """Store the idempotency record of a step that has written nothing.

        Raises AlreadyRecorded if the step has a record that is still valid at `now`. Raises Unavailable if
        the store cannot tell whether the record was written.
        """


class Checkpoints(Protocol):
    """Saved positions of long-running tasks, by the name of the task."""

    def checkpoint(self, work: str) -> str | None:
        """Return the saved position of a long-running task, or None if it has none."""

    def begin_checkpoint(self, work: str, at: str) -> str:
        """Save the first position of a long-running task, unless it has one. Return the saved one.

        Of several processes that begin the same task, all get the position of the first. Raises Unavailable.
        """

    def set_checkpoint(self, work: str, at: str | None) -> None:
        """Save the position of a long-running task. None deletes it. Raises Unavailable."""


class EntityRepository(
    ReadableObjects, WritableObjects, LockableObjects, IdempotencyRecords, Checkpoints, Protocol
):
    """A store of objects, as a whole. What needs less asks for one of the ports above."""


class Attempts(Protocol):
    """Records of attempts to sign in or to send mail. They are deleted some time after MAX_WINDOW.

    A key has at most MAX_ATTEMPTS_KEPT records: a further attempt is returned but not stored. Every method
    raises Unavailable if the store cannot answer.
    """

    def note(self, key: str, now: Instant, since: Instant) -> RecordedAttempt:
        """Record an attempt, and return it with all attempts of its key since an instant.

        Both are one atomic step.
        """

    def withdraw(self, key: str, attempt: str) -> None:
        """Delete the record of an attempt."""

    def count(self, key: str, since: Instant) -> int:
        """Return the number of recorded attempts of a key since an instant."""


class Clock(Protocol):
    """A clock."""

    def now(self) -> Instant:
        """Return the present instant."""


class Ids(Protocol):
    """A source of new ids, which are opaque and safe in URLs."""

    def new(self) -> str:
        """Return a unique id. Ids sort in the order of time."""
