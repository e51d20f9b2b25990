"""A client over botocore, which is loaded when it is first needed, because that takes long."""

from collections.abc import Mapping
from functools import cache
from threading import Lock
from typing import Any

from stratabase.store.dynamodb.aws import Endpoint, new_session
from stratabase.store.dynamodb.client import CHECKSUM_HEADER, verify_checksum
from stratabase.store.dynamodb.errors import map_botocore_error


class BotoClient:
    """Calls DynamoDB as botocore does, with its own retries off."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._lock = Lock()
        self._loaded: Any = None

    def call(self, operation: str, parameters: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the answer. Raises Rejected, Unanswered."""
        from botocore import exceptions  # noqa: PLC0415 - only now

        method = getattr(self._client(), _method(operation))
        try:
            answer: Mapping[str, Any] = method(**parameters)
        except (exceptions.ClientError, exceptions.BotoCoreError, OSError) as error:
            raise map_botocore_error(error) from error
        return answer

    def close(self) -> None:
        """Let go of the connections."""
        with self._lock:
            if self._loaded is not None:
                self._loaded.close()

    def _client(self) -> Any:
        with self._lock:
            if self._loaded is None:
                self._loaded = _load(self._endpoint)
            return self._loaded


def _load(endpoint: Endpoint) -> Any:
    from botocore.config import Config  # noqa: PLC0415 - only now

    config = Config(
        connect_timeout=endpoint.connect_timeout,
        read_timeout=endpoint.read_timeout,
        max_pool_connections=endpoint.connections,
        retries={"total_max_attempts": 1},
        parameter_validation=False,
        tcp_keepalive=True,
    )
    access_key, secret_key, token = endpoint.credentials or (None, None, None)
    client = new_session().create_client(
        "dynamodb",
        region_name=endpoint.region,
        endpoint_url=endpoint.url,
        aws_access_key_id=access_key,
        aws_secret_access_key=secret_key,
        aws_session_token=token,
        config=config,
    )
    client.meta.events.register("before-parse.dynamodb", _check)
    return client


def _check(response_dict: Mapping[str, Any], **_: Any) -> None:
    """Refuse an answer with a wrong checksum, which botocore itself sees only when it does the retries."""
    verify_checksum(response_dict["headers"].get(CHECKSUM_HEADER), response_dict["body"])


@cache
def _method(operation: str) -> str:
    from botocore import xform_name  # noqa: PLC0415 - only now

    return str(xform_name(operation))
