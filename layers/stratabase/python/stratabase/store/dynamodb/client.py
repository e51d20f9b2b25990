"""The client that the engine needs: one call, and the errors that can come of it."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Protocol


class Client(Protocol):
    """Sends requests to DynamoDB, each once: the caller decides about another attempt."""

    def call(self, operation: str, parameters: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the answer. Raises Rejected, Unanswered. Many threads may call at the same time."""

    def close(self) -> None:
        """Let go of the connections."""


class Rejected(Exception):
    """DynamoDB answered with an error: it does not do it, or something went wrong when it did."""

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
        self.status = status
        self.message = message
        self.found: Mapping[str, Any] | None = details.get("Item")
        """The record that a condition did not hold for."""
        self.reasons: Sequence[Mapping[str, Any]] = details.get("CancellationReasons") or ()
        """Of a cancelled transaction: what each of its actions came to, in their order."""
        self.date = date
        """The server's time, as HTTP writes it."""


class Unanswered(Exception):
    """No answer that can be trusted came. The request may have been carried out or not."""


class Unreached(Unanswered):
    """The request was not even sent."""


"""The header with the checksum of an answer's body."""
