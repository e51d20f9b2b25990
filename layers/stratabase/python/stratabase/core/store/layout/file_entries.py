"""The items of the file ledger: one for each file whose bytes no object has for certain.

| status | meaning | leaves the ledger |
|---|---|---|
| UPLOADING | an upload that is not complete (`upload_entries`) | when it becomes PENDING, or by the sweep |
| PENDING | an upload, which an object can take until it expires | when an object takes it, or by the sweep |
| RELEASED | the file of an object that no longer has it, or a withdrawn upload | by the sweep |
| DYING | the sweep removes the bytes after a delay | when they are removed |

The delay begins when no object can take the file any more. A write that read the entry before may still copy
the bytes. Its commit fails, and the sweep finds the copy.

All entries are in one partition of the listing index, ordered by the instant at which the sweep removes them.
The entries of a member's uploads are in a partition of another index, so that they can be counted.
"""

from collections.abc import Mapping
from typing import Any

import orjson

from stratabase.core.domain.files.pending_file import (
    PENDING_DURATION,
    SWEEP_DELAY,
    FileTarget,
    PendingFile,
    ReleasedFile,
)
from stratabase.core.domain.files.stored_file import file_ids, stored_file
from stratabase.core.domain.objects.change import Change
from stratabase.core.domain.objects.instant import Instant, parse_instant
from stratabase.core.model.model import Model
from stratabase.core.store.engine.port import (
    Condition,
    ConditionOperator,
    DeleteItem,
    Expectation,
    IndexKey,
    Item,
    Patch,
    Put,
)
from stratabase.core.store.layout import keys

STATUS = "status"
"""The attribute of an entry with its status."""
UPLOADING, PENDING, RELEASED, DYING = "UPLOADING", "PENDING", "RELEASED", "DYING"
EXPIRES = "expires"
"""The attribute of an upload with the instant from which no object can take it."""
DUE = "due"
"""The attribute of an entry with the instant from which the sweep removes its bytes."""
MEMBER_INDEX = "index2"
"""The index with the uploads of each member."""
MULTIPART_ID = "multipartId"
"""In the state of an incomplete upload: the ID of its multipart upload."""
_TARGET_CLASS, _TARGET_ATTRIBUTE = "class", "attribute"
_FILE_ID, _REMOVAL = "fileId", "removal"


MIN_COUNTED_SIZE = 1024
"""Bytes that each upload counts for at least, so that the number of empty ones is limited too."""


def pending_entry(pending: PendingFile) -> Item:
    """Return the entry of an upload."""
    due = pending.expires + SWEEP_DELAY
    return Item(
        keys.file_entry(pending.id),
        {STATUS: PENDING, EXPIRES: pending.expires, DUE: due},
        orjson.dumps(pending_state(pending)).decode(),
        {
            keys.LISTING: due_place(pending.id, due),
            MEMBER_INDEX: IndexKey(keys.file_entries_of(pending.member_id), pending.id),
        },
    )


def pending_state(pending: PendingFile) -> Mapping[str, Any]:
    """Return the content of an upload's entry."""
    return {
        _TARGET_CLASS: pending.target.class_name,
        _TARGET_ATTRIBUTE: pending.target.attribute,
        "member": pending.member_id,
        **pending.file.stored(),
    }


def read_pending(item: Item | None) -> PendingFile | None:
    """Return the upload of an entry, None if an object can't take it, whatever the time."""
    if item is None or item.attributes.get(STATUS) != PENDING:
        return None
    state = orjson.loads(item.state or "{}")
    file = stored_file(state)
    assert file is not None
    target = FileTarget(state[_TARGET_CLASS], state[_TARGET_ATTRIBUTE])
    return PendingFile(keys.file_entry_id(item.key), target, state["member"], file)


