"""The platform of this machine: SQLite, and folders and files in the data folder."""

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from email.headerregistry import Address
from pathlib import Path
from typing import TYPE_CHECKING

from stratabase.core.app.platform import ClosableBlobs, StoresRequired
from stratabase.core.domain.objects.instant import Instant
from stratabase.core.domain.store_mark import StoreKind, StoreRequirements
from stratabase.core.operations.ports import Attempts
from stratabase.core.operations.store_marks import MarkStore
from stratabase.core.settings import BadSettings, Settings
from stratabase.core.store.engine.parallel import ParallelMap, sequential_map
from stratabase.core.store.engine.port import Engine
from stratabase.core.store.engine.snapshot import ItemSnapshot
from stratabase.members.mailers.message import parse_sender
from stratabase.members.ports import ClosableQueue, Keyring, Mailer, Members

if TYPE_CHECKING:
    from stratabase.members.mailers.outbox import Outbox

_HOME = "STRATABASE_HOME"


class LocalPlatform:
    """Opens the files of the data folder. Each part imports its module when it is opened."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._home = settings.home
        self._opened = ExitStack()

    @property
    def is_embedded(self) -> bool:
        """Whether the objects and members are in files of this machine. They are."""
        return True

    @property
    def places(self) -> Mapping[str, str]:
        """The data folder."""
        return {_HOME: str(self._home.resolve())}

    @property
    def required(self) -> StoresRequired:
        """What the settings require of the marks of the stores, which have no names."""
        return StoresRequired(*(self._requirements(kind, "", _HOME) for kind in StoreKind))

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

    def index_size(self, _name: str) -> tuple[int, int] | None:
        """Return None: nobody pays for reading this store."""
        return None

    def snapshot(
        self, _engine: Engine, _folder: Path, _report: Callable[[int], None]
    ) -> AbstractContextManager[ItemSnapshot]:
        """Return a context with all items of `objects.db`, from one instant."""
        from stratabase.core.store.sqlite.engine import BUSY_TIMEOUT  # noqa: PLC0415 - see the class
        from stratabase.core.store.sqlite.snapshot import open_snapshot  # noqa: PLC0415

        return open_snapshot(self._home / "objects.db", BUSY_TIMEOUT)

    def members(self) -> Members:
        """Return the store in `members.db`."""
        from stratabase.members.stores.sqlite_mark import mark_check  # noqa: PLC0415 - see the class
        from stratabase.members.stores.sqlite_members import SqliteMembers  # noqa: PLC0415

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
        from stratabase.members.stores.sqlite_mark import SqliteMemberMark  # noqa: PLC0415 - see the class

        yield SqliteMemberMark(self._home / "members.db")

    def blobs(self) -> ClosableBlobs:
        """Return the store in the folder `files`."""
        from stratabase.core.files.folder import FolderBlobs  # noqa: PLC0415 - see the class

        return FolderBlobs(self._home / "files", recovery_days=self._settings.file_recovery_days)

    def close(self) -> None:
        """Close the stores of members and attempts that were opened."""
        self._opened.close()

    def keyring(self) -> Keyring:
        """Return the keyring in a file."""
        from stratabase.members.keys.file import FileKeyring  # noqa: PLC0415 - see the class

        return FileKeyring(self._home)

    def mailer(self) -> Mailer:
        """Return the outbox, or a client of the mail server that the settings name. Raises BadSettings."""
        if self._settings.mail == "outbox":
            return self._outbox()
        from stratabase.members.mailers.smtp import SmtpMailer, parse_smtp_url  # noqa: PLC0415 - see the class

        if self._settings.smtp is None:
            message = (
                "STRATABASE_SMTP is required when STRATABASE_MAIL is smtp. Use smtp://host:port or "
                "smtps://host:port, with user:password@ if the server requires it."
            )
            raise BadSettings([message])
        return SmtpMailer(parse_smtp_url(self._settings.smtp), self.sender())

    def check_mail(self) -> None:
        """Raise UnusableStore if the outbox can't be written, so that all mail would be lost."""
        if self._settings.mail == "outbox":
            self._outbox().check()

    def _outbox(self) -> "Outbox":
        from stratabase.members.mailers.outbox import Outbox  # noqa: PLC0415 - see the class

        return Outbox(self._home / "outbox", self.sender(), _print_to_console)

    def sender(self) -> Address:
        """Return the sender of mails. Raises BadSettings."""
        try:
            return parse_sender(self._settings.mail_from)
        except ValueError as error:
            message = f'STRATABASE_MAIL_FROM: "{self._settings.mail_from}" is not valid. {error}'
            raise BadSettings([message]) from error

    def mail_queue(self, now: Callable[[], Instant]) -> ClosableQueue:
        """Return the queue in `mail-queue.db`. Raises BadSettings on Lambda, which keeps no files."""
        if self._settings.function is not None:
            raise BadSettings(["STRATABASE_MAIL_FUNCTION is required on Lambda, which keeps no files."])
        from stratabase.members.mailers.sqlite_queue import SqliteMailQueue  # noqa: PLC0415 - see the class

        return SqliteMailQueue(self._home / "mail-queue.db", now)


def _print_to_console(line: str) -> None:
    print(line, file=sys.stderr, flush=True)  # noqa: T201 - the console is the developer's mailbox
