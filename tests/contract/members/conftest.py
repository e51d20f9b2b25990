"""Runs each test of this suite on every store of members."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from stratabase.members.ports import Members
from tests.contract.members.stores import CONCURRENT, KINDS, MembersImplementation
from tests.soak import mostly


@pytest.fixture(params=mostly(KINDS, "dynamodb-moto"), ids=lambda kind: kind.name)
def members(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Members]:
    """An empty store."""
    kind: MembersImplementation = request.param
    with kind.open(tmp_path) as members:
        yield members


@pytest.fixture(params=CONCURRENT, ids=lambda kind: kind.name)
def concurrent(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Members]:
    """An empty store that supports concurrent callers."""
    kind: MembersImplementation = request.param
    with kind.open(tmp_path) as members:
        yield members
