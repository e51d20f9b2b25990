"""Clients repeat mutations with an Idempotency-Key after lost answers, crashes, and at the same time."""

import json
import random
from collections.abc import Iterator
from pathlib import Path
from threading import Barrier, Event, Thread
from typing import Any

import pytest

from tests.service import PASSWORD, Reply, RunningService, basic
from tests.soak import count, seed

KILLS = count(1, 60)
RACES = count(8, 500)
CREATE = (
    "mutation($data: EmployeeCreate!) { Employee___create(data: $data) { _id badge email team { name } } }"
)


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    service = RunningService(tmp_path_factory.mktemp("keys") / "home").start()
    service.add_member("rosa")
    yield service
    service.stop()


def send(
    service: RunningService, query: str, key: str | None, username: str = "admin", **variables: Any
) -> Reply:
    headers = {"Content-Type": "application/json", "Authorization": basic(username, PASSWORD)}
    return service.request(
        "POST",
        "/auth/api/graphql/Hr",
        headers=headers if key is None else {**headers, "Idempotency-Key": key},
        body=json.dumps({"query": query, "variables": variables}),
    )


def employee(email: str) -> dict[str, str]:
    return {"first_name": "Ada", "last_name": "King", "email": email}


def test_a_repeated_create_gets_the_first_answer(service: RunningService) -> None:
    first = send(service, CREATE, '"order-1"', data=employee("ada@example.com"))
    again = send(service, CREATE, "order-1", data=employee("ada@example.com"))

    assert (first.status, again.status) == (200, 200)
    assert "errors" not in first.json()
    assert again.body == first.body
    assert "idempotent-replayed" not in first.headers
    assert again.headers["idempotent-replayed"] == "true"


@pytest.mark.soak
def test_of_two_requests_at_once_one_writes(service: RunningService) -> None:
    """Meetings have no unique values, so only the key prevents a second one."""
    created = send(service, CREATE, None, data=employee("meeting@example.com")).json()
    query = """mutation($name: String!) { Meeting___create(
      data: {subject: $name, starts_at: "01/01/2027 10:00", attendees: ["ID"]}) { _id subject } }"""
    query = query.replace("ID", created["data"]["Employee___create"]["_id"], 1)
    for number in range(RACES):
        _race(service, query, f"race-{number}")
    page = service.graphql("{ Meeting___getPage(options: {next: 1}) { totalCount } }")
    assert page["data"]["Meeting___getPage"]["totalCount"] == RACES


def _race(service: RunningService, query: str, key: str) -> None:
    together = Barrier(2)
    replies: list[Reply] = []

    def act() -> None:
        together.wait()
        replies.append(send(service, query, key, name=key))

    threads = [Thread(target=act) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [reply.status for reply in replies] == [200, 200]
    assert "errors" not in replies[0].json(), replies[0].body
    assert replies[0].body == replies[1].body


@pytest.mark.long
@pytest.mark.soak
def test_after_a_crash_a_repetition_completes_each_write_once(tmp_path: Path) -> None:
    choice = random.Random(seed())
    service = RunningService(tmp_path / "home").start()
    sent: dict[str, bytes | None] = {}
    for kill in range(KILLS):
        threads = [Thread(target=_write, args=(service, f"{kill}-{client}", sent)) for client in range(8)]
        for thread in threads:
            thread.start()
        Event().wait(choice.uniform(0.005, 0.2))
        service.kill()
        for thread in threads:
            thread.join()
        service.start()
        for key in [key for key, answer in sent.items() if answer is None]:
            sent[key] = _create(service, key)
    for key, answer in sent.items():
        assert _create(service, key) == answer
    page = service.graphql("{ Employee___getPage(options: {next: 1}) { totalCount } }")
    service.stop()
    assert page["data"]["Employee___getPage"]["totalCount"] == len(sent) >= KILLS


def _write(service: RunningService, name: str, sent: dict[str, bytes | None]) -> None:
    """Create employees until the service is killed."""
    number = 0
    try:
        while True:
            number += 1
            key = f"{name}-{number}"
            sent[key] = None
            sent[key] = _create(service, key)
    except OSError:
        pass


def _create(service: RunningService, key: str) -> bytes:
    reply = send(service, CREATE, key, data=employee(f"{key}@example.com"))
    assert reply.status == 200
    assert "errors" not in reply.json()
    return reply.body
