"""The entries of the file ledger for resumable uploads, with the status UPLOADING.

When the upload is complete, its entry becomes that of a pending file. Indexes contain the state of an entry,
so the list of parts, which grows, is an attribute.
"""

from collections.abc import Mapping

import orjson

from stratabase.core.domain.files.blob import UploadedPart
from stratabase.core.domain.files.pending_file import SWEEP_DELAY, FileTarget, PendingFile
from stratabase.core.domain.files.resumable_upload import ResumableUpload, Tail
from stratabase.core.domain.files.stored_file import stored_file
from stratabase.core.store.engine.port import (
    Condition,
    ConditionOperator,
    Expectation,
    IndexKey,
    Item,
    Patch,
    Value,
)
from stratabase.core.store.layout import file_entries, keys

_OFFSET, _LAST_WRITE, _NEXT_PART, _PARTS = "offset", "lastWrite", "nextPart", "parts"
_TAIL_KEY, _TAIL_SIZE = "tailKey", "tailSize"
_PROGRESS = (_OFFSET, _LAST_WRITE, _NEXT_PART, _PARTS, _TAIL_KEY, _TAIL_SIZE)
"""The attributes that change while the upload continues."""
_SENT_TYPE, _METADATA = "sentType", "metadata"


def upload_entry(upload: ResumableUpload) -> Item:
    """Return the entry of an upload that begins."""
    return Item(
        keys.file_entry(upload.id),
        {
            file_entries.STATUS: file_entries.UPLOADING,
            file_entries.DUE: _due(upload),
            _METADATA: upload.metadata,
            **_progress(upload),
        },
        _state(upload),
        {
            keys.LISTING: file_entries.due_place(upload.id, _due(upload)),
            file_entries.MEMBER_INDEX: IndexKey(keys.file_entries_of(upload.member_id), upload.id),
        },
    )


def read_upload(item: Item) -> ResumableUpload | None:
    """Return the upload of an entry, None if the entry is not that of an incomplete upload."""
    attributes = item.attributes
    if attributes.get(file_entries.STATUS) != file_entries.UPLOADING:
        return None
    state = orjson.loads(item.state or "{}")
    file = stored_file(state)
    assert file is not None
    tail = attributes.get(_TAIL_KEY)
    return ResumableUpload(
        keys.file_entry_id(item.key),
        FileTarget(state["class"], state["attribute"]),
        state["member"],
        file,
        state[_SENT_TYPE],
        metadata_of(item),
        state.get(file_entries.MULTIPART_ID),
        last_write=_number(attributes[_LAST_WRITE]),
        offset=_number(attributes[_OFFSET]),
        next_part=_number(attributes[_NEXT_PART]),
        parts=_read_parts(attributes[_PARTS]),
        tail=Tail(tail, _number(attributes[_TAIL_SIZE])) if isinstance(tail, str) else None,
    )


def metadata_of(item: Item) -> str:
    """Return the metadata of an upload by its entry, also when it is complete. Other entries have none."""
    metadata = item.attributes.get(_METADATA)
    return metadata if isinstance(metadata, str) else ""


def claim_part(upload: ResumableUpload) -> Patch:
    """Return the action by which a request reserves the next part number of an upload."""
    free = Condition(_NEXT_PART, ConditionOperator.EQUALS, upload.next_part)
    return Patch(
        keys.file_entry(upload.id), _expect_offset(upload, free), set={_NEXT_PART: upload.next_part + 1}
    )


def advance(before: ResumableUpload, after: ResumableUpload) -> Patch:
    """Return the action that adds received bytes to an upload, if it has received no others meanwhile."""
    # Another request may have reserved a later part number. It keeps it.
    progress = {name: value for name, value in _progress(after).items() if name != _NEXT_PART}
    return Patch(
        keys.file_entry(after.id),
        _expect_offset(before),
        set={file_entries.DUE: _due(after), **progress},
        state=_state(after),
        places={keys.LISTING: file_entries.due_place(after.id, _due(after))},
    )


def finish(upload: ResumableUpload, pending: PendingFile) -> Patch:
    """Return the action by which a complete upload becomes a pending file."""
    entry = file_entries.pending_entry(pending)
    return Patch(
        entry.key,
        _expect_offset(upload),
        set=entry.attributes,
        remove=frozenset(_PROGRESS),
        state=entry.state,
        places=entry.places,
    )


def _due(upload: ResumableUpload) -> int:
    return upload.expires + SWEEP_DELAY


def _state(upload: ResumableUpload) -> str:
    pending = PendingFile(upload.id, upload.target, upload.member_id, upload.file)
    state = {
        **file_entries.pending_state(pending),
        _SENT_TYPE: upload.sent_type,
        file_entries.MULTIPART_ID: upload.multipart_id,
    }
    return orjson.dumps(state).decode()


def _progress(upload: ResumableUpload) -> Mapping[str, Value]:
    tail = upload.tail
    return {
        _OFFSET: upload.offset,
        _LAST_WRITE: upload.last_write,
        _NEXT_PART: upload.next_part,
        _PARTS: [f"{number} {token}" for number, token in upload.parts],
        _TAIL_KEY: tail.key if tail else None,
        _TAIL_SIZE: tail.size if tail else 0,
    }


def _read_parts(value: Value) -> tuple[UploadedPart, ...]:
    texts = value if isinstance(value, list) else []
    pairs = (text.partition(" ") for text in texts)
    return tuple(UploadedPart(int(number), token) for number, _space, token in pairs)


def _number(value: Value) -> int:
    assert isinstance(value, int)
    return value


def _expect_offset(upload: ResumableUpload, *more: Condition) -> Expectation:
    """Return the expectation that an upload has received no other bytes meanwhile, and is not removed."""
    conditions = (
        Condition(file_entries.STATUS, ConditionOperator.EQUALS, file_entries.UPLOADING),
        Condition(_OFFSET, ConditionOperator.EQUALS, upload.offset),
        *more,
    )
    return Expectation(exists=True, conditions=conditions)
