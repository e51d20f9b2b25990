"""The permissions that a restoration requires. A refusal must not reveal hidden objects or values."""

from collections.abc import Collection, Iterable, Iterator

from stratabase.core.domain.access.grants import Access, Permission
from stratabase.core.domain.access.requirements import RequiredPermission
from stratabase.core.domain.issues.issue import Path, Subject
from stratabase.core.domain.objects.entity import Reference, opposite_name, part_ids, whole_of
from stratabase.core.domain.objects.former_state import kept_in_versions, native_attributes
from stratabase.core.domain.write.commands import Restore
from stratabase.core.domain.write.request import ObjectWrite, WriteRequest
from stratabase.core.domain.write.restore import AT_VERSION_PATH, is_hidden_part
from stratabase.core.model.model import Action, Class, Role

_PART_ACTIONS = (Action.CREATE, Action.EDIT, Action.DELETE)
"""The actions that a restoration may perform on parts."""
_VALUE_ACTIONS = (Action.CREATE, Action.EDIT)
"""The actions that a restoration may perform on values."""
ChangedObjects = Collection[Reference]
"""The objects that change, or of which parts change."""


def permissions_for_any_restoration(request: WriteRequest, access: Access) -> Iterator[RequiredPermission]:
    """Yield the permission that a restoration requires whatever the version and the present state are.

    For a profile that may create objects, there is none: to restore a deleted object requires CREATE, not
    EDIT.
    """
    root = request.context.ids.root
    if Action.CREATE not in access.class_permission(root.class_name).actions:
        yield RequiredPermission(
            Action.EDIT,
            Subject(request.class_(root.class_name), root.id, path=AT_VERSION_PATH),
            root,
            AT_VERSION_PATH,
        )


def permissions_to_restore(
    request: WriteRequest, access: Access, command: Restore
) -> Iterator[RequiredPermission]:
    """Yield the permissions for all objects that come back, and for everything in them that changes."""
    root, changed = request.context.ids.root, _changed_objects(request, access)
    for write in request.objects.values():
        if write.is_deleted or (write.reference != root and write.reference not in changed):
            continue
        if is_hidden_part(request, write, command):
            continue
        action = Action.EDIT if write.tombstone is None else Action.CREATE
        if not access.follows_whole(write.reference.class_name):
            yield RequiredPermission(action, write.subject, write.reference, write.subject.path)
        yield from _field_permissions(request, access, write, action, changed)


def _changed_objects(request: WriteRequest, access: Access) -> ChangedObjects:
    """Return the objects that change, and all their wholes."""
    found: set[Reference] = set()
    for write in request.objects.values():
        at: ObjectWrite | None = (
            write if not write.is_deleted and _is_or_may_be_changed(access, write) else None
        )
        while at is not None and at.reference not in found:
            found.add(at.reference)
            at = _whole(request, at)
    return found


def _whole(request: WriteRequest, part: ObjectWrite) -> ObjectWrite | None:
    """Return the whole of a part, after the restoration."""
    owner = whole_of(part.subject.class_, part.state)
    return None if owner is None else request.objects.get(owner.reference)


def _is_or_may_be_changed(access: Access, write: ObjectWrite) -> bool:
    """Return whether an object changes, or counts as changed.

    An object with hidden values always counts as changed. Otherwise a refusal would reveal whether they
    differ.
    """
    is_open = all(
        access.always_shows(write.reference.class_name, name)
        for name in kept_in_versions(write.subject.class_)
    )
    return write.is_written or not is_open


def _field_permissions(
    request: WriteRequest, access: Access, write: ObjectWrite, action: Action, changed: ChangedObjects
) -> Iterator[RequiredPermission]:
    """Yield the permissions for attributes and roles that change.

    A hidden value counts as changed, whatever it was. Otherwise a refusal would reveal whether it differs.
    """
    class_, place = write.subject.class_, write.subject.path
    for role in class_.roles.values():
        if role.composition:
            yield from _composition_permissions(request, access, write, role, changed)
    for name in (
        *native_attributes(class_),
        *(name for name, role in class_.roles.items() if role.holds_key),
    ):
        if write.state.get(name) != write.value_before(name) or not access.always_shows(class_.name, name):
            yield RequiredPermission(action, write.subject, write.reference, place, name)
            if name in class_.roles:
                yield RequiredPermission(Action.READ, write.subject, write.reference, place, name)
        if name in class_.roles and not access.always_shows(class_.name, name):
            yield from _for_any_target(request, access, class_, class_.roles[name], place)


