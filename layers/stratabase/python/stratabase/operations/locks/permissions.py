"""What grants say of locking objects, or unlocking them: who may edit an object may reserve it."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from stratabase.domain.access.grants import Access, access_of
from stratabase.domain.access.requirements import (
    PermissionKey,
    RequiredPermission,
    check_permission,
    required_condition,
    unmet_condition,
)
from stratabase.domain.issues.issue import Issue, Subject
from stratabase.domain.members.member import Caller
from stratabase.domain.objects.entity import Entity, Reference
from stratabase.domain.objects.parts import whole_of, whole_roles
from stratabase.domain.write.role_requests import not_found_issue
from stratabase.model.model import Action
from stratabase.operations.context import RequestContext
from stratabase.operations.read.loading import run
from stratabase.operations.read.reader import Reader
from stratabase.operations.services import Services
from stratabase.operations.write.options import WriteOptions
from stratabase.operations.write.permissions import ConditionalPermission, unmet_keys

Named = Mapping[Reference, Subject]
"""Objects, each with the place where a request names it."""


def lock_issues(services: Services, named: Named, caller: Caller, options: WriteOptions) -> list[Issue]:
    """Return why grants do not let somebody lock or unlock objects. Raises ReadBudgetExceeded, Unavailable.

    What is allowed with no object of a class is refused before anything is read.
    """
    access = access_of(services.model, caller.profile)
    if access is None:
        return []
    plain = [*_of_classes(access, named)]
    return plain or _Judge(services, access, caller, options).issues(named)


def _of_classes(access: Access, named: Named) -> Iterator[Issue]:
    for reference, subject in named.items():
        issue = (
            None
            if _edits(access, reference.class_name)
            else check_permission(access, _demand(reference, subject))
        )
        if issue is not None:
            yield issue


def _edits(access: Access, class_name: str) -> bool:
    """Return whether some objects of a class may be changed: of parts, perhaps with their wholes."""
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


def _demand(reference: Reference, subject: Subject) -> RequiredPermission:
    return RequiredPermission(Action.EDIT, subject, reference, subject.path)


class _Judge:
    """Judges objects by what they are."""

    def __init__(self, services: Services, access: Access, caller: Caller, options: WriteOptions) -> None:
        budget = options.budget or services.new_budget()
        evaluation = options.evaluation_for(caller, services.clock.now())
        request = RequestContext(services.model, services.entities, budget, evaluation)
        self._access = access
        self._seen = Reader(request)
        self._bare = Reader(request, unrestricted=True)

    def issues(self, named: Named) -> list[Issue]:
        """Return an issue of each object that is not there, or not seen, or must not be changed."""
        run(self._bare.resolve(named))
        there = [entity for reference in named if (entity := self._bare.find(reference)) is not None]
        shown = dict(zip((each.reference for each in there), run(self._seen.admit(there)), strict=True))
        demands = {each.reference: [*self._of(each, named[each.reference])] for each in there}
        asked = [
            ConditionalPermission(demand, where)
            for each in demands.values()
            for demand in each
            if (where := required_condition(self._access, demand)) is not None
        ]
        unmet_conditions = {*unmet_keys(self._bare, asked)}
        issues = (
            self._issue(subject, demands[reference], shown[reference], unmet_conditions)
            if reference in demands
            else not_found(subject)
            for reference, subject in named.items()
        )
        return [issue for issue in issues if issue is not None]

    def _of(self, entity: Entity, subject: Subject) -> Iterator[RequiredPermission]:
        """Yield what is needed: to change the object, or by the roles on the way its whole."""
        at = entity
        while self._access.follows_whole(at.reference.class_name) and (way := self._up(at)) is not None:
            role, at = way
            whole = Subject(self._access.model.classes[at.reference.class_name], None, path=subject.path)
            yield RequiredPermission(Action.EDIT, whole, at.reference, subject.path, role)
        yield _demand(at.reference, subject)

    def _up(self, part: Entity) -> tuple[str, Entity] | None:
        """Return the whole of a part, and the role by which that leads to it."""
        owner = whole_of(self._access.model.classes[part.reference.class_name], part.state)
        whole = None if owner is None else self._bare.find(owner.reference)
        return None if owner is None or whole is None else (owner.composition, whole)

    def _issue(
        self,
        subject: Subject,
        demands: Sequence[RequiredPermission],
        shown: Entity | None,
        unmet_keys: Collection[PermissionKey],
    ) -> Issue | None:
        is_unseen = shown is None and self._access.may_read_class(subject.class_.name)
        if is_unseen or self._hides(demands):
            return not_found(subject)
        for demand in demands:
            issue = check_permission(self._access, demand)
            if issue is None and demand.key in unmet_keys:
                issue = unmet_condition(self._access, demand)
            if issue is not None:
                return issue
        return None

    def _hides(self, demands: Iterable[RequiredPermission]) -> bool:
        """Return whether a role on the way to a part must not be read."""
        narrowed = (
            self._access.member_permission(demand.reference.class_name, demand.member)
            for demand in demands
            if demand.member is not None
        )
        return any(each is not None and Action.READ not in each.actions for each in narrowed)


def not_found(subject: Subject) -> Issue:
    """Return the issue of an object that is not there, also of one that the caller must take for that."""
    return not_found_issue(subject, *subject.path, "_id")
