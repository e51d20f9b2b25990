"""The registry of stores of the audit trail, each with the members of the same store."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

from moto import mock_aws

from stratabase.members.ports import AuditTrail, Members
from stratabase.members.stores.sqlite_audit import SqliteAuditTrail
from stratabase.members.stores.sqlite_members import SqliteMembers
from stratabase_aws.endpoint import AwsEndpoint, Credentials
from stratabase_aws.members.pynamodb_audit import PynamoAuditTrail
from stratabase_aws.members.pynamodb_members import PynamoMembers
from stratabase_aws.members.pynamodb_table import PynamoTable
from tests import ministack
from tests.in_memory_members import InMemoryMembers


@dataclass(frozen=True)
class AuditStore:
    """A store of members, and the audit trail in it."""

    members: Members
    trail: AuditTrail


@dataclass(frozen=True)
class AuditImplementation:
    """A kind of store, and a context manager that opens an empty one."""

    name: str
    open: Callable[[Path], AbstractContextManager[AuditStore]]
    threads: int = 8
    """How many callers may race."""


@contextmanager
def _in_dict(_: Path) -> Iterator[AuditStore]:
    members = InMemoryMembers()
    yield AuditStore(members, members.trail)


@contextmanager
def _in_sqlite(folder: Path) -> Iterator[AuditStore]:
    members = SqliteMembers(folder / "members.db")
    yield AuditStore(members, SqliteAuditTrail(members.file))
    members.close()


@contextmanager
def _over_ministack(_: Path) -> Iterator[AuditStore]:
    table = PynamoTable(ministack.endpoint(), "audit-contract")
    table.ensure()
    yield AuditStore(PynamoMembers(table), PynamoAuditTrail(table))
    table.drop()
    table.close()


@contextmanager
def _over_moto(_: Path) -> Iterator[AuditStore]:
    with mock_aws():
        table = PynamoTable(
            AwsEndpoint("us-east-1", credentials=Credentials("test", "test")), "audit-contract"
        )
        table.ensure()
        yield AuditStore(PynamoMembers(table), PynamoAuditTrail(table))


KINDS = (
    AuditImplementation("dict", _in_dict),
    AuditImplementation("sqlite", _in_sqlite),
    AuditImplementation("dynamodb-ministack", _over_ministack),
    # It loses writes when several come at once.
    AuditImplementation("dynamodb-moto", _over_moto, threads=1),
)
CONCURRENT = tuple(kind for kind in KINDS if kind.threads > 1)
"""Those that bear several callers."""