def _composition_permissions(
    request: WriteRequest, access: Access, write: ObjectWrite, role: Role, changed: ChangedObjects
) -> Iterator[RequiredPermission]:
    """Yield the permissions for parts that are restored, changed or deleted."""
    is_open, place = access.always_shows(write.reference.class_name, role.name), write.role_path(role.name)
    for action in _actions_on_parts(write, role, changed) if is_open else _PART_ACTIONS:
        yield RequiredPermission(action, write.subject, write.reference, place, role.name)
    if not is_open:
        yield from _for_any_parts(request, access, role.target, place)


def _actions_on_parts(write: ObjectWrite, role: Role, changed: ChangedObjects) -> Iterator[Action]:
    """Yield the actions that the restoration performs on an object's parts in a role."""
    was, is_ = part_ids(write.value_before(role.name)), part_ids(write.state.get(role.name))
    if not {*is_} <= {*was}:
        yield Action.CREATE
    if any(Reference(role.target, id_) in changed for id_ in {*is_}.intersection(was)):
        yield Action.EDIT
    if not {*was} <= {*is_}:
        yield Action.DELETE


def _for_any_parts(
    request: WriteRequest, access: Access, class_name: str, place: Path
) -> Iterator[RequiredPermission]:
    """Yield the missing permissions for parts of a class, at any depth.

    They are required whether such parts exist or not, so that a refusal does not reveal it.
    """
    # Each class once, because compositions of classes can be circular.
    waiting, seen = [class_name], {class_name}
    while waiting:
        class_ = request.class_(waiting.pop())
        yield from _class_permissions(request, access, class_, place)
        below = {role.target for role in class_.roles.values() if role.composition} - seen
        seen |= below
        waiting += sorted(below)


def _class_permissions(
    request: WriteRequest, access: Access, class_: Class, place: Path
) -> Iterator[RequiredPermission]:
    # An empty ID stands for any object of the class.
    any_object, subject = Reference(class_.name, ""), Subject(class_, path=place)
    is_unseen = not access.may_read_class(class_.name)
    for action in () if access.follows_whole(class_.name) else _PART_ACTIONS:
        if _lacks(access.class_permission(class_.name), action, is_unseen=is_unseen):
            yield RequiredPermission(action, subject, any_object, place, of_every_object=is_unseen)
    for name in kept_in_versions(class_):
        permission, role = access.field_permission(class_.name, name), class_.roles.get(name)
        for action in _VALUE_ACTIONS if role is None else _PART_ACTIONS:
            if _lacks(permission, action, is_unseen=is_unseen):
                yield RequiredPermission(action, subject, any_object, place, name, of_every_object=is_unseen)
        if role is not None and role.holds_key:
            yield from _for_any_target(request, access, class_, role, place)


def _for_any_target(
    request: WriteRequest, access: Access, class_: Class, role: Role, place: Path
) -> Iterator[RequiredPermission]:
    """Yield the missing permission for the opposite side of a key whose value may be hidden from the caller.

    It is required whatever the key leads to, so that a refusal does not reveal it.
    """
    opposite, permission = opposite_name(role), access.field_permission(class_.name, role.name)
    if opposite is None:
        return
    is_open = permission is None or Action.READ in permission.actions
    is_unseen = not (is_open and access.may_read_class(class_.name))
    if _lacks(access.field_permission(*opposite), Action.EDIT, is_unseen=is_unseen):
        subject, any_object = Subject(request.class_(role.target), path=place), Reference(role.target, "")
        yield RequiredPermission(
            Action.EDIT, subject, any_object, place, opposite.role_name, of_every_object=is_unseen
        )


def _lacks(permission: Permission | None, action: Action, *, is_unseen: bool) -> bool:
    """Return whether a permission lacks an action.

    For objects that the profile does not see (`is_unseen`), a permission with a condition is not enough.
    """
    if permission is None:
        return False
    return action not in permission.actions or (is_unseen and permission.where is not None)


def without_single_objects(permissions: Iterable[RequiredPermission]) -> Iterator[RequiredPermission]:
    """Yield required permissions, without those for single objects if the same is required for the class.

    An issue about a single object would reveal that the object exists.
    """
    permissions = list(permissions)  # iterated twice
    of_all = {_kind(required) for required in permissions if not required.reference.id}
    return (each for each in permissions if not each.reference.id or _kind(each) not in of_all)


def _kind(required: RequiredPermission) -> tuple[Action, str, str | None]:
    return required.action, required.reference.class_name, required.field
