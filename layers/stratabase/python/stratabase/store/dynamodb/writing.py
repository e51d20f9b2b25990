"""A batch as DynamoDB does it: one write by itself, several as a transaction, and nothing twice.

A transaction carries a token made of the batch's id, by which DynamoDB itself knows a repetition. A write by
itself costs half, and has none: when it is refused after an answer was lost, the item that was found decides.
It names the batch if the batch has been done (see Batch.id); where it does not, the outcome is unknown.
"""

from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from typing import Any

from stratabase.store.dynamodb.fault import CANCELLED, CONDITION_FAILED, fault
from stratabase.store.dynamodb.insistence import Insistent, Refused
from stratabase.store.dynamodb.record import item_of
from stratabase.store.dynamodb.write import Write, go_alone, writes_of
from stratabase.store.engine import Batch, ExpectationFailed, Failure, Item, OutcomeUnknown


def write(client: Insistent, table: str, batch: Batch) -> None:
    """Do all actions or none. Raises ExpectationFailed, Unavailable; ValueError for what cannot be done."""
    writes = writes_of(table, batch.actions)
    try:
        _send(client, batch, writes)
    except Refused as refused:
        failures = _failures(refused, writes)
        if not failures:
            raise fault(refused.rejected, writes) from refused
        if any(_names(failure.found, batch.id) for failure in failures):
            return
        # A transaction that was done before is known by its token; here it was not.
        certain = not refused.doubtful or refused.rejected.code == CANCELLED
        raise (ExpectationFailed if certain else OutcomeUnknown)(failures) from refused


def _send(client: Insistent, batch: Batch, writes: Sequence[Write]) -> None:
    if go_alone(writes):
        client.write(f"{writes[0].kind}Item", writes[0].parameters)
    elif writes:
        actions = [{write.kind: write.parameters} for write in writes]
        client.write("TransactWriteItems", {"TransactItems": actions, "ClientRequestToken": _token(batch)})


def _token(batch: Batch) -> str:
    """Return a text of the length that DynamoDB takes, the same for the same batch."""
    return sha256(f"{batch.attempt} {batch.id}".encode()).hexdigest()[:36]


def _failures(refused: Refused, writes: Sequence[Write]) -> list[Failure]:
    """Return the actions whose expectations did not hold."""
    rejected = refused.rejected
    if rejected.code == CANCELLED:
        judged: Iterable[tuple[Write, Mapping[str, Any]]] = zip(writes, rejected.reasons, strict=True)
    else:
        reason = {"Code": rejected.code.removesuffix("Exception"), "Item": rejected.found}
        judged = [(writes[0], reason)]
    return [
        Failure(write.action, _found(reason))
        for write, reason in judged
        if reason["Code"] == CONDITION_FAILED
    ]


def _found(reason: Mapping[str, Any]) -> Item | None:
    record = reason.get("Item")
    return item_of(record) if record else None


def _names(item: Item | None, batch_id: str) -> bool:
    """Return whether an item tells that a batch wrote it."""
    held = item.attributes.values() if item else ()
    return any(value == batch_id or (isinstance(value, list) and batch_id in value) for value in held)
