"""A DynamoDB client that lets others write before an operation retries."""

from collections.abc import Callable, Mapping
from typing import Any

from stratabase_aws.dynamodb.client import Client
from tests.aws.dynamodb.faults import (
    Fault,
)

Act = Callable[[], Any]
_READS = frozenset({"GetItem", "BatchGetItem", "Query"})


class OvertakenClient:
    """A client whose first write has a fault, after which others write before the retry."""

    def __init__(self, client: Client, fault: Fault, others: Act) -> None:
        self._client = client
        self._fault = fault
        self._others = others
        self._happened = False

    def call(self, operation: str, parameters: Mapping[str, Any]) -> Mapping[str, Any]:
        def call() -> Mapping[str, Any]:
            return self._client.call(operation, parameters)

        def overtaken() -> Mapping[str, Any]:
            try:
                return call()
            finally:
                self._let_others()

        if self._happened or operation in _READS:
            return call()
        try:
            return self._fault(operation, overtaken)
        finally:
            self._let_others()

    def _let_others(self) -> None:
        if not self._happened:
            self._happened = True
            self._others()

    def close(self) -> None:
        pass
