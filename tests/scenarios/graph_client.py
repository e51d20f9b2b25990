"""A client of a service that serves the everything model over either engine."""

from collections.abc import Callable, Mapping
from itertools import count
from typing import Any

from tests import ministack
from tests.service import RunningService

Settings = Callable[[], Mapping[str, str]]


def over_sqlite() -> Mapping[str, str]:
    """Return the settings of a service that stores objects in a file."""
    return {}


def over_dynamodb(table: str) -> Settings:
    """Return a function that makes the settings of a service with its own tables in the emulator."""
    return lambda: {
        "STRATABASE_STORE": "dynamodb",
        "STRATABASE_ENDPOINT": str(ministack.endpoint().url),
        "STRATABASE_CREATE_TABLES": "on",
        "STRATABASE_TABLE": table,
        "STRATABASE_MEMBERS_TABLE": f"{table}-members",
        "AWS_ACCESS_KEY_ID": "local",
        "AWS_SECRET_ACCESS_KEY": "local",
    }


class Client:
    """A GraphQL client of a service, which signs in as a member."""

    def __init__(self, service: RunningService, username: str = "admin") -> None:
        self.username = username
        self._service = service
        self._names = map(str, count())

    def body(self, query: str, **variables: Any) -> Any:
        """Send a request, and return the whole response."""
        return self._service.graphql(query, variables, username=self.username)

    def ask(self, query: str, **variables: Any) -> Any:
        """Return the value of the only field of a response without errors."""
        body = self.body(query, **variables)
        assert "errors" not in body, body["errors"]
        (value,) = body["data"].values()
        return value

    def ask_again(self, query: str, **variables: Any) -> Any:
        """Do the same as `ask` for a query, and assert that it gives the same response three times."""
        first, *others = (self.ask(query, **variables) for _ in range(3))
        assert others == [first, first]
        return first

    def create(self, class_name: str, **data: Any) -> str:
        """Create an object, and return its id."""
        query = f"mutation($data: {class_name}Create!) {{ {class_name}___create(data: $data) {{ _id }} }}"
        return str(self.ask(query, data=data)["_id"])

    def person(self, **data: Any) -> tuple[str, str]:
        """Create a person in a team, and return the ids of both."""
        team = data.get("team") or self.team()
        return self.create("Person", **{**self.needs(team), **data}), team

    def team(self) -> str:
        """Create a team, and return its id."""
        return self.create("Team", name=next(self._names))

    def needs(self, team: str) -> dict[str, Any]:
        """Return the required data of a person in a team."""
        return {
            "last_name": "Li",
            "team": team,
            "skills": [self.create("Skill", name="sing")],
            "phones": [{"digits": "1"}],
            "contract": {"starts_on": "2020-01-31"},
        }
