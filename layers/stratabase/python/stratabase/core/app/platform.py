"""The platform: where an app keeps its objects, files, and all else.

Each store in the table of features has one, such as SQLite (`members.app.local_platform`) and DynamoDB
(`stratabase_aws.app.platform`). Everything else works on each of them, and asks the platform instead of
comparing settings. A package that keeps more than the core, such as the members, says so in a protocol of its
own, which extends this one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

from stratabase.core.features import MAILERS, SERVICES, STORES, load, missing_package
from stratabase.core.operations.file_ports import BlobStore
from stratabase.core.settings import Settings, variables
from stratabase.core.unusable_store import UnusableStore

if TYPE_CHECKING:
    from stratabase.core.domain.store_mark import StoreKind, StoreRequirements
    from stratabase.core.operations.ports import Attempts
    from stratabase.core.operations.store_marks import MarkStore
    from stratabase.core.store.engine.parallel import ParallelMap
    from stratabase.core.store.engine.port import Engine
    from stratabase.core.store.engine.snapshot import ItemSnapshot


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

    def is_local(self, kind: StoreKind) -> bool:
        """Return whether a store is in the data folder, so that only processes of this machine use it."""

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

    def billed_size(self, index: str) -> tuple[int, int] | None:
        """Return the number and the bytes of the entries of an index for whose reads somebody pays.

        None if the store does not say. Both are 0 if nobody pays for reading it.
        """

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


def platform_of(settings: Settings) -> Platform:
    """Return the platform with the store that the settings name. Raises UnusableStore without its package."""
    _check_packages(settings)
    platform: Platform = load(STORES[settings.store])(settings)
    return platform


def _check_packages(settings: Settings) -> None:
    """Raise UnusableStore if something that the settings name needs a package that is not installed."""
    named = {"store": STORES[settings.store], "mail": MAILERS[settings.mail]}
    named |= {name: each for name, each in SERVICES.items() if getattr(settings, name) is not None}
    for name, reference in named.items():
        package = missing_package(reference)
        if package is not None:
            variable = dict(variables())[name].name
            raise UnusableStore(f"{variable} needs the package {package}. Install it beside stratabase.")


def open_engine(platform: Platform) -> Engine:
    """Return the storage engine of the objects, which checks its mark and meters its calls.

    Raises UnusableStore.
    """
    from stratabase.core.store.engine.wrappers import MeteredEngine  # noqa: PLC0415 - not all functions have objects
    from stratabase.core.store.marked_engine import MarkedEngine  # noqa: PLC0415

    return MeteredEngine(MarkedEngine(platform.engine(), platform.required.objects))
