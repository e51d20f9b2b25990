"""The DynamoDB engine: one table, which any number of processes share."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any, NamedTuple

from stratabase.core.store.engine.capacity import MAX_KEYS_PER_REQUEST, is_single_write, needed_actions
from stratabase.core.store.engine.port import (
    NO_EXPECTATION,
    UNBOUNDED,
    Action,
    Batch,
    Beginnings,
    Bounds,
    Check,
    Counted,
    DeleteItem,
    ExpectationFailed,
    Failure,
    Item,
    Key,
    OutcomeUnknown,
    Patch,
    Put,
)
from stratabase_aws.dynamodb.client import Client, Rejected
from stratabase_aws.dynamodb.errors import CANCELLED, CONDITION_FAILED, permanent_error
from stratabase_aws.dynamodb.expressions import Placeholders, condition_expression, update_expression
from stratabase_aws.dynamodb.range_query import CountQuery, range_query
from stratabase_aws.dynamodb.records import item_of, items_of, key_record, record_of
from stratabase_aws.dynamodb.retry import (
    DEFAULT_RETRY_POLICY,
    PermanentRejection,
    RetryingClient,
    RetryPolicy,
)
from stratabase_aws.dynamodb.table import MAX_PARTITION_BYTES, MAX_SORT_BYTES, stored_name

Parameters = dict[str, Any]

_CHECK = "ConditionCheck"
_MAX_DESCRIBED = 10
"""The maximum number of writes in the description of a failure, if DynamoDB does not say which one failed."""


class ActionRequest(NamedTuple):
    """The DynamoDB request for an action."""

    action: Action
    kind: str
    """The name of the action in a transaction: Put, Update, Delete or ConditionCheck.

    The operation for a single write has the same name with "Item" at the end.
    """
    parameters: Parameters


def commit_batch(client: RetryingClient, table: str, batch: Batch) -> None:
    """Execute all actions of a batch or none.

    Raises ExpectationFailed, Unavailable; ValueError if DynamoDB does not support an action.
    """
    requests = [_write_request(table, action) for action in needed_actions(batch.actions)]
    try:
        _send(client, batch, requests)
    except PermanentRejection as error:
        rejected = error.rejected
        failures = _failures(rejected, requests)
        # 1. No expectation failed: the request is invalid, or AWS refuses the account.
        if not failures:
            raise permanent_error(rejected, _describe_failure(rejected, requests)) from error
        # 2. An item that was found contains the id of the batch: an earlier attempt has committed it.
        if any(_names_batch(failure.found, batch.id) for failure in failures):
            return
        # 3. The batch was refused. After a lost response, this is certain only for a transaction, because of
        #    its token. For a single write, a later commit may have overwritten the item and hide the batch.
        is_certain = not error.may_have_run or rejected.code == CANCELLED
        raise (ExpectationFailed if is_certain else OutcomeUnknown)(failures) from error


def send_increment(client: RetryingClient, table: str, key: Key, attribute: str, by: int) -> int:
    """Add a number to an attribute of an item, and return the sum. Raises Unavailable, ValueError.

    A single write without a token, because nobody minds that a repetition adds the number again.
    """
    request = _write_request(table, Patch(key, NO_EXPECTATION, add={attribute: by}))
    try:
        answer = client.write("UpdateItem", {**request.parameters, "ReturnValues": "UPDATED_NEW"})
    except PermanentRejection as error:
        raise permanent_error(error.rejected, _describe(request)) from error
    return int(answer["Attributes"][stored_name(attribute)]["N"])


def _send(client: RetryingClient, batch: Batch, requests: Sequence[ActionRequest]) -> None:
    if is_single_write([request.action for request in requests]):
        client.write(f"{requests[0].kind}Item", requests[0].parameters)
    elif requests:
        actions = [{request.kind: request.parameters} for request in requests]
        client.write("TransactWriteItems", {"TransactItems": actions, "ClientRequestToken": _token(batch)})


def _token(batch: Batch) -> str:
    """Return the idempotency token of a batch, which has at most 36 characters."""
    return sha256(f"{batch.attempt} {batch.id}".encode()).hexdigest()[:36]


def _failures(rejected: Rejected, requests: Sequence[ActionRequest]) -> list[Failure]:
    """Return the actions whose expectations failed, with the items that were found."""
    if rejected.code == CANCELLED:
        reasons: Iterable[tuple[ActionRequest, Mapping[str, Any]]] = zip(
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
    """Return whether an item proves that a batch was committed (see `Batch.id`)."""
    values = item.attributes.values() if item else ()
    return any(value == batch_id or (isinstance(value, list) and batch_id in value) for value in values)


def _describe_failure(rejected: Rejected, requests: Sequence[ActionRequest]) -> str:
    """Return a description of what was wrong with which actions, for the log."""
    if not rejected.reasons:
        return "; ".join([rejected.message, *map(_describe, requests[:_MAX_DESCRIBED])])
    reasons = zip(requests, rejected.reasons, strict=False)
    wrong = [(request, reason) for request, reason in reasons if reason.get("Code") != "None"]
    return "; ".join(
        f"{_describe(request)}: {reason.get('Message', reason['Code'])}" for request, reason in wrong
    )


def _describe(request: ActionRequest) -> str:
    action = request.action
    adding = (
        f" that adds to {', '.join(sorted(action.add))}" if isinstance(action, Patch) and action.add else ""
    )
    return f"{request.kind} of {tuple(action.key)}{adding}"


def _write_request(table: str, action: Action) -> ActionRequest:
    placeholders = Placeholders()
    kind, parameters = _KINDS[type(action)](action, placeholders)
    condition = condition_expression(action.expect, placeholders)
    if condition:
        parameters |= {
            "ConditionExpression": condition,
            "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
        }
    return ActionRequest(action, kind, {"TableName": table} | parameters | placeholders.parameters())


def _put(put: Put, _: Placeholders) -> tuple[str, Parameters]:
    return "Put", {"Item": record_of(put.item)}


def _patch(patch: Patch, placeholders: Placeholders) -> tuple[str, Parameters]:
    update = update_expression(patch, placeholders)
    if not update:
        return _check(Check(patch.key, patch.expect), placeholders)
    return "Update", {"Key": key_record(patch.key), "UpdateExpression": update}


def _delete(delete: DeleteItem, _: Placeholders) -> tuple[str, Parameters]:
    return "Delete", {"Key": key_record(delete.key)}


def _check(check: Check, _: Placeholders) -> tuple[str, Parameters]:
    return _CHECK, {"Key": key_record(check.key)}


_KINDS: Mapping[type[Action], Callable[[Any, Placeholders], tuple[str, Parameters]]] = {
    Put: _put,
    Patch: _patch,
    DeleteItem: _delete,
    Check: _check,
}


class DynamoDBEngine:
    """An engine on one table (see `table_definition`).

    A `get` of several keys may see only a part of a batch that is being committed. Each item is complete.

    If the response to a single write is lost, the write is sent again. It can then be done twice, in two
    cases: it expects nothing, so it also overwrites writes in between; or it creates an item, and another
    process has deleted this item in between. Transactions and conditional deletes have a token that prevents
    this.
    """

    removes_expired = True
    is_embedded = False
    prefers_few_calls = True

    def __init__(self, client: Client, table: str, retry_policy: RetryPolicy = DEFAULT_RETRY_POLICY) -> None:
        self._client = client
        self._retrying = RetryingClient(client, retry_policy)
        self._table = table

    def get(
        self,
        keys: Sequence[Key],
        *,
        places: bool = True,  # noqa: ARG002 - DynamoDB charges for whole items
    ) -> list[Item | None]:
        """Return the items in the order of `keys`, None for a missing item. Reads are strongly consistent."""
        distinct = [key for key in dict.fromkeys(keys) if _is_possible(key)]
        if len(distinct) == 1:
            item = self._get_one(distinct[0])
            return [item if key == distinct[0] else None for key in keys]
        found: dict[Key, Item] = {}
        for at in range(0, len(distinct), MAX_KEYS_PER_REQUEST):
            found |= {item.key: item for item in self._get_many(distinct[at : at + MAX_KEYS_PER_REQUEST])}
        return [found.get(key) for key in keys]

    def range(  # noqa: PLR0913 - the signature of the port
        self,
        index: str,
        partition: str,
        bounds: Bounds = UNBOUNDED,
        *,
        backward: bool = False,
        limit: int | None = None,
        exact: bool = True,
        whole: bool = True,  # noqa: ARG002 - a projection would not make the read cheaper
    ) -> Iterator[Sequence[Item]]:
        """Yield the items of one partition of an index in the order of their sort keys, page by page."""
        query = range_query(index, partition, bounds, backward=backward, exact=exact)
        return query.pages(self._retrying, self._table, limit)

    def count(
        self,
        index: str,
        partition: str,
        ranges: Sequence[Bounds] = (UNBOUNDED,),
        *,
        distinct: bool = False,
    ) -> Iterator[Counted]:
        """Yield the numbers of items in ranges of one partition of an index, for each megabyte of them."""
        return CountQuery(index, partition, ranges, distinct=distinct).pages(self._retrying, self._table)

    def count_beginnings(
        self, index: str, partition: str, ranges: Sequence[Bounds], beginnings: Beginnings
    ) -> None:
        """Return None: DynamoDB charges for the whole items of an index."""

    def scan(self, after: Key | None = None) -> Iterator[Sequence[Item]]:
        """Yield all items of the store, page by page."""
        scan: dict[str, Any] = {"TableName": self._table, "ConsistentRead": True}
        start = None if after is None else key_record(after)
        while True:
            answer = self._retrying.read("Scan", {**scan, "ExclusiveStartKey": start} if start else scan)
            if items := items_of(answer["Items"]):
                yield items
            start = answer.get("LastEvaluatedKey")
            if start is None:
                return

    def data_version(self) -> None:
        """Return None, because DynamoDB has no such value."""

    def commit(self, batch: Batch) -> None:
        """Execute all actions of a batch or none. Raises ExpectationFailed, Unavailable."""
        commit_batch(self._retrying, self._table, batch)

    def increment(self, key: Key, attribute: str, by: int) -> int:
        """Add a number to an attribute of an item, and return the sum. A lost response can add it twice."""
        return send_increment(self._retrying, self._table, key, attribute, by)

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _get_one(self, key: Key) -> Item | None:
        answer = self._retrying.read(
            "GetItem", {"TableName": self._table, "Key": key_record(key), "ConsistentRead": True}
        )
        return item_of(answer["Item"]) if "Item" in answer else None

    def _get_many(self, keys: Sequence[Key]) -> list[Item]:
        """Return the existing items. Request those again that a response left unprocessed."""
        wanted: Mapping[str, Any] = {
            self._table: {"Keys": list(map(key_record, keys)), "ConsistentRead": True}
        }
        found: list[Item] = []
        attempts = self._retrying.attempts()
        while True:
            answer = self._retrying.read("BatchGetItem", {"RequestItems": wanted})
            items = items_of(answer.get("Responses", {}).get(self._table, ()))
            found += items
            wanted = answer.get("UnprocessedKeys") or {}
            if not wanted:
                return found
            if items:  # there is progress, so the retries start over
                attempts = self._retrying.attempts()
            attempts.wait()


def _is_possible(key: Key) -> bool:
    """Return whether DynamoDB allows a key. It rejects reads of other keys."""
    partition, sort = (len(text.encode()) for text in key)
    return 0 < partition <= MAX_PARTITION_BYTES and 0 < sort <= MAX_SORT_BYTES
