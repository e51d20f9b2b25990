"""The GraphQL API over objects of the everything model, for mutations with an idempotency key."""

from dataclasses import replace
from typing import Any

from stratabase.core.domain.objects.idempotency import IdempotencyKey
from stratabase.core.model.model import Model
from stratabase.core.operations.graphql_port import GraphQLResponse
from stratabase.core.operations.ports import Ids
from stratabase.core.schema.executor import SchemaExecutor
from stratabase.core.store.engine.port import Engine, Item, Key
from stratabase.core.store.ids import TimeOrderedIds
from stratabase.core.store.repository import Repository
from tests.core.schema.graph_api import GraphApi, _failed
from tests.everything_model import EVERYTHING
from tests.fakes import NOON

CREATE = "mutation($name: String!) { Team___create(data: {name: $name}) { _id name } }"
"""A mutation that a repetition would refuse, because the name is unique."""


class KeyedApi(GraphApi):
    """Answers mutations with an idempotency key, over any engine."""

    def __init__(self, engine: Engine, ids: Ids | None = None, model: Model = EVERYTHING) -> None:
        """`ids`: by default ids that no other process makes."""
        super().__init__(Repository(engine, model, now=lambda: self.clock.instant))
        self.engine = engine
        self.services = replace(self.services, model=model, ids=ids or TimeOrderedIds())
        self.executor = SchemaExecutor(self.services, _failed)

    def send(
        self, query: str, /, key: str = "key", *, of: str | None = None, **variables: Any
    ) -> GraphQLResponse:
        """Send a mutation with a key. `of`: the fingerprint, by default that of the request."""
        fingerprint = of or f"{query} {variables}"
        return self.executor.execute(
            query, variables, None, self.caller, "trace", read_key=lambda: IdempotencyKey(key, fingerprint)
        )

    def at(self, seconds: float) -> None:
        """Set the clock, in seconds after noon."""
        self.clock.instant = NOON + round(seconds * 1000)

    def items(self) -> dict[Key, Item]:
        """Return all items of the store."""
        return {item.key: item for page in self.engine.scan() for item in page}

    def objects(self) -> dict[Key, Item]:
        """Return all items of the store but idempotency records."""
        return {key: item for key, item in self.items().items() if not key.partition.startswith("I#")}

    def records(self) -> int:
        """Return the number of idempotency records."""
        return len(self.items()) - len(self.objects())
