"""The platform: where an instance keeps its objects, members, files, keys and mail.

There are two: this machine (`local_platform`), and AWS (`aws_platform`). Everything else works on either, and
asks the platform instead of comparing settings.
"""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import NamedTuple, Protocol

from stratabase.core.domain.objects.instant import Instant
from stratabase.core.domain.store_mark import StoreRequirements
from stratabase.core.operations.file_ports import BlobStore
from stratabase.core.operations.ports import Attempts
from stratabase.core.operations.store_marks import MarkStore
from stratabase.core.settings import Settings
from stratabase.core.store.engine.metering import MeteredEngine
from stratabase.core.store.engine.parallel import ParallelMap
from stratabase.core.store.engine.port import Engine
from stratabase.core.store.engine.snapshot import ItemSnapshot
from stratabase.core.store.marked_engine import MarkedEngine
from stratabase.members.ports import ForgottenPasswordQueue, Keyring, Mailer, Members


class StoresRequired(NamedTuple):
    """What the settings require of the mark of each store."""

    objects: StoreRequirements
    members: StoreRequirements
    files: StoreRequirements


@dataclass(frozen=True, slots=True)
class MemberStores:
    """The stores of members and of sign-in attempts, and their mark. `close()` closes both."""

    members: Members
    attempts: Attempts
    mark: MarkStore
    close: Callable[[], None]


class ClosableBlobs(BlobStore, Protocol):
    """A blob store that can be closed, and may keep deleted bytes for some time."""

    def recover(self, key: str) -> bool:
        """Bring back the bytes that were last deleted under a key. Return False if they are not kept."""

    def close(self) -> None:
        """Close the connections, or remove the temporary files of this process."""


class ClosableQueue(ForgottenPasswordQueue, Protocol):
    """A queue that can be closed."""

    def close(self) -> None:
        """Close the connections."""


class Platform(Protocol):
    """Opens everything that an instance keeps, as the settings say. All methods raise UnusableStore."""

    @property
    def is_embedded(self) -> bool:
        """Whether the objects and members are in files of this machine, which its processes share."""

    @property
    def places(self) -> Mapping[str, str]:
        """Where the objects, members and files are, by the setting that says so."""

    @property
    def required(self) -> StoresRequired:
        """What the settings require of the marks of the stores."""

    @property
    def parallel_map(self) -> ParallelMap:
        """The map function that reads several ranges of the engine: in parallel, or one by one."""

    def engine(self) -> Engine:
        """Return an engine of the objects that does not check its mark. See `open_engine`."""

    def index_size(self, name: str) -> tuple[int, int] | None:
        """Return the number and the bytes of the entries of an index, None if the store does not say."""

    def snapshot(
        self, engine: Engine, folder: Path, report: Callable[[int], None]
    ) -> AbstractContextManager[ItemSnapshot]:
        """Return a context with all items of the objects, in which each object is whole. Raises Unavailable.

        An embedded store gives those of one instant. Others are first copied to a temporary file in `folder`.
        `engine`: that of the platform. `report`: takes the numbers of copied objects.
        """

    def members(self) -> MemberStores:
        """Return the stores of members and of sign-in attempts."""

    def member_mark(self) -> AbstractContextManager[MarkStore]:
        """Return a context with the mark of the store of members, which is not checked."""

    def blobs(self) -> ClosableBlobs:
        """Return the store of the bytes of files."""

    def keyring(self) -> Keyring:
        """Return the keyring. Its first use reads or creates the keys."""

    def mailer(self) -> Mailer:
        """Return the mailer. Raises BadSettings."""

    def check_mail(self) -> None:
        """Raise UnusableStore if mails can't be written, so that all of them would be lost."""

    def mail_queue(self, now: Callable[[], Instant]) -> ClosableQueue:
        """Return the queue of requests for links of forgotten passwords. Raises BadSettings."""


LOCAL, AWS = (
    "stratabase.bootstrap.local_platform:LocalPlatform",
    "stratabase.bootstrap.aws_platform:AwsPlatform",
)


def platform_of(settings: Settings) -> Platform:
    """Return the platform that the settings select."""
    module, _, name = (AWS if settings.needs_aws else LOCAL).partition(":")
    # Imported by its name, so that a process imports only the platform that it uses.
    platform: Platform = getattr(import_module(module), name)(settings)
    return platform


def open_engine(platform: Platform) -> Engine:
    """Return the storage engine of the objects, which checks its mark and meters its calls.

    Raises UnusableStore.
    """
    return MeteredEngine(MarkedEngine(platform.engine(), platform.required.objects))
