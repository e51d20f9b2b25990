"""The platform: where an app keeps its objects, files, and all else.

There are two: this machine (`members.app.local_platform`), and AWS (`stratabase_aws.app.platform`).
Everything else works on either, and asks the platform instead of comparing settings. A package that keeps
more than the core, such as the members, says so in a protocol of its own, which extends this one.
"""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import NamedTuple, Protocol

from stratabase.core.app.features import load
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
from stratabase.core.unusable_store import UnusableStore


class StoresRequired(NamedTuple):
    """What the settings require of the mark of each store."""

    objects: StoreRequirements
    members: StoreRequirements
    files: StoreRequirements


class ClosableBlobs(BlobStore, Protocol):
    """A blob store that can be closed, and may keep deleted bytes for some time."""

    def recover(self, key: str) -> bool:
        """Bring back the bytes that were last deleted under a key. Return False if they are not kept."""

    def close(self) -> None:
        """Close the connections, or remove the temporary files of this process."""


class Platform(Protocol):
    """Opens what an app keeps, as the settings say. All methods raise UnusableStore."""

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

    def member_mark(self) -> AbstractContextManager[MarkStore]:
        """Return a context with the mark of the store of members, which is not checked."""

    def blobs(self) -> ClosableBlobs:
        """Return the store of the bytes of files."""

    def attempts(self) -> Attempts:
        """Return the store of attempts, which limits count. `close` closes it."""

    def close(self) -> None:
        """Close what this platform has opened, but the engine and the blobs, which have a `close`."""


_AWS_PACKAGE = "stratabase_aws"
_LOCAL = "stratabase.members.app.local_platform:LocalPlatform"
_AWS = f"{_AWS_PACKAGE}.app.platform:AwsPlatform"


def platform_of(settings: Settings) -> Platform:
    """Return the platform that the settings select. Raises UnusableStore if its package is not installed."""
    try:
        platform: Platform = load(_AWS if settings.needs_aws else _LOCAL)(settings)
    except ModuleNotFoundError as error:
        if error.name != _AWS_PACKAGE:
            raise
        raise UnusableStore(
            "The settings name services of AWS, which need the package stratabase-aws. Install it beside "
            "stratabase."
        ) from error
    return platform


def open_engine(platform: Platform) -> Engine:
    """Return the storage engine of the objects, which checks its mark and meters its calls.

    Raises UnusableStore.
    """
    return MeteredEngine(MarkedEngine(platform.engine(), platform.required.objects))
