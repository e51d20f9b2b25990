"""A client over botocore, which `STRATABASE_AWS_CLIENT=botocore` selects instead of SignedClient.

It is slower, and has everything that botocore has, such as proxies with their own TLS.
"""

from collections.abc import Mapping
from functools import cache
from threading import Lock
from typing import Any

from botocore import exceptions, xform_name
from botocore.exceptions import BotoCoreError, ClientError

from stratabase_aws.deadline import DeadlineOver
from stratabase_aws.dynamodb.client import CHECKSUM_HEADER, Rejected, Unanswered, Unreached, verify_checksum
from stratabase_aws.dynamodb.errors import RequestError
from stratabase_aws.endpoint import AwsEndpoint, create_client


class BotocoreClient:
    """A DynamoDB client over botocore without retries."""

    def __init__(self, endpoint: AwsEndpoint) -> None:
        self._endpoint = endpoint
        self._lock = Lock()
        self._loaded: Any = None

    def call(self, operation: str, parameters: Mapping[str, Any]) -> Mapping[str, Any]:
        """Send a request, and return the response. Raises Rejected, Unanswered."""
        method = getattr(self.botocore_client(), _method_name(operation))
        try:
            answer: Mapping[str, Any] = method(**parameters)
        except (ClientError, BotoCoreError, OSError) as error:
            raise map_botocore_error(error) from error
        return answer

    def close(self) -> None:
        """Close the connections."""
        with self._lock:
            if self._loaded is not None:
                self._loaded.close()

    def botocore_client(self) -> Any:
        """Return the client of botocore."""
        # Created at the first call: moto mocks only clients that are created after it was started.
        with self._lock:
            # A client that was created without credentials never gets any.
            if self._loaded is None or self._loaded._request_signer._credentials is None:  # noqa: SLF001
                self._loaded = _load(self._endpoint)
            return self._loaded


def _load(endpoint: AwsEndpoint) -> Any:
    client = create_client(
        "dynamodb",
        endpoint,
        max_pool_connections=endpoint.connections,
        retries={"total_max_attempts": 1},
        parameter_validation=False,
        tcp_keepalive=True,
    )
    client.meta.events.register("before-parse.dynamodb", _check)
    return client


def _check(response_dict: Mapping[str, Any], **_: Any) -> None:
    """Refuse a response with a wrong checksum. Without retries, botocore itself does not check it."""
    verify_checksum(response_dict["headers"].get(CHECKSUM_HEADER), response_dict["body"])


@cache
def _method_name(operation: str) -> str:
    return str(xform_name(operation))


def map_botocore_error(error: Exception) -> RequestError:
    """Return the request error that an exception of botocore or of the network stands for."""
    if isinstance(error, exceptions.ClientError):
        return _map_response(error.response)
    if isinstance(
        error,
        exceptions.NoCredentialsError
        | exceptions.PartialCredentialsError
        | exceptions.CredentialRetrievalError,
    ):
        return Rejected(type(error).__name__, 0, str(error))
    if isinstance(error, DeadlineOver | exceptions.EndpointConnectionError | exceptions.ConnectTimeoutError):
        return Unreached(str(error))
    return Unanswered(str(error))


def _map_response(response: Mapping[str, Any]) -> Rejected:
    error = response.get("Error", {})
    status = response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
    return Rejected(error.get("Code", ""), status, error.get("Message", ""), response)
