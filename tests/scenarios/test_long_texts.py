"""A request that compares long texts does not stop the requests of others."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.service import RunningService, running
from tests.soak import count, mostly

pytestmark = [pytest.mark.local, pytest.mark.soak]

NOTES = count(3, 40)
LENGTH = count(100_000, 300_000)
CONDITIONS = 480
ROUNDS = count(1, 10)
WIDE: dict[str, Any] = {
    "OR": [{"text___contains": "a" * (200 + number) + "b" + "a" * 200} for number in range(CONDITIONS)]
}
PAGE = "query($options: NotePageOptions) { Note___getPage(options: $options) { totalCount items { _id } } }"
REQUESTS: dict[str, tuple[str, Any]] = {
    "a filter": (PAGE, {"options": {"filter": WIDE}}),
    "a condition with many searches": (
        PAGE,
        {"options": {"filter_exp": " || ".join(f"text.contains('aaaaaaaab{n}')" for n in range(100))}},
    ),
    "a filter on a role": (
        "query($options: FolderPageOptions) { Folder___getPage(options: $options) { items { _id } } }",
        {"options": {"filter": {"notes___some": WIDE}}},
    ),
}


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    home: Path = tmp_path_factory.mktemp("notes") / "home"
    model = Path(__file__).parent / "models/notes.graphql"
    with running(home, model=model, application="Notes") as service:
        folder = 'mutation { Folder___create(data: {name: "all"}) { _id } }'
        id_ = service.graphql(folder)["data"]["Folder___create"]["_id"]
        create = "mutation($data: NoteCreate!) { Note___create(data: $data) { _id } }"
        for number in range(NOTES):
            data = {"text": "a" * LENGTH + str(number), "folder": id_}
            assert "errors" not in service.graphql(create, {"data": data})
        yield service


@pytest.mark.parametrize("name", mostly(REQUESTS, "a condition with many searches"))
def test_others_are_answered_meanwhile(service: RunningService, name: str) -> None:
    query, variables = REQUESTS[name]
    for _ in range(ROUNDS):
        answers = 0
        with ThreadPoolExecutor(1) as pool:
            running = pool.submit(service.graphql, query, variables)
            while not running.done():
                assert service.request("GET", "/public/health").status == 200
                answers += 1
        reply = running.result()
        if "errors" in reply:
            assert "Search long texts by fewer conditions" in reply["errors"][0]["message"]
        assert answers > 5