def counted_size(item: Item, now: Instant) -> int:
    """Return the bytes that an upload counts for, as an index shows its entry. 0 if it has expired."""
    state = orjson.loads(item.state or "{}")
    size, uploaded_on = state.get("size"), state.get("uploadedOn")
    has_expired = uploaded_on is not None and parse_instant(uploaded_on) + PENDING_DURATION <= now
    return 0 if has_expired or not isinstance(size, int) else max(size, MIN_COUNTED_SIZE)


def take(pending_id: str, now: Instant) -> DeleteItem:
    """Return the action by which an object takes an upload: it must still be pending, and in time."""
    conditions = (
        Condition(STATUS, ConditionOperator.EQUALS, PENDING),
        Condition(EXPIRES, ConditionOperator.MORE_THAN, now),
    )
    return DeleteItem(keys.file_entry(pending_id), Expectation(exists=True, conditions=conditions))


def release(file_id: str) -> Put:
    """Return the action by which an object releases its file. It is due at once, whatever the clock says."""
    state = orjson.dumps({_FILE_ID: file_id}).decode()
    places = {keys.LISTING: due_place(file_id, 0)}
    return Put(Item(keys.file_entry(file_id), {STATUS: RELEASED, DUE: 0}, state, places))


def withdraw(pending_id: str) -> Patch:
    """Return the action by which an upload becomes one that no object can take. It is due at once."""
    is_upload = tuple(Condition(STATUS, ConditionOperator.EQUALS, status) for status in (PENDING, UPLOADING))
    places = {keys.LISTING: due_place(pending_id, 0), MEMBER_INDEX: None}
    return Patch(
        keys.file_entry(pending_id),
        Expectation(exists=True, either=is_upload),
        set={STATUS: RELEASED, DUE: 0},
        places=places,
    )


def condemn(released: ReleasedFile, now: Instant) -> Patch:
    """Return the action that marks an entry, so that no object can take its file any more.

    The entry must be due at `now`: an index may show an earlier state of it. From then on, it is due at all
    times, so that every sweep finds it. Its removal is after a delay.
    """
    id_ = released.ledger_id
    state = {
        _FILE_ID: released.file_id,
        _REMOVAL: now + SWEEP_DELAY,
        MULTIPART_ID: released.multipart_id,
    }
    return Patch(
        keys.file_entry(id_),
        Expectation(exists=True, conditions=(Condition(DUE, ConditionOperator.AT_MOST, now),)),
        set={STATUS: DYING, DUE: 0},
        # Indexes show only the state, not the status.
        state=orjson.dumps(state).decode(),
        places={keys.LISTING: due_place(id_, 0), MEMBER_INDEX: None},
    )


def expect_status(status: str) -> Expectation:
    """Return the expectation that an entry has a status."""
    return Expectation(exists=True, conditions=(Condition(STATUS, ConditionOperator.EQUALS, status),))


def released_file(item: Item) -> ReleasedFile:
    """Return what the sweep has to remove for an entry."""
    id_ = keys.file_entry_id(item.key)
    state = orjson.loads(item.state or "{}")
    file_id = state.get(_FILE_ID, id_)
    return ReleasedFile(
        id_, None if file_id == id_ else id_, file_id, state.get(_REMOVAL), state.get(MULTIPART_ID)
    )


def due_place(id_: str, due: Instant) -> IndexKey:
    """Return the position of an entry that is due at an instant."""
    return IndexKey(keys.FILE_ENTRIES, f"{due:015d}#{id_}")


def file_writes(change: Change, model: Model) -> list[Put | DeleteItem]:
    """Return an action for each upload that the change takes, and for each file that it releases."""
    writes: list[Put | DeleteItem] = [take(pending_id, change.time) for pending_id in change.files]
    for effect in change.object_effects():
        # Versions keep their files, also those from before a class stopped being versioned.
        before = effect.before
        if (
            before is not None
            and before.previous is None
            and not model.classes[before.reference.class_name].versioned
            and (files := file_ids(before.state))
        ):
            kept = () if effect.after is None else file_ids(effect.after.state)
            writes += [release(file_id) for file_id in files if file_id not in kept]
    return writes
