"""A process that erases an object, and kills itself before one of its calls to the stores.

Arguments: the folder of SQLite and of the files, the address and the table of an emulator or two empty texts,
the `_id` of the person, the number of the call, and the instant.
"""

import os
import signal
import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import NoReturn

from stratabase.core.domain.objects.entity import Reference
from stratabase.core.files.folder import FolderBlobs
from stratabase.core.store.engine.port import Engine
from stratabase.core.store.sqlite.engine import SqliteEngine
from stratabase_aws.dynamodb.engine import DynamoDBEngine
from stratabase_aws.dynamodb.signed_client import SignedClient
from stratabase_aws.endpoint import AwsEndpoint, Credentials
from tests.contract.engine.dynamodb import NamespacedTokens
from tests.core.operations.files.interrupted_stores import (
    Calls,
    InterruptedBlobs,
    InterruptedEngine,
    Interruption,
)
from tests.evolution.erasure_company import BOSS, Company


def kill() -> NoReturn:
    """Kill this process."""
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError


def open_engine(folder: Path, address: str, table: str) -> Engine:
    """Return an engine on the stores of the arguments."""
    if not address:
        return SqliteEngine(folder / "store.db")
    client = SignedClient(AwsEndpoint("us-east-1", address, Credentials("local", "local")))
    return DynamoDBEngine(NamespacedTokens(client, table), table)


def main(words: Sequence[str]) -> None:
    """Erase the person, unless the call with the number comes."""
    folder, address, table, id_, at, instant = words
    calls = Calls(kill)
    calls.interrupt(int(at), Interruption.STOP)
    home = Path(folder)
    with closing(FolderBlobs(home / "files")) as blobs:
        company = Company(open_engine(home, address, table), blobs)
        company.clock.instant = int(instant)
        part = company.erasures(InterruptedEngine(company.engine, calls), InterruptedBlobs(blobs, calls))
        for _step in part.steps(part.begin(Reference("Person", id_), BOSS)):
            pass


if __name__ == "__main__":
    main(sys.argv[1:])
