"""The DynamoDB table of the members, over PynamoDB: records, retries, and conditional transactions."""

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from contextvars import ContextVar
from functools import partial
from threading import Lock
from typing import Any, NamedTuple, TypeVar, cast

from botocore import exceptions
from pynamodb.attributes import TTLAttribute, UnicodeAttribute
from pynamodb.constants import PAY_PER_REQUEST_BILLING_MODE
from pynamodb.exceptions import PynamoDBException
from pynamodb.expressions.condition import Condition
from pynamodb.models import MetaModel, Model
from pynamodb.transactions import TransactWrite

from stratabase.core import waiting
from stratabase.core.request_log import current_usage
from stratabase_aws.dynamodb.botocore_client import BotocoreClient, map_botocore_error
from stratabase_aws.dynamodb.errors import CANCELLED, CONDITION_FAILED, RequestError, permanent_error
from stratabase_aws.dynamodb.retry import (
    DEFAULT_RETRY_POLICY,
    PermanentRejection,
    RetryPolicy,
    RetryState,
)
from stratabase_aws.endpoint import AwsEndpoint


class PynamoRecord(Model):
    """An item of the table. `PynamoTable.bind` connects a record class to a table.

    Keys are short: values that are long or come from clients enter a key only as a hash. The names of the
    attributes are stored, so do not rename them. The names of the classes are not stored.
    """

    pk = UnicodeAttribute(hash_key=True)
    sk = UnicodeAttribute(range_key=True)
    expires = TTLAttribute(null=True)
    """When DynamoDB may delete the record. It can take days, so readers still compare instants."""

    def __repr__(self) -> str:
        # Omit the attributes: they can contain password hashes, and this text can get into logs.
        return f"{type(self).__name__}({self.pk!r}, {self.sk!r})"


class ConditionalWrite(NamedTuple):
    """A write in a transaction. `PynamoTable.transact` returns `condition_name` if its condition fails."""

    position: int
    """The order in which PynamoDB sends writes: 0 for checks, 1 for deletions, 2 for others. DynamoDB reports
    failed conditions in this order."""
    add_to: Callable[[TransactWrite], None]
    condition_name: str


def check_if(
    record_class: type[PynamoRecord], key: tuple[str, str], condition: Condition, condition_name: str
) -> ConditionalWrite:
    """Return the check that a condition holds for a key. It writes nothing."""
    return ConditionalWrite(
        0, lambda transaction: transaction.condition_check(record_class, *key, condition), condition_name
    )


def delete_if(record: PynamoRecord, condition: Condition, condition_name: str) -> ConditionalWrite:
    """Return the write that deletes a record if a condition holds."""
    return ConditionalWrite(1, lambda transaction: transaction.delete(record, condition), condition_name)


def save_if(record: PynamoRecord, condition: Condition, condition_name: str) -> ConditionalWrite:
    """Return the write that creates or replaces a record if a condition holds."""
    return ConditionalWrite(2, lambda transaction: transaction.save(record, condition), condition_name)


def save_always(record: PynamoRecord) -> ConditionalWrite:
    """Return the write that creates or replaces a record in any case."""
    return ConditionalWrite(2, lambda transaction: transaction.save(record), "")


R = TypeVar("R", bound=PynamoRecord)
T = TypeVar("T")
_ONE_ATTEMPT = RetryPolicy(max_attempts=1)


