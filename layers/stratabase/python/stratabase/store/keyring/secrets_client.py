"""A client of AWS Secrets Manager over botocore, which is loaded when it is first needed: it takes long."""

from threading import Lock
from typing import Any

from stratabase import waiting
from stratabase.domain.issues.refusals import Unavailable
from stratabase.store.dynamodb.aws import Endpoint, new_session
from stratabase.store.sqlite.errors import UnusableStore

_ATTEMPTS = 3
_MENDABLE = frozenset(
    {
        "AccessDeniedException",
        "DecryptionFailure",
        "InvalidRequestException",
        "NoCredentials",
        "ResourceNotFoundException",
        "UnrecognizedClientException",
    }
)
"""Codes of what goes no better by waiting: somebody has to set something right."""


class Failed(Exception):
    """A call that did not go well; `is_lost`: it may have been carried out all the same."""

    def __init__(self, code: str, message: str, *, is_lost: bool = False) -> None:
        super().__init__(code, message)
        self.code = code
        self.message = message
        self.is_lost = is_lost

    def told(self, secret: str) -> Exception:
        """Return what a caller is told."""
        if self.code in _MENDABLE:
            return UnusableStore(
                f"The secret {secret} with the keys of tokens cannot be used: {self.message} ({self.code}). "
                "STRATABASE_SIGNING_KEYS names the secret, AWS_REGION where it is."
            )
        return Unavailable("The keys of tokens cannot be read or changed just now; try again later.", 5)


class SecretsClient:
    """Calls Secrets Manager where it holds up nobody else."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._door = Lock()
        self._loaded: Any = None

    def call(self, operation: str, **parameters: object) -> dict[str, Any]:
        """Return the answer. Raises Failed."""
        answer: dict[str, Any] = waiting.aside(self._call, operation, parameters)
        return answer

    def close(self) -> None:
        """Let go of the connections."""
        with self._door:
            if self._loaded is not None:
                self._loaded.close()

    def _call(self, operation: str, parameters: dict[str, object]) -> dict[str, Any]:
        from botocore import exceptions  # noqa: PLC0415 - only now

        method = getattr(self._client(), operation)
        try:
            answer: dict[str, Any] = method(**parameters)
        except exceptions.ClientError as error:
            raise _failed(error.response) from error
        except (
            exceptions.NoCredentialsError,
            exceptions.PartialCredentialsError,
            exceptions.CredentialRetrievalError,
        ) as error:
            raise Failed("NoCredentials", str(error)) from error
        except (exceptions.BotoCoreError, OSError) as error:
            raise Failed(type(error).__name__, str(error), is_lost=True) from error
        return answer

    def _client(self) -> Any:
        with self._door:
            if self._loaded is None:
                self._loaded = _load(self._endpoint)
            return self._loaded


def _load(endpoint: Endpoint) -> Any:
    from botocore.config import Config  # noqa: PLC0415 - only now

    access_key, secret_key, token = endpoint.credentials or (None, None, None)
    return new_session().create_client(
        "secretsmanager",
        region_name=endpoint.region,
        endpoint_url=endpoint.url,
        aws_access_key_id=access_key,
        aws_secret_access_key=secret_key,
        aws_session_token=token,
        config=Config(
            connect_timeout=endpoint.connect_timeout,
            read_timeout=endpoint.read_timeout,
            retries={"mode": "standard", "total_max_attempts": _ATTEMPTS},
        ),
    )


def _failed(response: dict[str, Any]) -> Failed:
    error = response.get("Error", {})
    status = response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
    return Failed(error.get("Code", ""), error.get("Message", ""), is_lost=status >= 500)
