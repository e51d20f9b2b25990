"""The File attributes and uploads that addresses name: who may set the attribute, and whose upload it is."""

from collections.abc import Iterable
from itertools import chain
from typing import NamedTuple, TypeVar

from stratabase.core.domain.access.grants import Access, access_of
from stratabase.core.domain.access.visibility import require_any_right
from stratabase.core.domain.caller import Caller
from stratabase.core.domain.files.pending_file import FileTarget, PendingFile, is_file_id
from stratabase.core.domain.files.resumable_upload import ResumableUpload
from stratabase.core.domain.issues.refusals import FileNotFound, Forbidden, PendingFileGone
from stratabase.core.domain.objects.entity import whole_roles
from stratabase.core.model.attribute import Attribute, Origin
from stratabase.core.model.model import Action, Class, Model
from stratabase.core.operations.context import Services
from stratabase.core.operations.file_ports import UploadLedger
from stratabase.values.formats.invalid_value import describe_value
from stratabase.values.messages import _

_Named = TypeVar("_Named", Class, Attribute)
_WRITES = frozenset({Action.CREATE, Action.EDIT})


def find_attribute(
    model: Model, caller: Caller, class_name: str, attribute_name: str
) -> tuple[Class, Attribute]:
    """Return the class and the File attribute that an address names, in any case.

    Names from before a rename go on working, so that saved links do, unless they are the names of others now.
    What the caller may neither read nor set counts as missing.

    Raises FileNotFound, and Forbidden for a caller who may do nothing in the application.
    """
    require_any_right(model, caller.profile)
    access = access_of(model, caller.profile)
    class_ = _find(model.classes.values(), class_name)
    if class_ is None or not _is_class_visible(access, class_):
        raise FileNotFound(_("The class {name} does not exist.", name=describe_value(class_name)))
    native = (each for each in class_.attributes.values() if each.origin is Origin.NATIVE)
    attribute = _find([each for each in native if each.type.holds_file], attribute_name)
    if attribute is None or not _is_visible(access, class_, attribute):
        message = _(
            "The class {class_name} has no file attribute {name}.",
            class_name=class_.name,
            name=describe_value(attribute_name),
        )
        raise FileNotFound(message)
    return class_, attribute


def _find(among: Iterable[_Named], name: str) -> _Named | None:
    """Return the class or attribute with a name, or else the one that is stored under that name."""
    # The model refuses names that differ only in case, and stored names that do.
    folded, known = name.casefold(), list(among)
    present = (each for each in known if each.name.casefold() == folded)
    former = (each for each in known if each.renamed_from and each.renamed_from.casefold() == folded)
    return next(chain(present, former), None)


def check_may_set(model: Model, caller: Caller, class_: Class, attribute: Attribute) -> None:
    """Raise Forbidden if the caller may set an attribute in no object, neither a new nor an existing one."""
    access = access_of(model, caller.profile)
    if access is not None and not _may_set(access, class_, attribute):
        message = _(
            "Your profile {profile} can't set {attribute}.",
            profile=caller.profile,
            attribute=f"{class_.name}.{attribute.name}",
        )
        raise Forbidden(message)


def _is_class_visible(access: Access | None, class_: Class) -> bool:
    return access is None or access.may_read_class(class_.name) or _may_write(access, class_, frozenset())


def _is_visible(access: Access | None, class_: Class, attribute: Attribute) -> bool:
    return (
        access is None
        or access.read_obstacle(class_.name, attribute.name) is None
        or _may_set(access, class_, attribute)
    )


def _may_set(access: Access, class_: Class, attribute: Attribute) -> bool:
    permission = access.field_permission(class_.name, attribute.name)
    is_open = permission is None or not _WRITES.isdisjoint(permission.actions)
    return is_open and _may_write(access, class_, frozenset())


def _may_write(access: Access, class_: Class, seen: frozenset[str]) -> bool:
    """Return whether the profile may create or edit objects of a class. A part may follow its whole."""
    if not access.follows_whole(class_.name):
        return not _WRITES.isdisjoint(access.class_permission(class_.name).actions)
    wholes = {role.target for role in whole_roles(class_)} - seen
    return any(_may_write(access, access.model.classes[name], seen | wholes) for name in wholes)


class UploadAddress(NamedTuple):
    """The address of an upload. Class and attribute may be in any case."""

    class_name: str
    attribute: str
    pending_id: str


def find_own(
    services: Services, ledger: UploadLedger, caller: Caller, address: UploadAddress
) -> ResumableUpload | PendingFile:
    """Return the upload at an address, complete or not. An administrator may use that of any member.

    Raises Forbidden for a caller who may do nothing in the application. Raises FileNotFound for an unknown
    class or attribute, and for an ID that is malformed. Raises PendingFileGone for every
    other ID that does not name an upload of the caller for this attribute.
    """
    class_, attribute = find_attribute(services.model, caller, address.class_name, address.attribute)
    id_ = address.pending_id
    if not is_file_id(id_):
        raise FileNotFound(_("{id} is not the ID of a pending file.", id=describe_value(id_)))
    found = ledger.find(id_)
    if (
        found is None
        or found.target != FileTarget(class_.name, attribute.name)
        or not (found.member_id == caller.id or caller.administrator)
        or services.clock.now() >= found.expires
    ):
        raise upload_gone(id_)
    return found


def upload_gone(pending_id: str) -> PendingFileGone:
    """Return the refusal for an ID that names no upload of the caller."""
    message = _(
        "The pending file {id} does not exist. It may have expired, or an object may have it now.",
        id=describe_value(pending_id),
    )
    return PendingFileGone(message)
