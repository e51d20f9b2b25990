"""Pending files that the objects of a request take, and the references by which clients name them."""

from collections.abc import Iterator, Mapping
from typing import Any

from stratabase.core.domain.files.pending_file import FileTarget, PendingFile, is_file_id
from stratabase.core.domain.files.stored_file import stored_file
from stratabase.core.domain.issues.issue import Issue, IssueType
from stratabase.core.domain.write.draft import Draft
from stratabase.core.domain.write.request import WriteRequest
from stratabase.core.model.types.file import PENDING_ID
from stratabase.core.model.types.storage import Stored
from stratabase.values.formats.invalid_value import describe_value
from stratabase.values.messages import _

_COMPARED: Mapping[str, IssueType] = {
    "fileId": IssueType.MALFORMED_REQUEST,
    "name": IssueType.MALFORMED_REQUEST,
    "mimeType": IssueType.ATTRIBUTE_FILE_TYPE,
    "size": IssueType.ATTRIBUTE_FILE_SIZE,
}
"""By field of a reference that must be as the upload returned it: the type of the issue if it is not."""


def take_files(request: WriteRequest, draft: Draft) -> dict[str, Stored]:
    """Return the values of File attributes that a draft sets by references to pending files.

    Add the pending files to the request, or issues if the object can't take them.
    """
    taken: dict[str, Stored] = {}
    if not draft.subject.class_.has_files:
        return taken
    for name, reference in draft.changes.items():
        if isinstance(reference, Mapping):
            pending = _find(request, draft, name, reference)
            issues = [] if pending is None else [*_contradictions(request, draft, name, reference, pending)]
            request.issues += issues
            if pending is not None and not issues:
                request.files[pending.id] = pending
            taken[name] = None if pending is None else _bound(request, draft, name, pending)
    return taken


def _bound(request: WriteRequest, draft: Draft, name: str, pending: PendingFile) -> Stored:
    """Return the value of an attribute that takes a pending file."""
    replaced = None if draft.before is None else stored_file(draft.before.state.get(name))
    return pending.file.bound(request.context.now, replaced).stored()


def _find(request: WriteRequest, draft: Draft, name: str, reference: Mapping[str, Any]) -> PendingFile | None:
    """Return the pending file that a reference names. If there is none for the caller, add an issue."""
    context, id_ = request.context, reference[PENDING_ID]
    pending = context.snapshot.upload(id_) if is_file_id(id_) else None
    if id_ in context.snapshot.missing.uploads:
        return None  # The plan is made again when the file has been read.
    is_own = pending is not None and (pending.member_id == context.caller.id or context.caller.administrator)
    target = FileTarget(draft.subject.class_.name, name)
    # The issue is the same in all cases, so that nobody can find out about the files of others.
    if pending is None or not is_own or pending.target != target or not pending.is_pending(context.now):
        message = _(
            "The pending file {id} does not exist. It may have expired, or an object may have it now. "
            "Upload the file, then use the reference that the upload returns.",
            id=describe_value(id_),
        )
        request.issues.append(draft.issue(IssueType.ENTITY_NOT_FOUND, name, message))
        return None
    return pending


def _contradictions(
    request: WriteRequest, draft: Draft, name: str, reference: Mapping[str, Any], pending: PendingFile
) -> Iterator[Issue]:
    """Yield an issue for each field of a reference that is not as uploaded, or if it is used twice."""
    uploaded = pending.file.stored()
    for field, issue_type in _COMPARED.items():
        if reference[field] != uploaded[field]:
            message = _(
                "{field} must be {expected}, as the upload returned it, not {value}.",
                field=field,
                expected=describe_value(uploaded[field]),
                value=describe_value(reference[field]),
            )
            yield draft.issue(issue_type, name, message)
    if pending.id in request.files:
        message = _(
            "The request uses the pending file {id} more than once. Upload the file once for each use.",
            id=describe_value(pending.id),
        )
        yield draft.issue(IssueType.MALFORMED_REQUEST, name, message)
