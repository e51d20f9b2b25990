"""The interface of the client that the engine needs: one call, and its errors."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Protocol

from stratabase.core.unusable_store import StoreServiceError
from stratabase_aws.error_advice import UNREACHED, settings_advice


class Client(Protocol):
    """A client that sends each request to DynamoDB once. The caller decides about retries."""

    def call(self, operation: str, parameters: Mapping[str, Any]) -> Mapping[str, Any]:
        """Send a request; return the response. Raises Rejected, Unanswered. This is thread-safe."""

    def close(self) -> None:
        """Close the connections."""


class Rejected(StoreServiceError):
    """DynamoDB has responded with an error."""

    def __init__(
        self,
        code: str,
        status: int,
        message: str = "",
        details: Mapping[str, Any] = MappingProxyType({}),
        date: str | None = None,
    ) -> None:
        super().__init__(code, status, message)
        self.code = code
        self.advice = settings_advice(code)
        self.status = status
        self.message = message
        self.found: Mapping[str, Any] | None = details.get("Item")
        """The record for which a condition failed."""
        self.reasons: Sequence[Mapping[str, Any]] = details.get("CancellationReasons") or ()
        """For a cancelled transaction: the reasons of its actions, in their order."""
        self.date = date
        """The server's time, in the format of HTTP."""


class Unanswered(StoreServiceError):
    """There was no valid response. It is unknown whether the request was executed."""


class Unreached(Unanswered):
    """The request was not sent."""

    advice = UNREACHED
