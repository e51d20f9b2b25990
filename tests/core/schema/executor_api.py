"""GraphQL requests to the schema package over in-memory objects."""

import json
from typing import Any

from stratabase.core.domain.caller import Caller
from stratabase.core.domain.objects.entity import Entity, Reference
from stratabase.core.operations.graphql_port import GraphQLResponse
from stratabase.core.schema.execution.limits import ExecutionPolicy
from stratabase.core.schema.executor import SchemaExecutor
from tests.fakes import ADMINISTRATOR, fake_services
from tests.models import THINGS


class ExecutorApi:
    """The schema package over a few objects, with a record of its reports."""

    def __init__(self, *, compile_answers: bool = True, **policy: Any) -> None:
        services, self.entities, self.clock = fake_services(THINGS)
        self.reported: list[tuple[BaseException, str]] = []
        self.executor = SchemaExecutor(
            services,
            lambda error, trace: self.reported.append((error, trace)),
            ExecutionPolicy(**policy),
            compile_answers=compile_answers,
        )

    def answer(self, query: str, caller: Caller = ADMINISTRATOR, **variables: Any) -> GraphQLResponse:
        return self.executor.execute(query, variables, None, caller, "trace1")

    def ask(self, query: str, caller: Caller = ADMINISTRATOR, **variables: Any) -> Any:
        return json.loads(self.answer(query, caller, **variables).body)

    def refusals(self, query: str, **variables: Any) -> list[dict[str, Any]]:
        return [error["extensions"] for error in self.ask(query, **variables)["errors"]]

    def put(self, id_: str, **state: Any) -> None:
        reference = Reference("Thing", id_)
        self.entities.objects[reference] = Entity(reference, {"_id": id_, **state})

    def query(self, options: str) -> Any:
        self.ask(f"{{ Thing___getPage(options: {options}) {{ totalCount }} }}")
        (query,) = self.entities.queries
        return query
