"""Lock and unlock objects: all that a request names, or none."""

from collections.abc import Callable, Iterator, Sequence

from stratabase.domain.issues.issue import Issue, IssueType, Subject
from stratabase.domain.issues.refusals import Refused, Unavailable
from stratabase.domain.members.member import Caller
from stratabase.domain.objects.commit_refusals import LockRefused, TooLarge
from stratabase.domain.objects.entity import Reference
from stratabase.domain.objects.identity import normalize_reference
from stratabase.domain.objects.instant import Instant
from stratabase.domain.objects.lock import Lock, is_active
from stratabase.domain.write.locks import locked_issue
from stratabase.messages import _
from stratabase.operations.locks.permissions import lock_issues, not_found
from stratabase.operations.services import Services
from stratabase.operations.write.options import DEFAULT_OPTIONS, WriteOptions
from stratabase.operations.write.pipeline import MOST_ROUNDS

_PLACE = "locks"
"""The argument in which a request names them."""


Act = Callable[[Sequence[Reference], Instant], None]
"""Does something with objects, each named once, at an instant. Raises LockRefused, TooLarge, Unavailable."""


class LockTargets:
    """Objects, of which each counts once however often it is named."""

    def __init__(
        self,
        services: Services,
        references: Sequence[Reference],
        caller: Caller,
        options: WriteOptions = DEFAULT_OPTIONS,
    ) -> None:
        self._services = services
        self._terms = options
        self._caller = caller
        self._numbers: dict[Reference, int] = {}
        """Where each is named first."""
        for number, reference in enumerate(references):
            self._numbers.setdefault(normalize_reference(reference), number)

    def check(self) -> Iterator[Issue]:
        """Yield what is wrong with the naming."""
        if not self._numbers:
            message = _(
                "{argument} is empty. Specify at least one object, such as {{entityName: …, _id: …}}.",
                argument=_PLACE,
            )
            yield Issue(IssueType.MALFORMED_REQUEST, message, path=(_PLACE,))

    def act(self, act: Act) -> None:
        """Do it with all of them, once more where a lock has ended meanwhile.

        Raises Refused, ReadBudgetExceeded, Unavailable.
        """
        named = {reference: self._subject(reference) for reference in self._numbers}
        if issues := lock_issues(self._services, named, self._caller, self._terms):
            raise Refused(issues)
        for _round in range(MOST_ROUNDS):
            try:
                return act(list(self._numbers), self._services.clock.now())
            except LockRefused as refusal:
                if refusal.missing or self._is_held(refusal):
                    raise Refused(self._explained(refusal)) from None
            except TooLarge as refusal:
                message = _("{argument}: {message}", argument=_PLACE, message=refusal.message)
                raise Refused([Issue(IssueType.MALFORMED_REQUEST, message, path=(_PLACE,))]) from None
        raise Unavailable(_("Concurrent locks on the same objects prevented this request. Try again."))

    def _is_held(self, refusal: LockRefused) -> bool:
        """Return whether something is still locked."""
        now = self._services.clock.now()
        return any(is_active(lock, now) for _reference, lock in refusal.locks)

    def _explained(self, refusal: LockRefused) -> list[Issue]:
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
        place = (_PLACE, self._numbers[reference])
        return Subject(self._services.class_(reference.class_name), reference.id, path=place)


_MINUTE = 60_000
"""Milliseconds."""


def lock(
    services: Services,
    references: Sequence[Reference],
    minutes: int,
    caller: Caller,
    options: WriteOptions = DEFAULT_OPTIONS,
) -> None:
    """Lock all of them for the caller, or none; those that he has locked before get a new end.

    Raises Refused with every issue, ReadBudgetExceeded, Unavailable.
    """
    named = LockTargets(services, references, caller, options)
    issues = [*named.check(), *_wrong_minutes(minutes, services.lock_minutes)]
    if issues:
        raise Refused(issues)

    def act(each: Sequence[Reference], now: Instant) -> None:
        taken = Lock(caller.id, caller.username, now + minutes * _MINUTE)
        services.entities.lock(services.ids.new(), each, taken, now)

    named.act(act)


def _wrong_minutes(minutes: int, most: int) -> Iterator[Issue]:
    if not 1 <= minutes <= most:
        message = _(
            "{value} is not allowed for minutes. Use a whole number from 1 to {maximum}.",
            value=str(minutes),
            maximum=str(most),
        )
        yield Issue(IssueType.MALFORMED_REQUEST, message, path=("minutes",))


def unlock(
    services: Services,
    references: Sequence[Reference],
    caller: Caller,
    options: WriteOptions = DEFAULT_OPTIONS,
) -> None:
    """End the caller's locks on all of them, or on none; an administrator ends anybody's.

    What is not locked stays so. Raises Refused with every issue, ReadBudgetExceeded,
    Unavailable.
    """
    named = LockTargets(services, references, caller, options)
    if issues := [*named.check()]:
        raise Refused(issues)

    def act(each: Sequence[Reference], now: Instant) -> None:
        commit_id, anybodys = services.ids.new(), caller.administrator
        services.entities.unlock(commit_id, each, caller.id, now, anybodys=anybodys)

    named.act(act)
