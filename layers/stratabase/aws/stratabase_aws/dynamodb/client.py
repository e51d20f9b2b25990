"""The interface of the client that the engine needs: one call, and its errors."""

import zlib
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Protocol

from stratabase.core.unusable_store import StoreServiceError

_NO_CREDENTIALS = (
    "The AWS credentials are missing. Set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, and "
    "set AWS_REGION. For an emulator, set STRATABASE_ENDPOINT, AWS_ACCESS_KEY_ID=local and "
    "AWS_SECRET_ACCESS_KEY=local."
)
_WRONG_CREDENTIALS = (
    "AWS refuses the credentials. Check AWS_PROFILE, or AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and "
    "AWS_SESSION_TOKEN."
)
_ADVICE: Mapping[str, str] = {
    **dict.fromkeys(("NoCredentialsError", "NoCredentials", "PartialCredentialsError"), _NO_CREDENTIALS),
    **dict.fromkeys(
        ("UnrecognizedClientException", "InvalidSignatureException", "ExpiredTokenException"),
        _WRONG_CREDENTIALS,
    ),
    "AccessDeniedException": "The AWS credentials don't allow this. Check the account and its policies.",
    "ResourceNotFoundException": (
        "The table doesn't exist. Check the names of the tables, AWS_REGION and STRATABASE_ENDPOINT."
    ),
}
"""By code of an error of AWS, or of the search for credentials: what to set."""
UNREACHED = "DynamoDB doesn't respond. Check AWS_REGION, STRATABASE_ENDPOINT and the network."


def settings_advice(code: str) -> str | None:
    """Return what to set after an error with a code, None if the settings are not the reason."""
    return _ADVICE.get(code)


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


CHECKSUM_HEADER = "x-amz-crc32"


def verify_checksum(checksum: str | None, content: bytes) -> None:
    """Raise Unanswered if the content of a response does not match its checksum."""
    if checksum is not None and checksum != str(zlib.crc32(content)):
        raise Unanswered("The answer's checksum is wrong.")
