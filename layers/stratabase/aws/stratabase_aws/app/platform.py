"""The platform of DynamoDB: the objects, the members and the attempts are in two tables.

What the settings do not place elsewhere is on this machine, such as the files of a server without a bucket.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, closing, contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from stratabase.core.app.platform import StoresRequired
from stratabase.core.domain.store_mark import MarkCheck, StoreKind
from stratabase.core.settings import Settings
from stratabase.core.store.engine.parallel import ParallelMap, ThreadedMap
from stratabase.core.unusable_store import UnusableStore
from stratabase.members.app.local_platform import LocalPlatform
from stratabase_aws.endpoint import AwsEndpoint

if TYPE_CHECKING:
    from stratabase.core.operations.ports import Attempts
    from stratabase.core.operations.store_marks import MarkStore
    from stratabase.core.store.engine.port import Engine
    from stratabase.core.store.engine.snapshot import ItemSnapshot
    from stratabase.members.ports import AuditTrail, Members
    from stratabase_aws.dynamodb.botocore_client import BotocoreClient
    from stratabase_aws.dynamodb.client import Client
    from stratabase_aws.members.pynamodb_table import PynamoTable

_MAX_PARALLEL_READS = 16
"""The maximum number of ranges that a process reads in parallel."""


class DynamoDBPlatform(LocalPlatform):
    """Opens the tables that the settings name. Each part imports its module when it is opened."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        self._endpoint = AwsEndpoint(settings.region, settings.endpoint)

    def is_local(self, kind: StoreKind) -> bool:
        """Return whether a store is in the data folder. Only files can be there."""
        return kind is StoreKind.FILES and super().is_local(kind)

    @property
    def places(self) -> Mapping[str, str]:
        """The tables and the bucket."""
        settings = self._settings
        tables = {"STRATABASE_TABLE": settings.table, "STRATABASE_MEMBERS_TABLE": settings.members_table}
        return {**tables, **self._bucket}

    @property
    def required(self) -> StoresRequired:
        """What the settings require of the marks of the stores, whose names are those of the resources."""
        settings = self._settings
        return super().required._replace(
            objects=self._requirements(StoreKind.OBJECTS, settings.table, "STRATABASE_TABLE"),
            members=self._requirements(StoreKind.MEMBERS, settings.members_table, "STRATABASE_MEMBERS_TABLE"),
        )

    @property
    def parallel_map(self) -> ParallelMap:
        """The map function that reads ranges of a table in parallel."""
        return ThreadedMap(_MAX_PARALLEL_READS)

    def engine(self) -> Engine:
        """Return the engine on the table. Creates it if the settings say so. Raises UnusableStore."""
        from stratabase.core.store.engine.wrappers import OffloadingEngine  # noqa: PLC0415 - see the class
        from stratabase_aws.dynamodb.client import Unanswered  # noqa: PLC0415
        from stratabase_aws.dynamodb.engine import DynamoDBEngine  # noqa: PLC0415
        from stratabase_aws.dynamodb.table import ensure_table  # noqa: PLC0415

        client = self.dynamodb_client()
        if self._settings.create_tables:
            try:
                ensure_table(client, self._settings.table)
            except Unanswered as error:
                where = f" at {self._endpoint.url}" if self._endpoint.url else ""
                text = f"STRATABASE_ENDPOINT: DynamoDB doesn't respond{where} ({error})."
                raise UnusableStore(text) from error
        return OffloadingEngine(DynamoDBEngine(client, self._settings.table))

    def billed_size(self, index: str) -> tuple[int, int] | None:
        """Return the number and the bytes of the entries of an index, None if DynamoDB does not say."""
        from stratabase_aws.dynamodb.client import Rejected, Unanswered  # noqa: PLC0415 - see the class
        from stratabase_aws.dynamodb.table import index_size  # noqa: PLC0415

        with closing(self.dynamodb_client()) as client:
            try:
                return index_size(client, self._settings.table, index)
            except (Rejected, Unanswered):
                return None

    def dynamodb_client(self) -> Client:
        """Return the client that the settings select for the table of the objects."""
        if self._settings.aws_client == "botocore":
            return self._botocore_client
        from stratabase_aws.dynamodb.signed_client import SignedClient  # noqa: PLC0415 - see the class

        return SignedClient(self._endpoint)

    @cached_property
    def _botocore_client(self) -> BotocoreClient:
        """The client of the table of members, and perhaps of that of the objects."""
        from stratabase_aws.dynamodb.botocore_client import BotocoreClient  # noqa: PLC0415 - see the class

        return BotocoreClient(self._endpoint)

    def snapshot(
        self, engine: Engine, folder: Path, report: Callable[[int], None]
    ) -> AbstractContextManager[ItemSnapshot]:
        """Return a context with all items of the table, copied to a temporary file in `folder`."""
        from stratabase.core.store.staged_snapshot import staged_snapshot  # noqa: PLC0415 - see the class

        return staged_snapshot(engine, folder, report)

    def members(self) -> Members:
        """Return the store in the table of members. Creates it if the settings say so."""
        from stratabase_aws.members.pynamodb_members import PynamoMembers  # noqa: PLC0415 - see the class

        return PynamoMembers(self._members_table)

    def shortest_password(self) -> int:
        """Return the minimum length of earlier versions. A new deployment has another one in its settings."""
        from stratabase.members.password import SHORTEST_PASSWORD  # noqa: PLC0415 - see the class

        return SHORTEST_PASSWORD

    def audit_trail(self) -> AuditTrail:
        """Return the audit trail in the table of members."""
        from stratabase_aws.members.pynamodb_audit import PynamoAuditTrail  # noqa: PLC0415 - see the class

        return PynamoAuditTrail(self._members_table)

    def attempts(self) -> Attempts:
        """Return the store in the table of members."""
        from stratabase_aws.members.pynamodb_attempts import PynamoAttempts  # noqa: PLC0415 - see the class

        return PynamoAttempts(self._members_table)

    @contextmanager
    def member_mark(self) -> Iterator[MarkStore]:
        """Yield the mark in the table of members."""
        from stratabase_aws.members.pynamodb_mark import PynamoMemberMark  # noqa: PLC0415 - see the class

        yield PynamoMemberMark(self._members_table)

    @cached_property
    def _members_table(self) -> PynamoTable:
        from stratabase_aws.members.pynamodb_mark import PynamoMemberMark  # noqa: PLC0415 - see the class
        from stratabase_aws.members.pynamodb_table import PynamoTable  # noqa: PLC0415

        table = PynamoTable(self._endpoint, self._settings.members_table, client=self._botocore_client)
        self._opened.callback(table.close)
        if self._settings.create_tables:
            table.ensure()
        table.check_before_use(MarkCheck(self.required.members, PynamoMemberMark(table).read_mark))
        return table
