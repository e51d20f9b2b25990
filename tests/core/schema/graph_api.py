"""The GraphQL API over objects of the everything model."""

import json
from pathlib import Path
from typing import Any

from stratabase.core.operations.context import Services
from stratabase.core.operations.ports import EntityRepository
from stratabase.core.schema.executor import SchemaExecutor
from stratabase.core.store.repository import Repository
from stratabase.core.store.sqlite.engine import SqliteEngine
from tests.everything_model import EVERYTHING, EverythingObjects
from tests.fakes import ADMINISTRATOR, CountedIds, FrozenClock, unlimited_budget


class OrderedIds(CountedIds):
    """A generator of IDs in creation order: id001, id002 …"""

    def new(self) -> str:
        return f"id{super().new().removeprefix('id'):0>3}"


class GraphApi:
    """Answers requests over stored objects. Internal failures make the test fail."""

    def __init__(self, entities: EntityRepository) -> None:
        self.entities = entities
        self.clock = FrozenClock()
        self.caller = ADMINISTRATOR
        self.serve(Services(EVERYTHING, entities, self.clock, OrderedIds(), unlimited_budget))

    def serve(self, services: Services) -> None:
        """Answer the following requests with these services."""
        self.services = services
        self.executor = SchemaExecutor(services, _failed)

    def close(self) -> None:
        """Close the store, if there is one."""
        if isinstance(self.entities, Repository):
            self.entities._engine.close()

    def body(self, query: str, **variables: Any) -> dict[str, Any]:
        """Send a request, and return the whole response."""
        answer = self.executor.execute(query, variables, None, self.caller, "trace")
        return dict(json.loads(answer.body))

    def ask(self, query: str, **variables: Any) -> Any:
        """Return the data of a response without errors. If it has one field, return only its value."""
        body = self.body(query, **variables)
        assert "errors" not in body, body["errors"]
        data = body["data"]
        return next(iter(data.values())) if len(data) == 1 else data

    def issues(self, query: str, **variables: Any) -> list[tuple[str, str]]:
        """Return the types and paths of a request's issues."""
        found = [error["extensions"] for error in self.body(query, **variables)["errors"]]
        return [(issue["issueType"], issue["sourceRequestReference"]) for issue in found]

    def create(self, class_name: str, **data: Any) -> str:
        """Create an object, and return its id."""
        query = f"mutation($data: {class_name}Create!) {{ {class_name}___create(data: $data) {{ _id }} }}"
        return str(self.ask(query, data=data)["_id"])

    def person(self, **data: Any) -> str:
        """Create a person with the required data."""
        return self.create("Person", **{**self.needs(), **data})

    def needs(self) -> dict[str, Any]:
        """Return the required data of a person, which several persons may share."""
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
        """Update an object, and return the selected fields."""
        query = (
            f"mutation($data: {class_name}Update!) {{ {class_name}___update(data: $data) {{ {selection} }} }}"
        )
        return self.ask(query, data=data)

    def get(self, class_name: str, id_: str, selection: str) -> Any:
        """Return the selected fields of an object."""
        query = f"query($id: ID!) {{ {class_name}___get(_id: $id) {{ {selection} }} }}"
        return self.ask(query, id=id_)


def _failed(error: BaseException, _: str) -> None:
    raise error


def over_a_dict(_: Path) -> GraphApi:
    return GraphApi(EverythingObjects())


def over_sqlite(folder: Path) -> GraphApi:
    return GraphApi(Repository(SqliteEngine(folder / "store.db"), EVERYTHING))
