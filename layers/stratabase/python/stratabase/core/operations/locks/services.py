"""Lock and unlock objects: all objects of a request, or none."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial

from stratabase.core.domain.access.grants import Access, access_of
from stratabase.core.domain.access.requirements import (
    PermissionKey,
    RequiredPermission,
    check_permission,
    required_condition,
    unmet_condition,
)
from stratabase.core.domain.caller import Caller
from stratabase.core.domain.issues.issue import Issue, IssueType, Subject
from stratabase.core.domain.issues.refusals import Refused, Unavailable
from stratabase.core.domain.objects.commit_refusals import LockRefused, TooLarge
from stratabase.core.domain.objects.entity import (
    Entity,
    Reference,
    normalize_reference,
    whole_of,
    whole_roles,
)
from stratabase.core.domain.objects.idempotency import IdempotencyRecord
from stratabase.core.domain.objects.instant import Instant
from stratabase.core.domain.objects.lock import Lock, is_active
from stratabase.core.domain.write.checks import locked_issue
from stratabase.core.domain.write.role_requests import not_found_issue
from stratabase.core.model.api_names import ID
from stratabase.core.model.model import Action
from stratabase.core.operations.context import ReadContext, Services
from stratabase.core.operations.read.batched_reads import run
from stratabase.core.operations.read.reader import Reader
from stratabase.core.operations.write.options import NO_OPTIONS, WriteOptions
from stratabase.core.operations.write.permissions import ConditionalPermission, unmet_keys
from stratabase.core.operations.write.pipeline import MAX_WRITE_ROUNDS
from stratabase.values.messages import _

Subjects = Mapping[Reference, Subject]
"""By object: the place where the request names it."""


def lock_issues(services: Services, subjects: Subjects, caller: Caller, options: WriteOptions) -> list[Issue]:
    """Return why grants forbid the caller to lock or unlock objects. Raises ReadBudgetExceeded, Unavailable.

    If the caller may edit no object of a class, the request is refused before anything is read.
    """
    access = access_of(services.model, caller.profile)
    if access is None:
        return []
    plain = [*_class_issues(access, subjects)]
    return plain or _LockPermissionCheck(services, access, caller, options).issues(subjects)


def _class_issues(access: Access, subjects: Subjects) -> Iterator[Issue]:
    for reference, subject in subjects.items():
        issue = (
            None
            if _may_edit_any(access, reference.class_name)
            else check_permission(access, _edit_permission(reference, subject))
        )
        if issue is not None:
            yield issue


def _may_edit_any(access: Access, class_name: str) -> bool:
    """Return whether grants may allow to edit an object of a class, for parts possibly by their wholes."""
    waiting, seen = [class_name], {class_name}
    while waiting:
        name = waiting.pop()
        if not access.follows_whole(name):
            if Action.EDIT in access.class_permission(name).actions:
                return True
            continue
        above = {role.target for role in whole_roles(access.model.classes[name])} - seen
        seen |= above
        waiting += above
    return False


def _edit_permission(reference: Reference, subject: Subject) -> RequiredPermission:
    return RequiredPermission(Action.EDIT, subject, reference, subject.path)


class _LockPermissionCheck:
    """Checks the grants that depend on the objects themselves."""

    def __init__(self, services: Services, access: Access, caller: Caller, options: WriteOptions) -> None:
        budget = options.budget or services.new_budget()
        evaluation = options.evaluation_for(caller, services.clock.now())
        read_context = ReadContext(services.model, services.entities, budget, evaluation)
        self._access = access
        self._visible = Reader(read_context)
        """Reads what the caller may see."""
        self._unrestricted = Reader(read_context, unrestricted=True)
        """Reads whatever exists, to evaluate conditions."""

    def issues(self, subjects: Subjects) -> list[Issue]:
        """Return an issue for each object that is missing, hidden, or not to be edited by the caller."""
        # 1. Read the objects and their wholes, and find out which objects the caller sees.
        run(self._unrestricted.load_with_wholes(subjects))
        existing = [
            entity for reference in subjects if (entity := self._unrestricted.find(reference)) is not None
        ]
        visible = dict(
            zip((each.reference for each in existing), run(self._visible.add_visible(existing)), strict=True)
        )
        # 2. Collect the permissions that each object needs, and evaluate their conditions together.
        permissions = {each.reference: [*self._required(each, subjects[each.reference])] for each in existing}
        conditional = [
            ConditionalPermission(required, where)
            for each in permissions.values()
            for required in each
            if (where := required_condition(self._access, required)) is not None
        ]
        unmet_conditions = {*unmet_keys(self._unrestricted, conditional)}
        # 3. Report at most one issue for each object, in the order of the request.
        issues = (
            self._issue(subject, permissions[reference], visible[reference], unmet_conditions)
            if reference in permissions
            else not_found(subject)
            for reference, subject in subjects.items()
        )
        return [issue for issue in issues if issue is not None]

    def _required(self, entity: Entity, subject: Subject) -> Iterator[RequiredPermission]:
        """Yield the permissions that an object needs: to edit it, or its whole and the roles on the way."""
        at = entity
        while self._access.follows_whole(at.reference.class_name) and (step := self._whole(at)) is not None:
            role, at = step
            whole = Subject(self._access.model.classes[at.reference.class_name], None, path=subject.path)
            yield RequiredPermission(Action.EDIT, whole, at.reference, subject.path, role)
        yield _edit_permission(at.reference, subject)

    def _whole(self, part: Entity) -> tuple[str, Entity] | None:
        """Return the name of the role that leads to a part, and its whole, or None if it has none."""
        owner = whole_of(self._access.model.classes[part.reference.class_name], part.state)
        whole = None if owner is None else self._unrestricted.find(owner.reference)
        return None if owner is None or whole is None else (owner.composition, whole)

    def _issue(
        self,
        subject: Subject,
        permissions: Sequence[RequiredPermission],
        visible: Entity | None,
        unmet_keys: Collection[PermissionKey],
    ) -> Issue | None:
        is_unseen = visible is None and self._access.may_read_class(subject.class_.name)
        if is_unseen or self._hides(permissions):
            return not_found(subject)
        for required in permissions:
            issue = check_permission(self._access, required)
            if issue is None and required.key in unmet_keys:
                issue = unmet_condition(self._access, required)
            if issue is not None:
                return issue
        return None

    def _hides(self, permissions: Iterable[RequiredPermission]) -> bool:
        """Return whether the caller may not read a role that leads to the part."""
        narrowed = (
            self._access.field_permission(required.reference.class_name, required.field)
            for required in permissions
            if required.field is not None
        )
        return any(each is not None and Action.READ not in each.actions for each in narrowed)


def not_found(subject: Subject) -> Issue:
    """Return the issue for an object that does not exist, or that the caller must not know of."""
    return not_found_issue(subject, *subject.path, ID)


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
        options: WriteOptions = NO_OPTIONS,
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
    options: WriteOptions = NO_OPTIONS,
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
    options: WriteOptions = NO_OPTIONS,
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
