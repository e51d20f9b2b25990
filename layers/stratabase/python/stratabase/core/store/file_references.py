"""Which items of the store refer to which files: heads, closed versions, and entries of the file ledger."""

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any

import orjson

from stratabase.core.domain.files.stored_file import FileReference
from stratabase.core.store.engine.port import Engine, Item, Key
from stratabase.core.store.layout import keys


class StoredFileReferences:
    """The references in a store. It also reads those of removed attributes."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def all(self) -> Iterator[FileReference]:
        """Yield all references. This reads the whole store. Raises Unavailable."""
        return chain.from_iterable(map(_references, chain.from_iterable(self._engine.scan())))

    def still_holds(self, reference: FileReference) -> bool:
        """Return whether an item still has a reference. Raises Unavailable."""
        (item,) = self._engine.get([Key(*reference.item)])
        return item is not None and reference in [*_references(item)]


def stored_file_ids(item: Item) -> Iterator[str]:
    """Yield the IDs of the files that an item refers to, with repetitions."""
    if item.state is not None and '"fileId"' in item.state:
        yield from (file["fileId"] for file in _files(orjson.loads(item.state)))


def _references(item: Item) -> Iterator[FileReference]:
    if item.state is None or '"fileId"' not in item.state:
        return
    needs_bytes = item.key.sort.startswith(keys.VERSIONS)
    for file in _files(orjson.loads(item.state)):
        size = file.get("size")
        known = size if isinstance(size, int) else None
        yield FileReference(item.key, file["fileId"], known, _label(item.key), needs_bytes)


def _label(key: Key) -> str:
    """Return the object or version of an item, for messages."""
    name = key.partition.replace("#", " ", 1)
    if key.sort == keys.HEAD or not key.sort.startswith(keys.VERSIONS):
        return name
    return f"{name}, version {int(key.sort.removeprefix(keys.VERSIONS))}"


def _files(value: Any) -> Iterator[Mapping[str, Any]]:
    """Yield the mappings with the ID of a file in a JSON value, at any depth."""
    if isinstance(value, dict):
        if isinstance(value.get("fileId"), str):
            yield value
        for each in value.values():
            yield from _files(each)
    elif isinstance(value, list):
        for each in value:
            yield from _files(each)
