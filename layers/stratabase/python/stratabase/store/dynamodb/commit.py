"""Commits a batch: one write by itself, several as a transaction, and nothing twice.

A transaction carries a token made of the batch's id, by which DynamoDB itself knows a repetition. A write by
itself costs half, and has none: when it is refused after an answer was lost, the item that was found decides.
It names the batch if the batch has been done (see Batch.id); where it does not, the outcome is unknown.
"""

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

_CHECK = "ConditionCheck"
_MAX_DESCRIBED = 10
"""How many writes the description of a failure names, when DynamoDB does not say which one failed."""


class WriteRequest(NamedTuple):
    """An action as DynamoDB is asked to do it."""

    action: Action
    kind: str
    """What a transaction calls it. Alone, its operation is called so with "Item" at the end."""
    parameters: Parameters

    @property
    def is_repeatable(self) -> bool:
        """Whether it may be sent alone, and again when its answer is lost: done twice, it is done once.

        A conditional delete that finds nothing cannot tell whether it was done before or by somebody else.
        """
        adds = isinstance(self.action, Patch) and bool(self.action.add)
        deletes_conditionally = isinstance(self.action, Delete) and self.action.expect != NO_EXPECTATION
        return not (adds or deletes_conditionally or self.kind == _CHECK)


def commit_batch(client: RetryingClient, table: str, batch: Batch) -> None:
    """Do all actions or none. Raises ExpectationFailed, Unavailable; ValueError for what cannot be done."""
    requests = write_requests(table, batch.actions)
    try:
        _send(client, batch, requests)
    except PermanentRejection as error:
        rejected = error.rejected
        failures = _failures(rejected, requests)
        # 1. The request itself was at fault, or the account that makes it.
        if not failures:
            raise permanent_error(rejected, _describe_failure(rejected, requests)) from error
        # 2. The expectations fail because an earlier attempt did the batch: what was found names it.
        if any(_names_batch(failure.found, batch.id) for failure in failures):
            return
        # 3. They fail for another reason. But after a lost answer, what was found may come from a later
        # commit that hides this one. A transaction that was done before is known by its token.
        is_certain = not error.may_have_run or rejected.code == CANCELLED
        raise (ExpectationFailed if is_certain else OutcomeUnknown)(failures) from error


def _send(client: RetryingClient, batch: Batch, requests: Sequence[WriteRequest]) -> None:
    if is_single_write(requests):
        client.write(f"{requests[0].kind}Item", requests[0].parameters)
    elif requests:
        actions = [{request.kind: request.parameters} for request in requests]
        client.write("TransactWriteItems", {"TransactItems": actions, "ClientRequestToken": _token(batch)})


def _token(batch: Batch) -> str:
    """Return a text of the length that DynamoDB takes, the same for the same batch."""
    return sha256(f"{batch.attempt} {batch.id}".encode()).hexdigest()[:36]


_Judged = tuple[WriteRequest, Mapping[str, Any]]
"""A write, and what DynamoDB says became of it."""


def _failures(rejected: Rejected, requests: Sequence[WriteRequest]) -> list[Failure]:
    """Return the actions whose expectations did not hold."""
    if rejected.code == CANCELLED:
        reasons: Iterable[tuple[WriteRequest, Mapping[str, Any]]] = zip(
            requests, rejected.reasons, strict=True
        )
    else:
        reason = {"Code": rejected.code.removesuffix("Exception"), "Item": rejected.found}
        reasons = [(requests[0], reason)]
    return [
        Failure(request.action, _found(reason))
        for request, reason in reasons
        if reason["Code"] == CONDITION_FAILED
    ]


def _found(reason: Mapping[str, Any]) -> Item | None:
    record = reason.get("Item")
    return item_of(record) if record else None


def _names_batch(item: Item | None, batch_id: str) -> bool:
    """Return whether an item tells that a batch wrote it (see Batch.id)."""
    values = item.attributes.values() if item else ()
    return any(value == batch_id or (isinstance(value, list) and batch_id in value) for value in values)


def _describe_failure(rejected: Rejected, requests: Sequence[WriteRequest]) -> str:
    """Return what was wrong with which actions, as far as DynamoDB says it."""
    if not rejected.reasons:
        return "; ".join([rejected.message, *map(_describe, requests[:_MAX_DESCRIBED])])
    reasons = zip(requests, rejected.reasons, strict=False)
    wrong = [(request, reason) for request, reason in reasons if reason.get("Code") != "None"]
    return "; ".join(
        f"{_describe(request)}: {reason.get('Message', reason['Code'])}" for request, reason in wrong
    )


def _describe(request: WriteRequest) -> str:
    action = request.action
    adding = (
        f" that adds to {', '.join(sorted(action.add))}" if isinstance(action, Patch) and action.add else ""
    )
    return f"{request.kind} of {tuple(action.key)}{adding}"


def is_single_write(writes: Sequence[WriteRequest]) -> bool:
    """Return whether this is one write that needs no transaction, and so costs half."""
    return len(writes) == 1 and writes[0].is_repeatable


def write_requests(table: str, actions: tuple[Action, ...]) -> list[WriteRequest]:
    """Return the requests for actions, in their order, but none for a check of nothing."""
    return [_write_request(table, action) for action in actions if not _is_needless(action)]


def _is_needless(action: Action) -> bool:
    return isinstance(action, Check) and action.expect == NO_EXPECTATION


def _write_request(table: str, action: Action) -> WriteRequest:
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
