"""Clients that record their requests: one returns scripted responses, one passes requests on."""

from collections.abc import Mapping
from typing import Any

from stratabase_aws.dynamodb.client import Client

Answer = Mapping[str, Any] | Exception


class ScriptedClient:
    """Returns the given responses in order, and then repeats the last one."""

    def __init__(self, *answers: Answer) -> None:
        self._answers = list(answers)
        self.asked: list[tuple[str, Mapping[str, Any]]] = []
        self.closed = False

    def call(self, operation: str, parameters: Mapping[str, Any]) -> Mapping[str, Any]:
        self.asked.append((operation, parameters))
        answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        if isinstance(answer, Exception):
            raise answer
        return answer

    def close(self) -> None:
        self.closed = True

    @property
    def operations(self) -> list[str]:
        """The operations that were requested."""
        return [operation for operation, _ in self.asked]


class WatchedClient:
    """Passes every request on and records it."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self.operations: list[str] = []

    def call(self, operation: str, parameters: Mapping[str, Any]) -> Mapping[str, Any]:
        self.operations.append(operation)
        return self._client.call(operation, parameters)

    def close(self) -> None:
        pass
