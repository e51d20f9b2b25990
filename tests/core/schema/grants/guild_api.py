"""The GraphQL API over the guild in any store, with its callers."""

import json
from pathlib import Path
from typing import Any

from stratabase.core.domain.caller import Caller
from stratabase.core.model.model import Model
from stratabase.core.model.reading import read_model_file
from stratabase.core.operations.context import Services
from stratabase.core.operations.ports import EntityRepository
from stratabase.core.schema.executor import SchemaExecutor
from tests.core.schema.graph_api import OrderedIds
from tests.fakes import ADMINISTRATOR, FrozenClock, unlimited_budget

FILE = Path(__file__).parent.parent / "models/guild.graphql"
GUILD = read_model_file(FILE)
SMITH = Caller("m7", "smith", "Member")
SCRIBE = Caller("m8", "scribe", "Scribe")
MANAGER = Caller("m9", "manager", "Manager")


class GuildApi:
    """Sends requests as a caller, by default the administrator."""

    def __init__(self, entities: EntityRepository, model: Model = GUILD) -> None:
        self.entities = entities
        self.services = Services(model, entities, FrozenClock(), OrderedIds(), unlimited_budget)
        self.executor = SchemaExecutor(self.services, _failed)

    def body(self, query: str, caller: Caller = ADMINISTRATOR, **variables: Any) -> dict[str, Any]:
        """Send a request, and return the whole response."""
        answer = self.executor.execute(query, variables, None, caller, "trace")
        return dict(json.loads(answer.body))

    def ask(self, query: str, caller: Caller = ADMINISTRATOR, **variables: Any) -> Any:
        """Return the value of the only field of a response without errors, which repetitions don't change."""
        body = self.body(query, caller, **variables)
        assert "errors" not in body, body["errors"]
        (value,) = body["data"].values()
        if query.startswith("{"):
            assert self.body(query, caller, **variables) == self.body(query, caller, **variables) == body
        return value

    def issues(self, query: str, caller: Caller, **variables: Any) -> list[tuple[str, ...]]:
        """Return the issues of a refused request: type, path, and the names in it."""
        body = self.body(query, caller, **variables)
        assert set((body["data"] or {None: None}).values()) == {None}, body
        return [issue_summary(error["extensions"]) for error in body["errors"]]

    def create(self, class_name: str, caller: Caller = ADMINISTRATOR, /, **data: Any) -> str:
        """Create an object, and return its id."""
        query = f"mutation($data: {class_name}Create!) {{ {class_name}___create(data: $data) {{ _id }} }}"
        return str(self.ask(query, caller, data=data)["_id"])

    def master(self, name: str, level: int = 1, caller: Caller = ADMINISTRATOR, /, **data: Any) -> str:
        """Create a master, and return the id."""
        return self.create("Master", caller, name=name, level=level, **data)

    def get(self, class_name: str, id_: str, selection: str, caller: Caller = ADMINISTRATOR) -> Any:
        """Return the selected fields of an object."""
        return self.ask(f'{{ {class_name}___get(_id: "{id_}") {{ {selection} }} }}', caller)


def issue_summary(issue: dict[str, Any]) -> tuple[str, ...]:
    """Return the type and the path of an issue, and the attributes or roles that it names."""
    names = issue["attributeNames"] or issue["roleNames"] or ()
    return issue["issueType"], issue["sourceRequestReference"], *names


def _failed(error: BaseException, _: str) -> None:
    raise error
