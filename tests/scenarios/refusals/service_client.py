"""A client of a running service, and a view of its stored rows."""

import http.client
import json
import re
import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

from stratabase.core.store.layout.keys import REGISTRY
from stratabase_aws.dynamodb.signed_client import SignedClient
from tests import ministack
from tests.scenarios.graph_client import over_dynamodb
from tests.scenarios.refusals.case import KEY, Asked
from tests.service import PASSWORD, Reply, RunningService, basic

MODEL = Path(__file__).parents[1] / "models" / "studio.graphql"
ADDRESS = "/auth/api/graphql/Studio"
_NAME = re.compile(r"<(\w+)>")


class Answer(NamedTuple):
    """A GraphQL response and its trace ID."""

    body: Any
    trace_id: str


class StoredRows(ABC):
    """The stored rows of a service, read from outside."""

    settings: Mapping[str, str]

    @abstractmethod
    def rows(self) -> Sequence[Any]:
        """Return all stored rows but serial counters, which may have gaps, and what the store has of models.

        Any process may complete the latter when it starts, in a later request if a fault prevented it before.
        """

    @abstractmethod
    def close(self) -> None:
        """Release the storage."""


class SqliteRows(StoredRows):
    """The rows of the SQLite file in the service's data folder."""

    settings: Mapping[str, str] = {}

    def __init__(self, home: Path) -> None:
        self._file = home / "objects.db"

    def close(self) -> None:
        """Do nothing, because each read opens the file."""

    def rows(self) -> Sequence[Any]:
        with closing(sqlite3.connect(f"file:{self._file}?mode=ro", uri=True)) as connection:
            query = (
                "SELECT * FROM items WHERE partition NOT LIKE 'N#%' AND partition <> ? "
                "ORDER BY partition, sort"
            )
            return connection.execute(query, [REGISTRY.partition]).fetchall()


class DynamoDBRows(StoredRows):
    """The rows of a table of the emulator."""

    def __init__(self, home: Path) -> None:
        self._table = f"studio-{home.parent.name}"
        self._client = SignedClient(ministack.endpoint())
        self.settings = over_dynamodb(self._table)()

    def rows(self) -> Sequence[Any]:
        found = [
            item
            for page in self._pages()
            for item in page
            if not item["pk"]["S"].startswith("N#") and item["pk"]["S"] != REGISTRY.partition
        ]
        return sorted(found, key=lambda item: (item["pk"]["S"], item["sk"]["S"]))

    def close(self) -> None:
        """Close the client."""
        self._client.close()

    def _pages(self) -> Iterator[Sequence[Any]]:
        start: Mapping[str, Any] = {}
        while True:
            answer = self._client.call("Scan", {"TableName": self._table, "ConsistentRead": True, **start})
            yield answer["Items"]
            if not answer.get("LastEvaluatedKey"):
                return
            start = {"ExclusiveStartKey": answer["LastEvaluatedKey"]}


SHELVES: Mapping[str, Callable[[Path], StoredRows]] = {"sqlite": SqliteRows, "dynamodb": DynamoDBRows}


class ServiceClient:
    """A client of the service."""

    def __init__(self, service: RunningService, store: StoredRows) -> None:
        self.service = service
        self.store = store
        self.ids: dict[str, str] = {}
        """What `<ann>` and the like stand for."""
        self.labels: dict[tuple[str, str], str | None] = {}
        """By class and id: the label of each object that was created."""
        self._connection = service.connection()

    def send(
        self, body: Mapping[str, Any], authorization: str | None = None, accept: str = "application/json"
    ) -> Reply:
        """Send a request and return the response."""
        headers = {
            "Content-Type": "application/json",
            "Accept": accept,
            "Authorization": authorization or basic("admin", PASSWORD),
        }
        text = json.dumps(body)
        try:
            return self._sent(headers, text)
        except (http.client.HTTPException, OSError):  # it was idle for too long
            self._connection.close()
            return self._sent(headers, text)

    def _sent(self, headers: Mapping[str, str], text: str) -> Reply:
        return self.service.request("POST", ADDRESS, headers=headers, body=text, connection=self._connection)

    def answer(
        self, query: str, variables: Mapping[str, Any] | None = None, authorization: str | None = None
    ) -> Answer:
        """Return the response to a valid query, whatever its result."""
        reply = self.send({"query": query, "variables": self.named(variables)}, authorization)
        assert reply.status == 200, reply
        return Answer(reply.json(), reply.headers["x-amzn-requestid"])

    def ask(self, query: str, **variables: Any) -> Any:
        """Return the value of the only field of a response without errors."""
        body = self.answer(query, variables).body
        assert "errors" not in body, body["errors"]
        (value,) = body["data"].values()
        return value

    def create(self, class_name: str, name: str | None = None, shows: str = "_id", /, **data: Any) -> Any:
        """Create an object, let a name stand for its ID, and return the selected fields."""
        query = f"""mutation($data: {class_name}Create!) {{
          {class_name}___create(data: $data) {{ _id _label {shows} }} }}"""
        created = self.ask(query, data=data)
        self.labels[class_name, created["_id"]] = created.pop("_label")
        if name is not None:
            self.ids[name] = created["_id"]
        return created

    def named(self, value: Any) -> Any:
        """Return JSON in which names of objects are replaced by their IDs."""
        if isinstance(value, str):
            return _NAME.sub(lambda found: self.ids[found[1]], value)
        if isinstance(value, Mapping):
            return {key: self.named(each) for key, each in value.items()}
        return [self.named(each) for each in value] if isinstance(value, list) else value

    def asked(self, way: Asked) -> tuple[Any, Any]:
        """Send one variant of a request, and return the actual and the expected result."""
        answer = self.answer(way.query, way.arguments)
        issues = [self.labelled(issue.shown(KEY, answer.trace_id)) for issue in way.issues]
        if way.told:
            return validation_result(answer.body), {"isValid": not issues, "issues": ordered(issues)}
        errors = [error(issue) for issue in issues]
        return errors_of(answer.body), {"data": {KEY: self.named(way.shown)}, "errors": ordered(errors)}

    def labelled(self, issue: Mapping[str, Any]) -> Any:
        """Return an issue with names replaced by IDs, and with the label of its object."""
        found = self.named(issue)
        label = self.labels.get((issue["entityName"], found["entityID"]))
        if (issue["entityName"], found["entityID"]) == ("House", "1"):  # tests give the singleton other names
            label = self.ask("{ House___get { name } }")["name"]
        return found if label is None else {**found, "_label": label}

    def close(self) -> None:
        """Close the connection and the stored rows."""
        self._connection.close()
        self.store.close()


def error(issue: Mapping[str, Any], path: Sequence[str | int] = (KEY,)) -> dict[str, Any]:
    """Return an issue as an error of the service that stands at line 2, column 3."""
    locations = [{"line": 2, "column": 3}]
    return {"message": issue["userMessage"], "locations": locations, "path": [*path], "extensions": issue}


def validation_result(body: Any) -> Any:
    """Return the result of a validation with its issues in a stable order."""
    assert list(body) == ["data"], body
    result = body["data"][KEY]
    return {**result, "issues": ordered(result["issues"])}


def errors_of(body: Any) -> Any:
    """Return a response with its errors in a stable order."""
    assert "errors" in body, body
    return {**body, "errors": ordered(body["errors"])}


def ordered(found: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    return sorted(found, key=lambda each: json.dumps(each, sort_keys=True))
