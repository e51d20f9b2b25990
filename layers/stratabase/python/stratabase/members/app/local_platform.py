"""The platform of SQLite, with everything in the data folder. The platforms of other stores extend it.

The settings can place single parts elsewhere, such as the files in a bucket, whatever the store is. The table
of features names what opens these services.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import cached_property
from typing import TYPE_CHECKING

from stratabase.core.app.platform import StoresRequired
from stratabase.core.domain.store_mark import StoreKind, StoreRequirements
from stratabase.core.features import MAILERS, load, open_service
from stratabase.core.settings import BadSettings, Settings
from stratabase.core.store.engine.parallel import ParallelMap, sequential_map

if TYPE_CHECKING:
    from pathlib import Path

    from stratabase.core.app.platform import ClosableBlobs
    from stratabase.core.domain.objects.instant import Instant
    from stratabase.core.operations.ports import Attempts
    from stratabase.core.operations.store_marks import MarkStore
    from stratabase.core.store.engine.port import Engine
    from stratabase.core.store.engine.snapshot import ItemSnapshot
    from stratabase.members.ports import AuditTrail, ClosableQueue, Keyring, Mailer, Members
    from stratabase.members.stores.sqlite_members import SqliteMembers

_HOME, _BUCKET = "STRATABASE_HOME", "STRATABASE_BUCKET"


class LocalPlatform:
    """Opens the stores in the data folder. Each part imports its module when it is opened."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._home = settings.home
        self._opened = ExitStack()

    def is_local(self, kind: StoreKind) -> bool:
        """Return whether a store is in the data folder. Only files can be elsewhere, in a bucket."""
        return kind is not StoreKind.FILES or self._settings.bucket is None

    @property
    def places(self) -> Mapping[str, str]:
        """The data folder, and the bucket."""
        return {_HOME: str(self._home.resolve()), **self._bucket}

    @property
    def _bucket(self) -> Mapping[str, str]:
        """The bucket of the files by the setting that names it, nothing if they are in the data folder."""
        bucket = self._settings.bucket
        return {} if bucket is None else {_BUCKET: bucket}

    @property
    def required(self) -> StoresRequired:
        """What the settings require of the marks of the stores, of which only a bucket has a name."""
        files, bucket = StoreKind.FILES, self._settings.bucket
        return StoresRequired(
            self._requirements(StoreKind.OBJECTS, "", _HOME),
            self._requirements(StoreKind.MEMBERS, "", _HOME),
            self._requirements(files, bucket, _BUCKET) if bucket else self._requirements(files, "", _HOME),
        )

    def _requirements(self, kind: StoreKind, place: str, setting: str) -> StoreRequirements:
        return StoreRequirements(kind, place, setting, self._settings.instance)

    @property
    def parallel_map(self) -> ParallelMap:
        """The map function that reads ranges one by one."""
        return sequential_map

    def engine(self) -> Engine:
        """Return the engine on `objects.db`."""
        from stratabase.core.store.sqlite.engine import SqliteEngine  # noqa: PLC0415 - see the class

        return SqliteEngine(self._home / "objects.db")

    def billed_size(self, _index: str) -> tuple[int, int] | None:
        """Return zeros: nobody pays for reading this store."""
        return 0, 0

    def snapshot(
        self, _engine: Engine, _folder: Path, _report: Callable[[int], None]
    ) -> AbstractContextManager[ItemSnapshot]:
        """Return a context with all items of `objects.db`, from one instant."""
        from stratabase.core.store.sqlite.engine import BUSY_TIMEOUT  # noqa: PLC0415 - see the class
        from stratabase.core.store.sqlite.snapshot import open_snapshot  # noqa: PLC0415

        return open_snapshot(self._home / "objects.db", BUSY_TIMEOUT)

    def members(self) -> Members:
        """Return the store in `members.db`."""
        return self._members

    def shortest_password(self) -> int:
        """Return the minimum length of a password that `members.db` began with."""
        return self._members.shortest_password()

    def audit_trail(self) -> AuditTrail:
        """Return the audit trail in `members.db`."""
        from stratabase.members.stores.sqlite_audit import SqliteAuditTrail  # noqa: PLC0415 - see the class

        return SqliteAuditTrail(self._members.file)

    @cached_property
    def _members(self) -> SqliteMembers:
        from stratabase.members.stores.sqlite_members import SqliteMembers, mark_check  # noqa: PLC0415 - see the class

        members = SqliteMembers(self._home / "members.db", mark_check(self.required.members))
        self._opened.callback(members.close)
        return members

    def attempts(self) -> Attempts:
        """Return the store in `attempts.db`."""
        from stratabase.core.store.sqlite.attempts import SqliteAttempts  # noqa: PLC0415 - see the class

        attempts = SqliteAttempts(self._home / "attempts.db")
        self._opened.callback(attempts.close)
        return attempts

    @contextmanager
    def member_mark(self) -> Iterator[MarkStore]:
        """Yield the mark in `members.db`."""
        from stratabase.members.stores.sqlite_members import SqliteMemberMark  # noqa: PLC0415 - see the class

        yield SqliteMemberMark(self._home / "members.db")

    def blobs(self) -> ClosableBlobs:
        """Return the store in the folder `files`, or in the service that the settings name."""
        blobs: ClosableBlobs | None = open_service("bucket", self._settings)
        if blobs is not None:
            return blobs
        from stratabase.core.files.folder import FolderBlobs  # noqa: PLC0415 - see the class

        return FolderBlobs(self._home / "files", recovery_days=self._settings.file_recovery_days)

    def close(self) -> None:
        """Close the stores of members and attempts that were opened."""
        self._opened.close()

    def keyring(self) -> Keyring:
        """Return the keyring in a file, or in the service that the settings name."""
        keyring: Keyring | None = open_service("signing_keys", self._settings)
        if keyring is not None:
            return keyring
        from stratabase.members.keys.file import FileKeyring  # noqa: PLC0415 - see the class

        return FileKeyring(self._home)

    def mailer(self) -> Mailer:
        """Return the mailer that the settings name. Raises BadSettings."""
        mailer: Mailer = load(MAILERS[self._settings.mail])(self._settings)
        return mailer

    def check_mail(self) -> None:
        """Raise UnusableStore if the outbox can't be written, so that all mail would be lost."""
        if self._settings.mail == "outbox":
            from stratabase.members.app.mailers import outbox  # noqa: PLC0415 - see the class

            outbox(self._settings).check()

    def mail_queue(self, now: Callable[[], Instant]) -> ClosableQueue:
        """Return the queue in `mail-queue.db`, or in the service that the settings name.

        Raises BadSettings on Lambda, which keeps no files.
        """
        queue: ClosableQueue | None = open_service("mail_function", self._settings)
        if queue is not None:
            return queue
        if self._settings.function is not None:
            raise BadSettings(["STRATABASE_MAIL_FUNCTION is required on Lambda, which keeps no files."])
        from stratabase.members.mailers.sqlite_queue import SqliteMailQueue  # noqa: PLC0415 - see the class

        return SqliteMailQueue(self._home / "mail-queue.db", now)
