"""The limits of a command that hold before it is planned, because planning a larger one takes seconds."""

from stratabase.core.domain.issues.issue import Issue, IssueType, Subject
from stratabase.core.domain.write.commands import (
    AnyCommand,
    Create,
    Delete,
    PlacedCommand,
    Restore,
    placed_commands,
)
from stratabase.core.domain.write.limits import (
    MAX_OBJECT_BYTES,
    MAX_OBJECTS_PER_COMMAND,
    MAX_TEXT_PER_COMMAND,
)
from stratabase.core.domain.write.request_ids import RequestIds
from stratabase.core.model.model import Model
from stratabase.values.messages import Message, _


def find_excess(command: AnyCommand, ids: RequestIds, model: Model) -> Issue | None:
    """Return the issue of a command that refers to too many objects, or whose texts are too long.

    Nothing else is tested of such a command.
    """
    if ids.count > MAX_OBJECTS_PER_COMMAND:
        return _issue_of_command(command, ids, model, _too_many_objects(ids.count))
    total = 0
    for placed in placed_commands(command):
        size = _text_size(placed)
        if size > MAX_OBJECT_BYTES and (issue := _issue_of_object(placed, ids, model, size)):
            return issue
        total += size
    if total > MAX_TEXT_PER_COMMAND:
        return _issue_of_command(command, ids, model, _too_long_texts(total))
    return None


def _text_size(placed: PlacedCommand) -> int:
    """Return the characters of an object's new values. In bytes, the object has at least as many."""
    return sum(len(value) for value in placed.command.values.values() if value.__class__ is str)


def _issue_of_object(placed: PlacedCommand, ids: RequestIds, model: Model, size: int) -> Issue | None:
    """Return the issue of an object with so many characters; None for one that is not stored."""
    command, path = placed
    if isinstance(command, Create):
        class_, id_ = model.classes[command.class_name], None
    else:
        reference = ids.resolve(*command.reference)
        class_, id_ = model.classes[reference.class_name], reference.id
    if not class_.is_stored:
        return None
    message = _(
        "The {class_name} has at least {size} bytes. The maximum is {maximum} bytes.",
        class_name=class_.name,
        size=size,
        maximum=MAX_OBJECT_BYTES,
    )
    return Subject(class_, id_, command.client_id, path).issue(IssueType.MALFORMED_REQUEST, message, *path)


def _issue_of_command(command: AnyCommand, ids: RequestIds, model: Model, message: Message) -> Issue:
    id_ = None if isinstance(command, Create) else ids.root.id
    client_id = None if isinstance(command, Delete | Restore) else command.client_id
    subject = Subject(model.classes[ids.root.class_name], id_, client_id)
    return subject.issue(IssueType.MALFORMED_REQUEST, message, *subject.path)


def _too_many_objects(number: int) -> Message:
    return _(
        "The request refers to {number} objects. The maximum is {maximum}.",
        number=number,
        maximum=MAX_OBJECTS_PER_COMMAND,
    )


def _too_long_texts(size: int) -> Message:
    return _(
        "The texts of the objects have {size} characters in total. The maximum is {maximum}. "
        "Write fewer objects in one request.",
        size=size,
        maximum=MAX_TEXT_PER_COMMAND,
    )
