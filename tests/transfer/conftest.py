"""Fixtures for stores to export and import."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.transfer.stores import Store


@pytest.fixture
def open_store(tmp_path: Path) -> Iterator[Callable[[str], Store]]:
    """Return a function that opens the store with a name. All are closed in the end."""
    stores: list[Store] = []

    def open_(name: str) -> Store:
        stores.append(Store(tmp_path / name))
        return stores[-1]

    yield open_
    for store in stores:
        store.close()
