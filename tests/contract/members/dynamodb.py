"""Stores of members over the DynamoDB emulators."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from moto import mock_aws

from stratabase.members.ports import Members
from stratabase_aws.endpoint import AwsEndpoint, Credentials
from stratabase_aws.members.pynamodb_members import PynamoMembers
from stratabase_aws.members.pynamodb_table import PynamoTable
from tests import ministack


@cache
def ministack_table() -> PynamoTable:
    """Return a shared table, because connecting is slow. Each user leaves it empty."""
    table = PynamoTable(ministack.endpoint(), "members-contract")
    table.ensure()
    return table


@cache
def _moto_table() -> PynamoTable:
    return PynamoTable(AwsEndpoint("us-east-1", credentials=Credentials("test", "test")), "members-contract")


@contextmanager
def over_ministack(_: Path) -> Iterator[Members]:
    """Yield a store over the multithreaded emulator."""
    members = PynamoMembers(ministack_table())
    yield members
    for member in members.roster().members:
        members.remove(member)


@contextmanager
def over_moto(_: Path) -> Iterator[Members]:
    """Yield a store over AWS, mocked in this process."""
    with mock_aws():
        table = _moto_table()
        table.ensure()
        yield PynamoMembers(table)
