"""Lock and unlock objects: all objects of a request, or none."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from stratabase.core.domain.caller import Caller
from stratabase.core.domain.issues.issue import Issue, IssueType, Subject
from stratabase.core.domain.issues.refusals import Refused, Unavailable
from stratabase.core.domain.objects.commit_refusals import LockRefused, TooLarge
from stratabase.core.domain.objects.entity import Reference
from stratabase.core.domain.objects.idempotency import IdempotencyRecord
from stratabase.core.domain.objects.identity import normalize_reference
from stratabase.core.domain.objects.instant import Instant
from stratabase.core.domain.objects.lock import Lock, is_active
from stratabase.core.domain.write.locks import locked_issue
from stratabase.core.operations.locks.permissions import lock_issues, not_found
from stratabase.core.operations.services import Services
from stratabase.core.operations.write.options import DEFAULT_OPTIONS, WriteOptions
from stratabase.core.operations.write.pipeline import MAX_WRITE_ROUNDS
from stratabase.values.messages import _

_ARGUMENT = "locks"
"""The argument of the API that lists the objects."""
LockAction = Callable[[Sequence[Reference], Instant], None]
"""Locks or unlocks objects, each listed once, at an instant. Raises LockRefused, TooLarge, Unavailable."""


class LockTargets:
    """The objects of a lock request, each once even if the request names it repeatedly."""

    def __init__(
        self,
        services: Services,
        references: Sequence[Reference],
        caller: Caller,
        options: WriteOptions = DEFAULT_OPTIONS,
    ) -> None:
        self._services = services
        self._options = options
        self._caller = caller
        self._positions: dict[Reference, int] = {}
        """By object: its first position in the request."""
        for number, reference in enumerate(references):
            self._positions.setdefault(normalize_reference(reference), number)

    def check(self) -> Iterator[Issue]:
        """Yield an issue if the request names no object."""
        if not self._positions:
            message = _(
                "{argument} is empty. Specify at least one object, such as {{entityName: …, _id: …}}.",
                argument=_ARGUMENT,
            )
            yield Issue(IssueType.MALFORMED_REQUEST, message, path=(_ARGUMENT,))

    def apply(self, act: LockAction) -> None:
        """Lock or unlock all objects by `act`. Retry if a lock in the way has ended in the meantime.

        Raises Refused, ReadBudgetExceeded, Unavailable.
        """
        subjects = {reference: self._subject(reference) for reference in self._positions}
        if issues := lock_issues(self._services, subjects, self._caller, self._options):
            raise Refused(issues)
        # The store refuses a request because of locks that it found. If these have ended by now, try again.
        for _round in range(MAX_WRITE_ROUNDS):
            try:
                return act(list(self._positions), self._services.clock.now())
            except LockRefused as refusal:
                if refusal.missing or self._any_active(refusal):
                    raise Refused(self._refusal_issues(refusal)) from None
            except TooLarge as refusal:
                message = _("{argument}: {message}", argument=_ARGUMENT, message=refusal.message)
                raise Refused([Issue(IssueType.MALFORMED_REQUEST, message, path=(_ARGUMENT,))]) from None
        raise Unavailable(_("Concurrent locks on the same objects prevented this request. Try again."))

    def _any_active(self, refusal: LockRefused) -> bool:
        """Return whether one of the refusing locks is still active."""
        now = self._services.clock.now()
        return any(is_active(lock, now) for _reference, lock in refusal.locks)

    def _refusal_issues(self, refusal: LockRefused) -> list[Issue]:
        """Return the issues of a refusal, in the order of the request."""
        formats = self._caller.formats
        issues = [
            *(not_found(self._subject(reference)) for reference in refusal.missing),
            *(
                locked_issue(IssueType.ENTITY_LOCK_EDIT, self._subject(reference), lock, formats)
                for reference, lock in refusal.locks
            ),
        ]
        return sorted(issues, key=lambda issue: issue.path[1])

    def _subject(self, reference: Reference) -> Subject:
        place = (_ARGUMENT, self._positions[reference])
        return Subject(self._services.class_(reference.class_name), reference.id, path=place)


_MINUTE = 60_000
"""In milliseconds."""


def lock(
    services: Services,
    references: Sequence[Reference],
    minutes: int,
    caller: Caller,
    options: WriteOptions = DEFAULT_OPTIONS,
) -> None:
    """Lock objects for the caller, all or none. Objects that the caller has already locked get a new end.

    Raises Refused with all issues, ReadBudgetExceeded, Unavailable.
    """
    targets = LockTargets(services, references, caller, options)
    issues = [*targets.check(), *_wrong_minutes(minutes, services.lock_minutes)]
    if issues:
        raise Refused(issues)

    def act(each: Sequence[Reference], now: Instant) -> None:
        taken = Lock(caller.id, caller.username, now + minutes * _MINUTE)
        _commit(options, partial(services.entities.lock, services.ids.new(), each, taken, now))

    targets.apply(act)


def _commit(options: WriteOptions, commit: Callable[[IdempotencyRecord | None], None]) -> None:
    """Call `commit` with the idempotency record of the request, None if the request has no key."""
    if options.recorder is None:
        commit(None)
    else:
        options.recorder.commit_record(commit)


def _wrong_minutes(minutes: int, maximum: int) -> Iterator[Issue]:
    if not 1 <= minutes <= maximum:
        message = _(
            "{value} is not allowed for minutes. Use a whole number from 1 to {maximum}.",
            value=str(minutes),
            maximum=str(maximum),
        )
        yield Issue(IssueType.MALFORMED_REQUEST, message, path=("minutes",))


def unlock(
    services: Services,
    references: Sequence[Reference],
    caller: Caller,
    options: WriteOptions = DEFAULT_OPTIONS,
) -> None:
    """End the caller's locks on objects, all or none. An administrator ends all locks on them.

    Objects without a lock stay as they are. Raises Refused with all issues, ReadBudgetExceeded, Unavailable.
    """
    targets = LockTargets(services, references, caller, options)
    if issues := [*targets.check()]:
        raise Refused(issues)

    def act(each: Sequence[Reference], now: Instant) -> None:
        commit_id, anybodys = services.ids.new(), caller.administrator
        unlock_each = partial(services.entities.unlock, commit_id, each, caller.id, now, anybodys=anybodys)
        _commit(options, lambda record: unlock_each(record=record))

    targets.apply(act)
