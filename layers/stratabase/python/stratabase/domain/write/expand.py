"""The objects that a command speaks of: what each is given, and what is asked of its roles."""

from collections.abc import Callable, Mapping

from stratabase.domain.issue import IssueType
from stratabase.domain.objects.entity import Reference
from stratabase.domain.objects.parts import parts_of
from stratabase.domain.objects.role_storage import RoleStorage, storage_of
from stratabase.domain.subject import Subject
from stratabase.domain.write.commands import Create, PlacedCommand, Update
from stratabase.domain.write.draft import check_draft, read_draft, report_missing_values
from stratabase.domain.write.object_write import ObjectWrite
from stratabase.domain.write.parts import request_parts
from stratabase.domain.write.request import WriteRequest
from stratabase.domain.write.requester import describe_object
from stratabase.domain.write.tasks import CreateObject, DeleteObject, UpdateObject
from stratabase.domain.write.to_many import request_links, request_opposite_keys
from stratabase.domain.write.to_one import request_opposite_key, request_own_key
from stratabase.model.role import Role

ROLE_REQUESTS: Mapping[RoleStorage, Callable[[WriteRequest, ObjectWrite, Role, PlacedCommand], None]] = {
    RoleStorage.OWN_KEY: request_own_key,
    RoleStorage.OPPOSITE_KEY: request_opposite_key,
    RoleStorage.OPPOSITE_KEYS: request_opposite_keys,
    RoleStorage.LINKS: request_links,
    RoleStorage.PARTS: request_parts,
}
"""The role back to a whole is missing, since nothing can be asked of it."""


def request_roles(request: WriteRequest, write: ObjectWrite, placed: PlacedCommand) -> None:
    """Note what a command asks of an object's roles."""
    for name, command in placed.command.roles.items():
        role = write.subject.class_.roles[name]
        write.role_paths[name] = (*placed.path, name)
        if command.empties_role:
            write.emptied_roles.add(name)
        ROLE_REQUESTS[storage_of(request.context.model, role)](request, write, role, placed)


def expand_create(request: WriteRequest, task: CreateObject) -> None:
    """Note an object with what it is given, and what is asked of its roles."""
    command, path = task.placed
    assert isinstance(command, Create)
    class_ = request.class_(command.class_name)
    subject = Subject(class_, None, command.client_id, path)
    draft = read_draft(subject, None, command.values, request.context.caller.formats)
    request.issues += check_draft(draft)
    reference = Reference(class_.name, request.context.ids.new_id(path))
    state = {**draft.state, "_id": reference.id, **task.key_to_whole}
    request_roles(
        request, request.add(ObjectWrite(subject, reference, None, state, is_new=True)), task.placed
    )


def expand_update(request: WriteRequest, task: UpdateObject) -> None:
    """Note an object with what it is given, and what is asked of its roles."""
    command, path = task.placed
    assert isinstance(command, Update)
    reference = request.resolve(*command.reference)
    subject = Subject(request.class_(reference.class_name), reference.id, command.client_id, path)
    before = request.before(reference)
    if before is None and request.knows(reference):
        message = f"there is no {describe_object(reference)}"
        request.issues.append(subject.issue(IssueType.ENTITY_NOT_FOUND, message, *subject.id_path))
        return
    draft = read_draft(subject, before, command.values, request.context.caller.formats)
    request.issues += check_draft(draft)
    if request.context.reports_missing:
        request.reports += (issue for issue in report_missing_values(draft) if request.may_report(issue))
    request_roles(request, request.add(ObjectWrite(subject, reference, before, {**draft.state})), task.placed)


def expand_delete(request: WriteRequest, task: DeleteObject) -> None:
    """Note the end of an object, if it is there; its parts come next."""
    reference, place = task
    is_root = reference == request.context.ids.root
    before = request.before(reference) if is_root else request.context.snapshot.entity(reference)
    if before is None:
        return
    class_ = request.class_(reference.class_name)
    subject = Subject(class_, reference.id, path=place)
    request.add(ObjectWrite(subject, reference, before, {}, is_deleted=True))
    request.tasks += (DeleteObject(part, place) for part in parts_of(class_, before))
