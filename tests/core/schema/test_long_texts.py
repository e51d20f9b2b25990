"""Pages of roles, versions and members let others proceed while they compare the long texts of one object."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from stratabase.core.domain.query.read_budget import MEGABYTE, ReadBudget
from stratabase.core.model.reading.reader import read_model
from stratabase.core.model.users import USER, with_users
from stratabase.core.schema.executor import SchemaExecutor
from stratabase.core.store.repository import Repository
from stratabase.core.store.sqlite.engine import SqliteEngine
from stratabase.members.member import Member
from stratabase.members.operations.users import UserSource
from tests.fakes import ADMINISTRATOR, fake_services
from tests.in_memory_members import InMemoryMembers

MODEL = read_model(
    """
    extend schema @application(name: "Notes") @profile(name: "Administrator", administrator: true)
    type Folder { notes: [Note!] @association(opposite: "folder") }
    type Note @class(versioned: true) { text: Text  folder: Folder @association(opposite: "notes") }
    """,
    "model.graphql",
)
LONG = "a" * 300_000
SECONDS = 20


class Api:
    """The API over a folder with a long note, and over a member with long notes.

    Each time that other requests can proceed takes them a second.
    """

    def __init__(self, folder: Path) -> None:
        self.turns = 0
        self._engine = SqliteEngine(folder / "store.db")
        member = Member("m9", "eve", "eve@example.com", "Administrator", LONG)
        services, _, _ = fake_services(MODEL)
        model = with_users(MODEL)
        users = UserSource(lambda: InMemoryMembers(member), model)
        entities = Repository(self._engine, MODEL, sources={USER: users})
        services = replace(services, model=model, entities=entities, new_budget=self._budget)
        self._executor = SchemaExecutor(services, lambda *_: None)
        made = self.ask("mutation($t: Text) { Note___create(data: {text: $t}) { _id } }", t=LONG)
        self.note = made["data"]["Note___create"]["_id"]
        self.ask("mutation($n: [ID!]!) { Folder___create(data: {notes: $n}) { _id } }", n=[self.note])
        self.turns = 0

    def _budget(self) -> ReadBudget:
        return ReadBudget(1000 * MEGABYTE, SECONDS, lambda: self.turns, self._give_way)

    def _give_way(self) -> None:
        self.turns += 1

    def ask(self, query: str, **variables: Any) -> Any:
        return json.loads(self._executor.execute(query, variables, None, ADMINISTRATOR, "trace").body)

    def close(self) -> None:
        self._engine.close()


@pytest.fixture
def api(tmp_path: Path) -> Iterator[Api]:
    api = Api(tmp_path)
    yield api
    api.close()


PAGES = {
    "a role": """query($o: NotePageOptions) {
        Folder___getPage { items { notes(options: $o) { totalCount } } }
    }""",
    "versions": """query($o: NotePageOptions, $id: ID!) {
        Note___getVersionPage(_id: $id, options: $o) { totalCount }
    }""",
    "members": "query($o: _UserPageOptions) { _User___getPage(options: $o) { totalCount } }",
}


@pytest.mark.parametrize("name", PAGES)
def test_a_page_ends_within_one_object(api: Api, name: str) -> None:
    attribute = "notes" if name == "members" else "text"
    given = {"id": api.note} if name == "versions" else {}

    def page(conditions: int) -> Any:
        searches = [{f"{attribute}___contains": f"b{number}"} for number in range(conditions)]
        return api.ask(PAGES[name], o={"filter": {"OR": searches}}, **given)

    assert "errors" not in page(2)
    assert 0 < api.turns < SECONDS
    api.turns = 0
    (error,) = page(100)["errors"]
    assert "Search long texts by fewer conditions" in error["message"]
    assert api.turns == SECONDS + 1
