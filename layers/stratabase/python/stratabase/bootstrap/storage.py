"""Construction of the stores that the settings select: of objects, members, signing keys and files."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

from stratabase.aws import AwsEndpoint
from stratabase.domain.store_mark import MarkCheck, StoreKind, StoreRequirements
from stratabase.operations.file_ports import BlobStore
from stratabase.operations.ports import Attempts, Keyring, Members
from stratabase.operations.store_marks import MarkStore
from stratabase.settings import Settings
from stratabase.store.dynamodb.metering import MeteredEngine
from stratabase.store.engine.offloading import OffloadingEngine
from stratabase.store.engine.parallel import ParallelMap, ThreadedMap, sequential_map
from stratabase.store.engine.port import Engine
from stratabase.store.engine.snapshot import ItemSnapshot
from stratabase.store.marked_engine import MarkedEngine
from stratabase.unusable_store import UnusableStore

if TYPE_CHECKING:
    from stratabase.store.dynamodb.client import Client

_MAX_PARALLEL_READS = 16
"""The maximum number of ranges that a process reads in parallel from a remote store."""


def _sqlite_engine(settings: Settings) -> Engine:
    from stratabase.store.sqlite.engine import SqliteEngine  # noqa: PLC0415 - imported only if it is selected

    return SqliteEngine(settings.home / "objects.db")


def _dynamodb_engine(settings: Settings) -> Engine:
    from stratabase.store.dynamodb.client import Unanswered  # noqa: PLC0415 - see above
    from stratabase.store.dynamodb.engine import DynamoDBEngine  # noqa: PLC0415
    from stratabase.store.dynamodb.table import ensure_table  # noqa: PLC0415

    client = open_dynamodb_client(settings)
    if settings.create_tables:
        try:
            ensure_table(client, settings.table)
        except Unanswered as error:
            where = f" at {settings.endpoint}" if settings.endpoint else ""
            text = f"STRATABASE_ENDPOINT: DynamoDB doesn't respond{where} ({error})."
            raise UnusableStore(text) from error
    return OffloadingEngine(DynamoDBEngine(client, settings.table))


def _signed_client(endpoint: AwsEndpoint) -> "Client":
    from stratabase.store.dynamodb.signed_client import SignedClient  # noqa: PLC0415 - see above

    return SignedClient(endpoint)


def _botocore_client(endpoint: AwsEndpoint) -> "Client":
    from stratabase.store.dynamodb.botocore_client import BotocoreClient  # noqa: PLC0415 - see above

    return BotocoreClient(endpoint)


_AWS_CLIENTS: Mapping[str, Callable[[AwsEndpoint], "Client"]] = {
    "signed": _signed_client,
    "botocore": _botocore_client,
}
"""By the value of the setting `aws_client`."""


def open_dynamodb_client(settings: Settings) -> "Client":
    """Return the client that the settings select for the DynamoDB table of the objects."""
    return _AWS_CLIENTS[settings.aws_client](_aws_endpoint(settings))


_ENGINES: Mapping[str, Callable[[Settings], Engine]] = {
    "sqlite": _sqlite_engine,
    "dynamodb": _dynamodb_engine,
}
"""By the value of the setting `store`."""


def open_engine(settings: Settings) -> Engine:
    """Return the storage engine of the objects, which checks its mark and meters its calls.

    Raises UnusableStore.
    """
    return MeteredEngine(MarkedEngine(open_unchecked_engine(settings), requirements_of(settings).objects))


def open_unchecked_engine(settings: Settings) -> Engine:
    """Return an engine that does not check its mark. Raises UnusableStore."""
    return _ENGINES[settings.store](settings)


class StoresRequired(NamedTuple):
    """What the settings require of the mark of each store."""

    objects: StoreRequirements
    members: StoreRequirements
    files: StoreRequirements


def requirements_of(settings: Settings) -> StoresRequired:
    """Return what the settings require of the marks of the stores."""
    is_remote = settings.store == "dynamodb"
    table, members = (settings.table, settings.members_table) if is_remote else ("", "")
    table_setting, members_setting = (
        ("STRATABASE_TABLE", "STRATABASE_MEMBERS_TABLE") if is_remote else ("STRATABASE_HOME",) * 2
    )
    bucket, bucket_setting = (
        settings.bucket or "",
        "STRATABASE_BUCKET" if settings.bucket else "STRATABASE_HOME",
    )
    return StoresRequired(
        StoreRequirements(StoreKind.OBJECTS, table, table_setting, settings.instance),
        StoreRequirements(StoreKind.MEMBERS, members, members_setting, settings.instance),
        StoreRequirements(StoreKind.FILES, bucket, bucket_setting, settings.instance),
    )


_PARALLEL_READS: Mapping[str, Callable[[], ParallelMap]] = {
    "sqlite": lambda: sequential_map,
    "dynamodb": lambda: ThreadedMap(_MAX_PARALLEL_READS),
}
"""By the value of the setting `store`."""


def parallel_reads_of(settings: Settings) -> ParallelMap:
    """Return the map function that reads several ranges of the engine: in parallel, or one by one."""
    return _PARALLEL_READS[settings.store]()


def parallel_commits_of(settings: Settings) -> ParallelMap | None:
    """Return the map function that commits many items to a remote engine. None: the engine is embedded."""
    return None if settings.store == "sqlite" else ThreadedMap(_MAX_PARALLEL_READS)


def _sqlite_snapshot(
    settings: Settings, _engine: Engine, _folder: Path, _report: Callable[[int], None]
) -> AbstractContextManager[ItemSnapshot]:
    from stratabase.store.sqlite.engine import BUSY_TIMEOUT  # noqa: PLC0415 - see above
    from stratabase.store.sqlite.snapshot import open_snapshot  # noqa: PLC0415

    return open_snapshot(settings.home / "objects.db", BUSY_TIMEOUT)


def _dynamodb_snapshot(
    _settings: Settings, engine: Engine, folder: Path, report: Callable[[int], None]
) -> AbstractContextManager[ItemSnapshot]:
    from stratabase.store.staged_snapshot import staged_snapshot  # noqa: PLC0415 - see above

    return staged_snapshot(engine, folder, report)


_SNAPSHOTS: Mapping[
    str, Callable[[Settings, Engine, Path, Callable[[int], None]], AbstractContextManager[ItemSnapshot]]
] = {
    "sqlite": _sqlite_snapshot,
    "dynamodb": _dynamodb_snapshot,
}
"""By the value of the setting `store`."""


def open_object_snapshot(
    settings: Settings, engine: Engine, folder: Path, report: Callable[[int], None]
) -> AbstractContextManager[ItemSnapshot]:
    """Return a context with all items of the objects, in which each object is whole. Raises Unavailable.

    On SQLite, they are from one instant. Items of DynamoDB are first copied to a temporary file in `folder`.
    `engine`: that of the settings. `report`: takes the numbers of copied objects.
    """
    return _SNAPSHOTS[settings.store](settings, engine, folder, report)


@dataclass(frozen=True, slots=True)
class MemberStores:
    """The stores of members and of sign-in attempts, and their mark. `close()` closes both."""

    members: Members
    attempts: Attempts
    mark: MarkStore
    close: Callable[[], None]


def _sqlite_member_stores(settings: Settings) -> MemberStores:
    from stratabase.adapters.members.sqlite_attempts import SqliteAttempts  # noqa: PLC0415 - imported only if it is selected
    from stratabase.adapters.members.sqlite_mark import SqliteMemberMark, mark_check  # noqa: PLC0415
    from stratabase.adapters.members.sqlite_members import SqliteMembers  # noqa: PLC0415

    check = mark_check(requirements_of(settings).members)
    members = SqliteMembers(settings.home / "members.db", check)
    attempts = SqliteAttempts(settings.home / "attempts.db")

    def close() -> None:
        members.close()
        attempts.close()

    return MemberStores(members, attempts, SqliteMemberMark(settings.home / "members.db"), close)


def _dynamodb_member_stores(settings: Settings) -> MemberStores:
    from stratabase.adapters.members.pynamodb_attempts import PynamoAttempts  # noqa: PLC0415 - see above
    from stratabase.adapters.members.pynamodb_mark import PynamoMemberMark  # noqa: PLC0415
    from stratabase.adapters.members.pynamodb_members import PynamoMembers  # noqa: PLC0415
    from stratabase.adapters.members.pynamodb_table import PynamoTable  # noqa: PLC0415

    table = PynamoTable(_aws_endpoint(settings), settings.members_table)
    if settings.create_tables:
        table.ensure()
    mark = PynamoMemberMark(table)
    table.check_before_use(MarkCheck(requirements_of(settings).members, mark.read_mark))
    return MemberStores(PynamoMembers(table), PynamoAttempts(table), mark, table.close)


_MEMBER_STORES: Mapping[str, Callable[[Settings], MemberStores]] = {
    "sqlite": _sqlite_member_stores,
    "dynamodb": _dynamodb_member_stores,
}
"""By the value of the setting `store`."""


def open_member_stores(settings: Settings) -> MemberStores:
    """Return the stores of members and of sign-in attempts. Raises UnusableStore."""
    return _MEMBER_STORES[settings.store](settings)


@contextmanager
def _sqlite_member_mark(settings: Settings) -> Iterator[MarkStore]:
    from stratabase.adapters.members.sqlite_mark import SqliteMemberMark  # noqa: PLC0415 - see above

    yield SqliteMemberMark(settings.home / "members.db")


@contextmanager
def _dynamodb_member_mark(settings: Settings) -> Iterator[MarkStore]:
    with closing(_dynamodb_member_stores(settings)) as stores:
        yield stores.mark


_MEMBER_MARKS: Mapping[str, Callable[[Settings], AbstractContextManager[MarkStore]]] = {
    "sqlite": _sqlite_member_mark,
    "dynamodb": _dynamodb_member_mark,
}
"""By the value of the setting `store`."""


def open_member_mark(settings: Settings) -> AbstractContextManager[MarkStore]:
    """Return a context with the mark of the store of members, which is not checked. Raises UnusableStore."""
    return _MEMBER_MARKS[settings.store](settings)


def open_keyring(settings: Settings) -> Keyring:
    """Return the keyring: a secret of Secrets Manager if the settings name one, otherwise a file.

    This function does not read or create the keys. The first use of the keyring does.
    """
    if settings.signing_keys is None:
        from stratabase.adapters.keyring.file import FileKeyring  # noqa: PLC0415 - see above

        return FileKeyring(settings.home)
    from stratabase.adapters.keyring.secrets_manager import (  # noqa: PLC0415 - see above
        SecretsClient,
        SecretsManagerKeyring,
    )

    return SecretsManagerKeyring(settings.signing_keys, SecretsClient(_aws_endpoint(settings)))


class ClosableBlobs(BlobStore, Protocol):
    """A blob store that can be closed, and may keep deleted bytes for some time."""

    def recover(self, key: str) -> bool:
        """Bring back the bytes that were last deleted under a key. Return False if they are not kept."""

    def close(self) -> None:
        """Close the connections, or remove the temporary files of this process."""


def open_blobs(settings: Settings) -> ClosableBlobs:
    """Return the store of the bytes of files: a bucket if the settings name one, otherwise a folder.

    Raises UnusableStore.
    """
    if settings.bucket is None:
        from stratabase.adapters.blobs.folder import FolderBlobs  # noqa: PLC0415 - see above

        return FolderBlobs(settings.home / "files", recovery_days=settings.file_recovery_days)
    from stratabase.adapters.blobs.s3 import S3Blobs  # noqa: PLC0415 - see above

    blobs = S3Blobs(_aws_endpoint(settings), settings.bucket)
    if settings.create_tables:
        blobs.ensure_bucket()
    return blobs


def _aws_endpoint(settings: Settings) -> AwsEndpoint:
    return AwsEndpoint(settings.region, settings.endpoint)
