"""Opens the stores of the settings to read and write their marks, without checking the marks first."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager
from dataclasses import replace
from typing import Any

from stratabase.core.app.platform import Platform, platform_of
from stratabase.core.domain.store_mark import StoreKind
from stratabase.core.operations.files.blob_mark import BlobMark
from stratabase.core.operations.store_marks import MarkedStore, MarkStore
from stratabase.core.settings import Settings
from stratabase.core.store.marked_engine import EngineMark


@contextmanager
def _objects(platform: Platform) -> Iterator[MarkStore]:
    with closing(platform.engine()) as engine:
        yield EngineMark(engine)


@contextmanager
def _files(platform: Platform) -> Iterator[MarkStore]:
    with closing(platform.blobs()) as blobs:
        yield BlobMark(blobs)


_OPENERS: Mapping[StoreKind, Callable[[Platform], AbstractContextManager[MarkStore]]] = {
    StoreKind.OBJECTS: _objects,
    StoreKind.MEMBERS: lambda platform: platform.member_mark(),
    StoreKind.FILES: _files,
}


@contextmanager
def open_marked_stores(
    settings: Settings, kinds: Sequence[StoreKind] = tuple(StoreKind)
) -> Iterator[tuple[MarkedStore, ...]]:
    """Yield the stores of these kinds, in the order of StoreKind. Raises UnusableStore."""
    with ExitStack() as opened, closing(platform_of(settings)) as platform:
        required = dict(zip(StoreKind, platform.required, strict=True))
        yield tuple(
            MarkedStore(opened.enter_context(_OPENERS[kind](platform)), required[kind])
            for kind in StoreKind
            if kind in kinds
        )


def settings_of_source(settings: Settings, kind: StoreKind, place: str) -> Settings:
    """Return the settings with another table or bucket for a kind of store, which is not created."""
    fields = {StoreKind.OBJECTS: "table", StoreKind.MEMBERS: "members_table", StoreKind.FILES: "bucket"}
    changes: dict[str, Any] = {fields[kind]: place, "create_tables": False}
    return replace(settings, **changes)
