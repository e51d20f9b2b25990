"""The table of the members: one connection for all kinds of records, and how often it is asked."""

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from threading import Lock
from typing import TypeVar, cast

from botocore.exceptions import BotoCoreError, ClientError
from pynamodb.constants import PAY_PER_REQUEST_BILLING_MODE
from pynamodb.exceptions import PynamoDBException
from pynamodb.models import MetaModel
from pynamodb.transactions import TransactWrite

from stratabase import waiting
from stratabase.store.dynamodb.aws import Endpoint, share_data_loader
from stratabase.store.dynamodb.client import Rejected, Unanswered
from stratabase.store.dynamodb.errors import map_botocore_error, permanent_error
from stratabase.store.dynamodb.retry import Attempts, PermanentRejection, RetryPolicy
from stratabase.store.pynamodb.record import Record

R = TypeVar("R", bound=Record)
T = TypeVar("T")


class Table:
    """A table of records with the keys `pk` and `sk`. Any thread may use it.

    PynamoDB itself never tries again: that is decided here, as for the table of the objects.
    """

    def __init__(self, endpoint: Endpoint, name: str, patience: RetryPolicy | None = None) -> None:
        self._root = _rooted(endpoint, name)
        self._connection = self._root._get_connection().connection  # noqa: SLF001 - all kinds share it
        self._patience = patience or RetryPolicy()
        self._door = Lock()
        self._connected = False

    def kind(self, record: type[R]) -> type[R]:
        """Return a kind of record as it lies in this table."""
        return cast(
            "type[R]", MetaModel(record.__name__, (record, self._root), {"__module__": record.__module__})
        )

    def read(self, work: Callable[[], T]) -> T:
        """Return what reading comes to, done again while that may help. Raises Unavailable."""
        try:
            return waiting.aside(partial(self._insist, work, Attempts(self._patience)))
        except PermanentRejection as refused:
            raise permanent_error(refused.rejected) from refused

    def write(self, work: Callable[[], T]) -> T:
        """Return what writing comes to, done again while that may help. Raises Refused, Unavailable.

        What was done may be done again, because its answer was lost: see `transaction`, and Refused.doubtful.
        """
        return waiting.aside(partial(self._insist, work, Attempts(self._patience, writes=True)))

    def transaction(self, token: str) -> TransactWrite:
        """Return an empty transaction; DynamoDB does those of one token (of 36 characters at most) once."""
        return TransactWrite(connection=self._connection, client_request_token=token)

    def ensure(self) -> None:
        """Make the table unless it is there: for emulators. On AWS, the template makes it."""
        with suppress(_Exists):
            self.read(self._make)

    def drop(self) -> None:
        """Take the table away with all that is in it."""
        self.read(self._root.delete_table)

    def close(self) -> None:
        """Let go of the connections."""
        with self._door:
            self._connection.client.close()

    def _insist(self, work: Callable[[], T], attempts: Attempts) -> T:
        self._connect()
        while True:
            try:
                return work()
            except (PynamoDBException, BotoCoreError, ClientError) as error:
                attempts.wait_after(_trouble(error))

    def _connect(self) -> None:
        """Make the client, which takes long, once and not in many threads."""
        with self._door:
            if not self._connected:
                share_data_loader(self._connection.session)
            _ = self._connection.client
            self._connected = True

    def _make(self) -> None:
        try:
            self._root.create_table(wait=True, ignore_update_ttl_errors=True)
        except PynamoDBException as error:
            if error.cause_response_code == "ResourceInUseException":
                raise _Exists from error
            raise


class _Exists(Exception):
    """Somebody else has just made the table."""


def _rooted(endpoint: Endpoint, name: str) -> type[Record]:
    """Return what a table's kinds of records descend from."""
    credentials = endpoint.credentials
    meta = {
        "table_name": name,
        "region": endpoint.region,
        "host": endpoint.url,
        "connect_timeout_seconds": endpoint.connect_timeout,
        "read_timeout_seconds": endpoint.read_timeout,
        "max_pool_connections": endpoint.connections,
        "max_retry_attempts": 0,
        "billing_mode": PAY_PER_REQUEST_BILLING_MODE,
        "aws_access_key_id": credentials and credentials.access_key,
        "aws_secret_access_key": credentials and credentials.secret_key,
        "aws_session_token": credentials and credentials.token,
    }
    return cast("type[Record]", MetaModel("Rooted", (Record,), {"Meta": type("Meta", (), meta)}))


def _trouble(error: Exception) -> Rejected | Unanswered:
    """Return what went wrong below PynamoDB. Raises the error when it is PynamoDB's own."""
    cause = getattr(error, "cause", error)
    if not isinstance(cause, BotoCoreError | ClientError):
        raise error
    # PynamoDB words DynamoDB's refusals anew; the one that it got has the status and all reasons.
    return map_botocore_error(cause.__cause__ if isinstance(cause.__cause__, ClientError) else cause)
