"""Two server processes on one data folder: no update is lost, and a unique value has one owner."""

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Barrier, Thread
from typing import Any

import pytest

from tests.service import RunningService
from tests.soak import count

CLIENTS = 16
WRITES = count(8, 200)
RACES = count(8, 200)

MODEL = """
extend schema @application(name: "Hr")

"One counter for each client."
type Board @unique(attributes: ["name"]) {
  name: String
  NUMBERS
}
""".replace("NUMBERS", "\n  ".join(f"n{number}: Int" for number in range(CLIENTS)))


@pytest.fixture
def services(tmp_path: Path) -> Iterator[list[RunningService]]:
    model = tmp_path / "model.graphql"
    model.write_text(MODEL)
    started = [RunningService(tmp_path / "home", model=model).start() for _ in range(2)]
    yield started
    for service in started:
        service.stop()


def together(work: Callable[[int], Any], clients: int = CLIENTS) -> list[Any]:
    """Run a function for a number of concurrent clients, and return the results."""
    barrier, results = Barrier(clients), [None] * clients

    def run(number: int) -> None:
        barrier.wait()
        results[number] = work(number)

    threads = [Thread(target=run, args=(number,)) for number in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


@pytest.mark.soak
def test_no_update_is_lost(services: list[RunningService]) -> None:
    """Each client counts in its own attribute.

    A write over a stale state would undo another client's count.
    """
    board = services[0].graphql('mutation { Board___create(data: {name: "b"}) { _id } }')
    id_ = board["data"]["Board___create"]["_id"]

    def increment(client: int) -> None:
        service = services[client % 2]
        connection = service.connection()
        for number in range(1, WRITES + 1):
            query = (
                f'mutation {{ Board___update(data: {{_id: "{id_}", n{client}: {number}}}) {{ n{client} }} }}'
            )
            answer = service.graphql(query, connection=connection)
            assert answer == {"data": {"Board___update": {f"n{client}": number}}}
        connection.close()

    together(increment)

    fields = " ".join(f"n{number}" for number in range(CLIENTS))
    answer = services[0].graphql(f'{{ Board___get(_id: "{id_}") {{ {fields} }} }}')
    assert answer["data"]["Board___get"] == {f"n{number}": WRITES for number in range(CLIENTS)}


@pytest.mark.soak
def test_a_unique_value_has_one_owner(services: list[RunningService]) -> None:
    connections = [services[client % 2].connection() for client in range(CLIENTS)]
    for race in range(RACES):
        query = f'mutation {{ Board___create(data: {{name: "race {race}"}}) {{ _id }} }}'

        def create(client: int, query: str = query) -> str:
            answer = services[client % 2].graphql(query, connection=connections[client])
            if "errors" in answer:
                return str(answer["errors"][0]["extensions"]["issueType"])
            return "created"

        assert Counter(together(create)) == {"created": 1, "ENTITY_UNIQUE": CLIENTS - 1}
    page = services[1].graphql("{ Board___getPage { totalCount } }")["data"]["Board___getPage"]
    assert page == {"totalCount": RACES}
    for connection in connections:
        connection.close()
