"""What botocore raises, as what went wrong for those who call DynamoDB."""

from collections.abc import Mapping
from typing import Any

from stratabase.store.dynamodb.client import Rejected, Unanswered, Unreached


def trouble(error: Exception) -> Rejected | Unanswered:
    """Return what an exception of botocore's, or of the network, means."""
    from botocore import exceptions  # noqa: PLC0415 - it is loaded by now, and only then

    if isinstance(error, exceptions.ClientError):
        return _rejected(error.response)
    if isinstance(
        error,
        exceptions.NoCredentialsError
        | exceptions.PartialCredentialsError
        | exceptions.CredentialRetrievalError,
    ):
        return Rejected(type(error).__name__, 0, str(error))
    if isinstance(error, exceptions.EndpointConnectionError | exceptions.ConnectTimeoutError):
        return Unreached(str(error))
    return Unanswered(str(error))


def _rejected(response: Mapping[str, Any]) -> Rejected:
    error = response.get("Error", {})
    status = response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
    return Rejected(error.get("Code", ""), status, error.get("Message", ""), response)
