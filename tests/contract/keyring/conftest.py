"""Runs each test of this suite on every keyring."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from stratabase.members.ports import Keyring
from tests.contract.keyring.keyrings import KINDS, KeyringImplementation, Open


@pytest.fixture(params=KINDS, ids=lambda kind: kind.name)
def kind(request: pytest.FixtureRequest) -> KeyringImplementation:
    """A kind of keyring."""
    kind: KeyringImplementation = request.param
    return kind


@pytest.fixture
def open_(kind: KeyringImplementation, tmp_path: Path) -> Iterator[Open]:
    """Return a function that opens a keyring. It can be called several times."""
    with kind.place(tmp_path) as open_:
        yield open_


@pytest.fixture
def keyring(open_: Open) -> Keyring:
    """A new keyring."""
    return open_()
