"""What DynamoDB is asked to do for an action: one request alone, or one part of a transaction."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from hashlib import sha256
from typing import Any, NamedTuple

from stratabase.store.dynamodb.client import Rejected
from stratabase.store.dynamodb.errors import CANCELLED, CONDITION_FAILED, permanent_error
from stratabase.store.dynamodb.expressions import Placeholders, condition_expression, update_expression
from stratabase.store.dynamodb.records import item_of, key_record, record_of
from stratabase.store.dynamodb.retry import PermanentRejection, RetryingClient
from stratabase.store.engine.port import (
    NO_EXPECTATION,
    Action,
    Batch,
    Check,
    Delete,
    ExpectationFailed,
    Failure,
    Item,
    OutcomeUnknown,
    Patch,
    Put,
)

Parameters = dict[str, Any]

_MOST_NAMED = 10
"""How many writes the description of a failure names, when DynamoDB does not say which one failed."""


class WriteRequest(NamedTuple):
    """An action as DynamoDB is asked to do it."""

    action: Action
    kind: str
    """What it is called in a transaction; alone, a writing one is called so with "Item" at its end."""
    parameters: Parameters

    @property
    def is_repeatable(self) -> bool:
        """Whether it may be sent alone, and again when its answer is lost: done twice, it is done once.

        A conditional delete that finds nothing cannot tell whether it was done before or by somebody else.
        """
        adds = isinstance(self.action, Patch) and bool(self.action.add)
        chooses = isinstance(self.action, Delete) and self.action.expect != NO_EXPECTATION
        return not (adds or chooses or self.kind == _CHECK)


def is_single_write(writes: Sequence[WriteRequest]) -> bool:
    """Return whether this is one write that needs no transaction, and so costs half."""
    return len(writes) == 1 and writes[0].is_repeatable


def write_requests(table: str, actions: tuple[Action, ...]) -> list[WriteRequest]:
    """Return what to ask for; nothing for a check of nothing."""
    return [_write(table, action) for action in actions if not _is_idle(action)]


_CHECK = "ConditionCheck"


def _is_idle(action: Action) -> bool:
    return isinstance(action, Check) and action.expect == NO_EXPECTATION


def _write(table: str, action: Action) -> WriteRequest:
    placeholders = Placeholders()
    kind, parameters = _KINDS[type(action)](action, placeholders)
    condition = condition_expression(action.expect, placeholders)
    if condition:
        parameters |= {
            "ConditionExpression": condition,
            "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
        }
    return WriteRequest(action, kind, {"TableName": table} | parameters | placeholders.parameters())


def _put(put: Put, _: Placeholders) -> tuple[str, Parameters]:
    return "Put", {"Item": record_of(put.item)}


def _patch(patch: Patch, placeholders: Placeholders) -> tuple[str, Parameters]:
    update = update_expression(patch, placeholders)
    if not update:
        return _check(Check(patch.key, patch.expect), placeholders)
    return "Update", {"Key": key_record(patch.key), "UpdateExpression": update}


def _delete(delete: Delete, _: Placeholders) -> tuple[str, Parameters]:
    return "Delete", {"Key": key_record(delete.key)}


def _check(check: Check, _: Placeholders) -> tuple[str, Parameters]:
    return _CHECK, {"Key": key_record(check.key)}


_KINDS: Mapping[type[Action], Callable[[Any, Placeholders], tuple[str, Parameters]]] = {
    Put: _put,
    Patch: _patch,
    Delete: _delete,
    Check: _check,
}


def commit_batch(client: RetryingClient, table: str, batch: Batch) -> None:
    """Do all actions or none. Raises ExpectationFailed, Unavailable; ValueError for what cannot be done."""
    writes = write_requests(table, batch.actions)
    try:
        _send(client, batch, writes)
    except PermanentRejection as refused:
        failures = _failures(refused, writes)
        if not failures:
            raise permanent_error(refused.rejected, _describe_failure(refused.rejected, writes)) from refused
        if any(_names(failure.found, batch.id) for failure in failures):
            return
        # A transaction that was done before is known by its token; here it was not.
        certain = not refused.may_have_run or refused.rejected.code == CANCELLED
        raise (ExpectationFailed if certain else OutcomeUnknown)(failures) from refused


def _send(client: RetryingClient, batch: Batch, writes: Sequence[WriteRequest]) -> None:
    if is_single_write(writes):
        client.write(f"{writes[0].kind}Item", writes[0].parameters)
    elif writes:
        actions = [{write.kind: write.parameters} for write in writes]
        client.write("TransactWriteItems", {"TransactItems": actions, "ClientRequestToken": _token(batch)})


def _token(batch: Batch) -> str:
    """Return a text of the length that DynamoDB takes, the same for the same batch."""
    return sha256(f"{batch.attempt} {batch.id}".encode()).hexdigest()[:36]


def _failures(refused: PermanentRejection, writes: Sequence[WriteRequest]) -> list[Failure]:
    """Return the actions whose expectations did not hold."""
    rejected = refused.rejected
    if rejected.code == CANCELLED:
        judged: Iterable[tuple[WriteRequest, Mapping[str, Any]]] = zip(writes, rejected.reasons, strict=True)
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


def _describe_failure(rejected: Rejected, writes: Sequence[WriteRequest]) -> str:
    """Return what was wrong with which actions, as far as DynamoDB says it."""
    if not rejected.reasons:
        return "; ".join([rejected.message, *map(_describe_write, writes[:_MOST_NAMED])])
    judged = zip(writes, rejected.reasons, strict=False)
    wrong = [(write, reason) for write, reason in judged if reason.get("Code") != "None"]
    return "; ".join(
        f"{_describe_write(write)}: {reason.get('Message', reason['Code'])}" for write, reason in wrong
    )


def _describe_write(write: WriteRequest) -> str:
    action = write.action
    adding = (
        f" that adds to {', '.join(sorted(action.add))}" if isinstance(action, Patch) and action.add else ""
    )
    return f"{write.kind} of {tuple(action.key)}{adding}"