class PynamoTable:
    """A table of records with the keys `pk` and `sk`. It is thread-safe.

    All record classes share one connection, whose client can be that of other tables. It has no retries:
    `retry_policy` decides, as it does for the table of the objects.
    """

    def __init__(
        self,
        endpoint: AwsEndpoint,
        name: str,
        retry_policy: RetryPolicy | None = None,
        client: BotocoreClient | None = None,
    ) -> None:
        self._base_model = _base_model(endpoint, name)
        self._client = client or BotocoreClient(endpoint)
        self._connection = self._base_model._get_connection().connection  # noqa: SLF001 - all classes share it
        self._retry_policy = retry_policy or DEFAULT_RETRY_POLICY
        self._connection_lock = Lock()
        self._check: Callable[[bool], None] | None = None

    def check_before_use(self, check: Callable[[bool], None]) -> None:
        """Call `check(writes)` before each use of the table, except for those that are not `checked`.

        It raises StoreRefused if this process must not use the table.
        """
        self._check = check

    def bind(self, record_class: type[R]) -> type[R]:
        """Return a subclass of a record class whose records are in this table."""
        bases, namespace = (record_class, self._base_model), {"__module__": record_class.__module__}
        return cast("type[R]", MetaModel(record_class.__name__, bases, namespace))

    def read(self, work: Callable[[], T], *, checked: bool = True) -> T:
        """Return the result of a function that reads. Retries transient errors. Raises Unavailable."""
        if checked and self._check is not None:
            self._check(False)
        try:
            return waiting.offload(partial(self._retry, work, RetryState(self._retry_policy)))
        except PermanentRejection as rejection:
            raise permanent_error(rejection.rejected) from rejection

    def write(self, work: Callable[[], T], *, checked: bool = True, retries: bool = True) -> T:
        """Return the result of a function that writes. Retries transient errors, unless `retries` is False.

        The write can execute twice if a response is lost, so it must be idempotent or have a condition (see
        `transaction` and PermanentRejection.may_have_run). Raises PermanentRejection, Unavailable.
        """
        if checked and self._check is not None:
            self._check(True)
        policy = self._retry_policy if retries else _ONE_ATTEMPT
        return waiting.offload(partial(self._retry, work, RetryState(policy, writes=True)))

    def transaction(self, token: str) -> TransactWrite:
        """Return an empty transaction.

        DynamoDB executes only one transaction with a token, which has at most 36 characters.
        """
        return TransactWrite(connection=self._connection, client_request_token=token)

    def transact(
        self, token: str, writes: Iterable[ConditionalWrite], *, checked: bool = True
    ) -> tuple[str, ...]:
        """Execute all writes once, or none; return the names of the conditions that failed.

        Raises Unavailable.
        """
        ordered = sorted(writes, key=lambda write: write.position)

        def work() -> None:
            with self.transaction(token) as transaction:
                for write in ordered:
                    write.add_to(transaction)

        try:
            self.write(work, checked=checked)
        except PermanentRejection as rejection:
            return _failed_conditions(rejection, ordered)
        return ()

    def ensure(self) -> None:
        """Create the table in an emulator if it does not exist. On AWS, the template creates it."""
        with suppress(_TableExists):
            self.read(self._create, checked=False)

    def drop(self) -> None:
        """Delete the table with all its records."""
        self.read(self._base_model.delete_table, checked=False)

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _retry(self, work: Callable[[], T], attempts: RetryState) -> T:
        self._connect()
        while True:
            reports = _reports_capacity.set(True)
            try:
                result = work()
            except (PynamoDBException, exceptions.BotoCoreError, exceptions.ClientError) as error:
                attempts.wait_after(_request_error(error))
            else:
                attempts.succeed()
                return result
            finally:
                _reports_capacity.reset(reports)

    def _connect(self) -> None:
        """Give PynamoDB the client, of which it would create one with a session of its own."""
        client = self._client.botocore_client()
        with self._connection_lock:
            if self._connection._client is not client:  # noqa: SLF001 - PynamoDB has no other way
                _report_capacity(client)
                self._connection._client = client  # noqa: SLF001

    def _create(self) -> None:
        try:
            self._base_model.create_table(wait=True, ignore_update_ttl_errors=True)
        except PynamoDBException as error:
            is_answer = isinstance(error.cause, exceptions.ClientError)
            if is_answer and error.cause_response_code == "ResourceInUseException":
                raise _TableExists from error
            raise


class _TableExists(Exception):
    """The table exists already."""


def _base_model(endpoint: AwsEndpoint, name: str) -> type[PynamoRecord]:
    """Return the base class of all record classes of a table."""
    meta = {
        "table_name": name,
        "region": endpoint.region,
        "host": endpoint.url,
        "billing_mode": PAY_PER_REQUEST_BILLING_MODE,
    }
    return cast(
        "type[PynamoRecord]", MetaModel("BaseModel", (PynamoRecord,), {"Meta": type("Meta", (), meta)})
    )


_reports_capacity: ContextVar[bool] = ContextVar("reports_capacity", default=False)
"""Whether a request is one of a table of members. The units of other tables are computed elsewhere."""
_READS = frozenset({"BatchGetItem", "GetItem", "Query", "Scan", "TransactGetItems"})


def _report_capacity(client: Any) -> None:
    """Let a botocore client add the capacity units of each request to the usage of the current request."""
    client.meta.events.register("provide-client-params.dynamodb", _request_capacity)
    client.meta.events.register("after-call.dynamodb", _add_capacity)


def _request_capacity(params: Mapping[str, Any], model: Any, **_: Any) -> Mapping[str, Any] | None:
    if not _reports_capacity.get() or current_usage() is None:
        return None
    if "ReturnConsumedCapacity" not in model.input_shape.members:
        return None
    return {**params, "ReturnConsumedCapacity": "TOTAL"}


def _add_capacity(parsed: Mapping[str, Any], model: Any, **_: Any) -> None:
    usage = current_usage()
    if usage is not None and _reports_capacity.get():
        usage.add_capacity(parsed.get("ConsumedCapacity") or {}, writes=model.name not in _READS)


def _failed_conditions(rejection: PermanentRejection, writes: list[ConditionalWrite]) -> tuple[str, ...]:
    """Return the names of the failed conditions. `writes` must be in the order in which they were sent."""
    rejected = rejection.rejected
    outcomes = zip(writes, rejected.reasons, strict=True) if rejected.code == CANCELLED else ()
    failed = tuple(
        write.condition_name for write, reason in outcomes if reason.get("Code") == CONDITION_FAILED
    )
    if not failed:
        raise permanent_error(rejected) from rejection
    return failed


def _request_error(error: Exception) -> RequestError:
    """Return the request error that caused an exception of PynamoDB. Raise the exception if there is none."""
    cause = getattr(error, "cause", error)
    if not isinstance(cause, exceptions.BotoCoreError | exceptions.ClientError):
        raise error
    # PynamoDB rebuilds the errors of DynamoDB. Only the original has the status and the cancellation reasons.
    original = cause.__cause__ if isinstance(cause.__cause__, exceptions.ClientError) else cause
    return map_botocore_error(original)
