"""The grants for locks: members who may edit an object may lock and unlock it."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from stratabase.core.domain.access.grants import Access, access_of
from stratabase.core.domain.access.requirements import (
    PermissionKey,
    RequiredPermission,
    check_permission,
    required_condition,
    unmet_condition,
)
from stratabase.core.domain.caller import Caller
from stratabase.core.domain.issues.issue import Issue, Subject
from stratabase.core.domain.objects.entity import Entity, Reference
from stratabase.core.domain.objects.parts import whole_of, whole_roles
from stratabase.core.domain.write.role_requests import not_found_issue
from stratabase.core.model.api_names import ID
from stratabase.core.model.model import Action
from stratabase.core.operations.context import ReadContext
from stratabase.core.operations.read.batched_reads import run
from stratabase.core.operations.read.reader import Reader
from stratabase.core.operations.services import Services
from stratabase.core.operations.write.options import WriteOptions
from stratabase.core.operations.write.permissions import ConditionalPermission, unmet_keys

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
