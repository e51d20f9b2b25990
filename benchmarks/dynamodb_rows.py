"""The CPU time of requests on DynamoDB, beside that of a bare request to DynamoDB, which is only signed.

The function `graphql` answers events in a process of its own, and an emulator runs in another one, so that
the figures contain the whole request but not the work of the store.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from itertools import count, cycle
from pathlib import Path
from typing import Any

from benchmarks import staff
from benchmarks.function_process import FUNCTIONS, ROOT, proxy_event
from benchmarks.function_rows import ADMINISTRATOR
from benchmarks.http_rows import CREATE, FIELDS, GET, PAGE, UPDATE
from benchmarks.table import Figure, print_table
from benchmarks.trace import Handler, load_handler
from stratabase.core.domain.objects.entity import Reference
from stratabase.core.settings import Settings
from stratabase.core.store.layout import keys
from stratabase.terminal.settings import EMULATOR_CREDENTIALS
from stratabase_aws.app.platform import DynamoDBPlatform
from stratabase_aws.commands.emulator import BUCKET, emulator
from stratabase_aws.dynamodb.client import Client
from stratabase_aws.dynamodb.records import key_record
from tests.service import PASSWORD, basic

OBJECTS = 500
ROUNDS = 20
"""How often each case is measured, in short turns. The least figure counts."""
PLAIN_PAGE = PAGE.replace("$salary: Real!, ", "").replace("filter: {salary___gte: $salary}, ", "")
BARE = "bare GetItem"
MAX_RATIOS = {"get": 6, "page of 50": 26, "page of 50, filtered": 52, "create": 12, "update": 12}
"""The limits of the CPU time of requests, in bare requests."""

Event = Mapping[str, Any]


def main(folder: Path) -> None:
    """Run the function in a process on an emulator, and print its figures."""
    model = folder / "staff.graphql"
    model.write_text(staff.MODEL)
    with emulator() as address:
        settings = {
            "STRATABASE_HOME": str(folder),
            "STRATABASE_MODEL": str(model),
            "STRATABASE_ADMIN_PASSWORD": PASSWORD,
            "STRATABASE_LOG_LEVEL": "ERROR",
            "STRATABASE_STORE": "dynamodb",
            "STRATABASE_ENDPOINT": address,
            "STRATABASE_CREATE_TABLES": "on",
            "STRATABASE_BUCKET": BUCKET,
            **EMULATOR_CREDENTIALS,
        }
        environment = {**os.environ, **settings}
        subprocess.run([sys.executable, "-c", ADMINISTRATOR], check=True, env=environment)
        command = [sys.executable, "-m", "benchmarks.dynamodb_rows"]
        done = subprocess.run(command, check=True, env=environment, cwd=ROOT, stdout=subprocess.PIPE)
    taken = json.loads(done.stdout)
    figures = [Figure(name, value * 1000, "ms") for name, value in taken.items()]
    ratios = [
        Figure(name, taken[name] / taken[BARE], "times", MAX_RATIOS.get(name))
        for name in taken
        if name != BARE
    ]
    print_table(f"CPU of requests on DynamoDB, {OBJECTS:,} objects", figures)
    print_table(f"CPU of requests on DynamoDB, {OBJECTS:,} objects, in times the {BARE}", ratios)


def measure() -> Mapping[str, float]:
    """Return the least CPU seconds of each case. The environment has the settings of the store."""
    settings = Settings.from_environment(os.environ)
    handler = load_handler(FUNCTIONS / "graphql" / "app.py")
    with (
        closing(staff.Staff(settings.home, settings)) as filled,
        closing(DynamoDBPlatform(settings).dynamodb_client()) as client,
    ):
        filled.grow(OBJECTS)
        taken: dict[str, float] = {}
        cases = {name: (number, _answer(handler, events)) for name, number, events in _requests(filled.ids)}
        cases |= {BARE: (50, _get_item(client, settings.table, filled.ids[0]))}
        for _ in range(ROUNDS):
            for name, (number, run) in cases.items():
                seconds = _seconds(run, number)
                taken[name] = min(seconds, taken.get(name, seconds))
    return {BARE: taken[BARE], **taken}


def _requests(ids: Sequence[str]) -> Iterator[tuple[str, int, Iterator[Event]]]:
    """Yield the name of each case, how many requests a turn has, and the requests."""
    new = count(1)
    changes = ({"_id": id_, "salary": str(1_000 + next(new))} for id_ in cycle(ids))
    with_team = PAGE.replace("FIELDS", "FIELDS team { name }")
    yield "get", 40, (_event(GET, {"id": id_}) for id_ in cycle(ids))
    yield "page of 50", 8, _pages(PLAIN_PAGE)
    yield "page of 50, filtered", 6, _pages(PAGE)
    yield "page of 50, filtered, with the team of each", 5, _pages(with_team)
    inputs = map(staff.as_sent, staff.employees("d"))
    yield "create", 10, (_event(CREATE, {"data": data}) for data in inputs)
    yield "update", 10, (_event(UPDATE, {"data": change}) for change in changes)


def _pages(query: str) -> Iterator[Event]:
    """Yield requests for a page, with different values of the filter if there is one."""
    text = query.replace("FIELDS", FIELDS)
    for salary in cycle(range(staff.LEAST_SALARY - 50, staff.LEAST_SALARY + 50)):
        filter_ = {"salary": str(salary)} if "$salary" in text else {}
        yield _event(text, {"size": 50, **filter_})


def _event(query: str, variables: Mapping[str, object]) -> Event:
    path, resource = f"/auth/api/graphql/{staff.APPLICATION}", "/auth/api/graphql/{application}"
    event = proxy_event("POST", path, resource, None, {"query": query, "variables": variables})
    authorization = basic("admin", PASSWORD)
    event["headers"]["Authorization"] = authorization
    event["multiValueHeaders"]["Authorization"] = [authorization]
    return event


def _answer(handler: Handler, events: Iterator[Event]) -> Callable[[], object]:
    """Return a function that answers the next event. It raises AssertionError if the answer has errors."""

    def answer() -> None:
        body = handler(next(events), None)["body"]
        assert '"errors"' not in body, body

    return answer


def _get_item(client: Client, table: str, id_: str) -> Callable[[], object]:
    """Return a function that sends a bare request."""
    key = key_record(keys.head(Reference("Employee", id_)))
    return lambda: client.call("GetItem", {"TableName": table, "Key": key, "ConsistentRead": True})


def _seconds(run: Callable[[], object], number: int) -> float:
    began = time.process_time()
    for _ in range(number):
        run()
    return (time.process_time() - began) / number


if __name__ == "__main__":
    print(json.dumps(measure()))
