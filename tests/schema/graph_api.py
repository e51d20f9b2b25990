"""The GraphQL API over objects of the everything model."""

import json
from pathlib import Path
from typing import Any

from stratabase.operations.ports import EntityRepository
from stratabase.operations.services import Services
from stratabase.schema.executor import SchemaExecutor
from stratabase.store.repository import Repository
from stratabase.store.sqlite.engine import SqliteEngine
from tests.everything_model import EVERYTHING, EverythingObjects
from tests.fakes import ADMINISTRATOR, CountedIds, FrozenClock, unlimited_budget


class OrderedIds(CountedIds):
    """A generator of IDs in creation order: id001, id002 …"""

    def new(self) -> str:
        return f"id{super().new().removeprefix('id'):0>3}"


class GraphApi:
    """Answers requests over stored objects, and expects no internal failure."""

    def __init__(self, entities: EntityRepository) -> None:
        self.entities = entities
        self.clock = FrozenClock()
        self.caller = ADMINISTRATOR
        self.services = Services(EVERYTHING, entities, self.clock, OrderedIds(), unlimited_budget)
        self.executor = SchemaExecutor(self.services, _failed)

    def close(self) -> None:
        """Close the store, if the objects are in one."""
        if isinstance(self.entities, Repository):
            self.entities._engine.close()

    def body(self, query: str, **variables: Any) -> dict[str, Any]:
        """Return all of an answer."""
        answer = self.executor.execute(query, variables, None, self.caller, "trace")
        return dict(json.loads(answer.body))

    def ask(self, query: str, **variables: Any) -> Any:
        """Return what an answer without errors holds: of its only field, if it has but one."""
        body = self.body(query, **variables)
        assert "errors" not in body, body["errors"]
        data = body["data"]
        return next(iter(data.values())) if len(data) == 1 else data

    def issues(self, query: str, **variables: Any) -> list[tuple[str, str]]:
        """Return the issues of a request: their types, and the places that they mean."""
        found = [error["extensions"] for error in self.body(query, **variables)["errors"]]
        return [(issue["issueType"], issue["sourceRequestReference"]) for issue in found]

    def create(self, class_name: str, **data: Any) -> str:
        """Make an object, and return its id."""
        query = f"mutation($data: {class_name}Create!) {{ {class_name}___create(data: $data) {{ _id }} }}"
        return str(self.ask(query, data=data)["_id"])

    def person(self, **data: Any) -> str:
        """Make a person, with what every one must have."""
        return self.create("Person", **{**self.needs(), **data})

    def needs(self) -> dict[str, Any]:
        """Return what must be given of a person, which other persons may share."""
        team = self.create("Team", name=self.services.ids.new())
        skill = self.create("Skill", name="sing")
        return {
            "last_name": "Li",
            "team": team,
            "skills": [skill],
            "contract": {"starts_on": "2020-01-31"},
            "phones": [{"digits": "1"}],
        }

    def update(self, class_name: str, selection: str, **data: Any) -> Any:
        """Change an object, and return what is selected of it."""
        query = (
            f"mutation($data: {class_name}Update!) {{ {class_name}___update(data: $data) {{ {selection} }} }}"
        )
        return self.ask(query, data=data)

    def get(self, class_name: str, id_: str, selection: str) -> Any:
        """Return what is selected of an object."""
        query = f"query($id: ID!) {{ {class_name}___get(_id: $id) {{ {selection} }} }}"
        return self.ask(query, id=id_)


def _failed(error: BaseException, _: str) -> None:
    raise error


def over_a_dict(_: Path) -> GraphApi:
    return GraphApi(EverythingObjects())


def over_sqlite(folder: Path) -> GraphApi:
    return GraphApi(Repository(SqliteEngine(folder / "store.db"), EVERYTHING))
