"""Find the upload that an address names, if it is the caller's."""

from typing import NamedTuple

from stratabase.core.domain.caller import Caller
from stratabase.core.domain.files.pending_file import FileTarget, PendingFile, is_file_id
from stratabase.core.domain.files.refusals import FileNotFound, PendingFileGone
from stratabase.core.domain.files.resumable_upload import ResumableUpload
from stratabase.core.operations.context import Services
from stratabase.core.operations.file_ports import UploadLedger
from stratabase.core.operations.files.attributes import find_attribute
from stratabase.values.formats.invalid_value import describe_value
from stratabase.values.messages import _


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
