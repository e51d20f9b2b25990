"""A process that competes for locks: run `python -m tests.core.store.competing_locker NAME STORE WHERE`.

It prints `ready`. Each line of the input lists the objects that each of its members wants. All members try at
once. The output is JSON: for each member, the holders of the locks because of which the call was refused, or
an empty list.
"""

import json
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from stratabase.core.domain.objects.commit_refusals import LockRefused
from stratabase.core.store.engine.port import Engine
from stratabase.core.store.sqlite.engine import SqliteEngine
from stratabase_aws.dynamodb.engine import DynamoDBEngine
from stratabase_aws.dynamodb.signed_client import SignedClient
from stratabase_aws.endpoint import AwsEndpoint, Credentials
from tests.contract.engine.engine_calls import run_concurrently
from tests.core.store.graphs import Objects, class_with
from tests.core.store.locking import Member
from tests.models import model

MODEL = model(class_with("Thing"))


def things(engine: Engine) -> Objects:
    """Return the objects that all processes share."""
    return Objects(engine, MODEL, "")


def opened(store: str, where: str) -> Engine:
    """Open the store that all processes share."""
    if store == "sqlite":
        return SqliteEngine(Path(where), busy_timeout=60)
    address, table = where.split(" ")
    return DynamoDBEngine(SignedClient(AwsEndpoint("us-east-1", address, Credentials("test", "test"))), table)


def tried(member: Member, ids: Sequence[str]) -> list[str]:
    """Try to lock objects together. Return the holders of existing locks if the call is refused."""
    try:
        member.lock(*(member.objects.reference("Thing", id_) for id_ in ids))
    except LockRefused as refusal:
        return [*(lock.name for _, lock in refusal.locks), *map(str, refusal.missing)]
    return []


def main(name: str, store: str, where: str) -> None:
    """Run the races that the input requests, until it ends."""
    engine = opened(store, where)
    objects = things(engine)
    print("ready", flush=True)  # noqa: T201 - how processes talk here
    for line in sys.stdin:
        wanted: dict[str, list[str]] = json.loads(line)
        members = [Member(objects, f"{name}{each}") for each in wanted]
        held = run_concurrently(
            *(partial(tried, *each) for each in zip(members, wanted.values(), strict=True))
        )
        result = {member.name: names for member, names in zip(members, held, strict=True)}
        print(json.dumps(result), flush=True)  # noqa: T201
    engine.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
