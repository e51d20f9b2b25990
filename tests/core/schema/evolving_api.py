"""The GraphQL API over one store whose model changes, as when a service restarts with another model."""

import json
from datetime import UTC, datetime
from itertools import count
from typing import Any

from stratabase.core.domain.caller import Caller
from stratabase.core.model.reading import read_model
from stratabase.core.operations.context import Services
from stratabase.core.schema.executor import SchemaExecutor
from stratabase.core.store.engine.port import Engine
from stratabase.core.store.renamed_repository import open_repository
from stratabase.evolution.backfill.reindex import Reindex, ReindexOutcome
from tests.fakes import ADMINISTRATOR, CountedIds, FrozenClock, unlimited_budget

HEADING = 'extend schema @application(name: "Test") @profile(name: "Administrator", administrator: true)\n'
_NUMBERS = count(1)
"""DynamoDB takes commits with the same ID for one, also in different tables. So each API has its own IDs."""


class EvolvingApi:
    """Answers requests under the model that was served last."""

    def __init__(self, engine: Engine, model: str) -> None:
        self.engine = engine
        self.clock = FrozenClock()
        self._ids = CountedIds(f"api{next(_NUMBERS)}id")
        self.serve(model)

    def serve(self, model: str) -> None:
        """Serve a model, as a new process does."""
        text = model if "extend schema" in model else HEADING + model
        self.model = read_model(text, "model.graphql")
        self.entities = open_repository(self.engine, self.model)
        self.services = Services(self.model, self.entities, self.clock, self._ids, unlimited_budget)
        self.executor = SchemaExecutor(self.services, _failed)

    def reindex(self) -> list[ReindexOutcome]:
        """Build all that the model needs, while no other process serves."""
        reindex = Reindex(self.engine, self.model, sleep=lambda _: None)
        return [reindex.run(class_.name) for class_ in self.model.classes.values() if class_.is_stored]

    def body(self, query: str, caller: Caller = ADMINISTRATOR, **variables: Any) -> dict[str, Any]:
        """Send a request, and return the whole response."""
        answer = self.executor.execute(query, variables, None, caller, "trace")
        return dict(json.loads(answer.body))

    def ask(self, query: str, **variables: Any) -> Any:
        """Return the value of the only field of a response without errors."""
        body = self.body(query, **variables)
        assert "errors" not in body, body["errors"]
        (data,) = body["data"].values()
        return data

    def create(self, class_name: str, **data: Any) -> str:
        """Create an object, and return its id."""
        query = f"mutation($d: {class_name}Create!) {{ {class_name}___create(data: $d) {{ _id }} }}"
        return str(self.ask(query, d=data)["_id"])

    def update(self, class_name: str, **data: Any) -> list[str]:
        """Update an object, and return the messages of its issues."""
        query = f"mutation($d: {class_name}Update!) {{ {class_name}___update(data: $d) {{ _id }} }}"
        return self._messages(query, d=data)

    def delete(self, class_name: str, id_: str) -> list[str]:
        """Delete an existing object, and return the messages of its issues."""
        query = f"mutation($id: ID!) {{ {class_name}___delete(_id: $id) {{ deleted }} }}"
        return self._messages(query, id=id_)

    def validate_update(
        self, class_name: str, caller: Caller = ADMINISTRATOR, **data: Any
    ) -> tuple[bool, list[tuple[str, str, str]]]:
        """Return whether an update is valid, and its issues as level, type and path."""
        query = f"""query($d: {class_name}DraftUpdate!) {{ {class_name}___validateUpdate(data: $d) {{
            isValid issues {{ issueLevel issueType sourceRequestReference }} }} }}"""
        found = self.body(query, caller, d=data)["data"][f"{class_name}___validateUpdate"]
        return found["isValid"], [tuple(issue.values()) for issue in found["issues"]]

    def _messages(self, query: str, **variables: Any) -> list[str]:
        errors = self.body(query, **variables).get("errors", ())
        return [error["extensions"]["userMessage"] for error in errors]


def written(instant: int) -> str:
    """Return an instant as `atVersion` takes it."""
    moment = datetime.fromtimestamp(instant / 1000, UTC)
    return f"{moment:%d-%m-%Y %H:%M:%S}.{instant % 1000:03}"


def _failed(error: BaseException, _: str) -> None:
    raise error
