"""The keyring in a secret of AWS Secrets Manager."""

import uuid
from collections.abc import Callable, Sequence
from functools import partial
from random import uniform
from threading import Lock
from typing import Any, NamedTuple

from stratabase.core import waiting
from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.core.unusable_store import UnusableStore
from stratabase.members.keys.document import decode_keys, encode_keys
from stratabase.members.keys.key_rotation import SigningKey
from stratabase.values.messages import _
from stratabase_aws.endpoint import AwsEndpoint, create_client

MAX_CHANGE_ATTEMPTS = 8
"""The maximum attempts of a change. Each adds a version of the secret, which can have up to 100 versions."""
_REQUEST_ATTEMPTS = 3
"""The maximum number of times that botocore sends a request."""
_CURRENT = "AWSCURRENT"
_NEXT = "stratabase-next"
"""The label of a version that is not current yet. Secrets Manager can delete versions without a label."""
CONFIGURATION_ERRORS = frozenset(
    {
        "AccessDeniedException",
        "DecryptionFailure",
        "InvalidRequestException",
        "NoCredentials",
        "ResourceNotFoundException",
        "UnrecognizedClientException",
    }
)
"""Codes of errors that persist until somebody corrects a setting or a permission."""


class SecretsError(Exception):
    """A call to Secrets Manager failed. `may_have_run`: the service may still have executed it."""

    def __init__(self, code: str, message: str, *, may_have_run: bool = False) -> None:
        super().__init__(code, message)
        self.code = code
        self.message = message
        self.may_have_run = may_have_run


class SecretsClient:
    """A client of Secrets Manager over botocore, whose calls do not block other requests."""

    def __init__(self, endpoint: AwsEndpoint) -> None:
        self._endpoint = endpoint
        self._lock = Lock()
        self._botocore_client: Any = None

    def call(self, operation: str, **parameters: object) -> dict[str, Any]:
        """Return the response to an operation such as `get_secret_value`. Raises SecretsError."""
        answer: dict[str, Any] = waiting.offload(self._call, operation, parameters)
        return answer

    def close(self) -> None:
        """Close the connections."""
        with self._lock:
            if self._botocore_client is not None:
                self._botocore_client.close()

    def _call(self, operation: str, parameters: dict[str, object]) -> dict[str, Any]:
        from botocore import exceptions  # noqa: PLC0415 - imported on first use, see _client

        method = getattr(self._client(), operation)
        try:
            answer: dict[str, Any] = method(**parameters)
        except exceptions.ClientError as error:
            raise _rejection(error.response) from error
        except (
            exceptions.NoCredentialsError,
            exceptions.PartialCredentialsError,
            exceptions.CredentialRetrievalError,
        ) as error:
            raise SecretsError("NoCredentials", str(error)) from error
        except (exceptions.BotoCoreError, OSError) as error:
            raise SecretsError(type(error).__name__, str(error), may_have_run=True) from error
        return answer

    def _client(self) -> Any:
        # Created by the first call, because loading botocore takes a long time.
        with self._lock:
            if self._botocore_client is None:
                retries = {"mode": "standard", "total_max_attempts": _REQUEST_ATTEMPTS}
                self._botocore_client = create_client("secretsmanager", self._endpoint, retries=retries)
            return self._botocore_client


def _rejection(response: dict[str, Any]) -> SecretsError:
    error = response.get("Error", {})
    status = response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
    return SecretsError(error.get("Code", ""), error.get("Message", ""), may_have_run=status >= 500)


class _Version(NamedTuple):
    """A version of the secret: its id and its keys."""

    id: str
    keys: tuple[SigningKey, ...]


class SecretsManagerKeyring:
    """A keyring in the current version of one secret.

    Changes use optimistic concurrency. A change adds a version, and makes it current only if the version that
    it read is still current. If two changes run at the same time, one fails and starts again from the result
    of the other. Every call raises UnusableStore if the secret does not exist or has other content.
    """

    def __init__(
        self, secret: str, client: SecretsClient, pause: Callable[[float], None] = waiting.pause
    ) -> None:
        self._secret = secret
        self._client = client
        self._pause = pause

    def keys(self) -> Sequence[SigningKey]:
        """Return all keys. Raises Unavailable."""
        return self._current_version().keys

    def change(self, update: Callable[[Sequence[SigningKey]], Sequence[SigningKey]]) -> None:
        """Replace the keys with the result of `update(keys)`. Raises Unavailable."""
        own_versions: set[str] = set()
        for attempt in range(MAX_CHANGE_ATTEMPTS):
            if self._try_change(update, own_versions):
                return
            self._pause(uniform(0, 0.05 * 2**attempt))  # noqa: S311 - jitter, not a secret
        raise Unavailable(_("Concurrent changes to the token signing keys prevented this change. Try again."))

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _try_change(
        self, update: Callable[[Sequence[SigningKey]], Sequence[SigningKey]], own_versions: set[str]
    ) -> bool:
        """Attempt a change once; return whether it succeeded.

        `own_versions` has the ids of the versions from earlier attempts. This adds the id of its own version.
        """
        before = self._current_version()
        # A version of an earlier attempt is current: that attempt succeeded, and only its response was lost.
        if before.id in own_versions:
            return True
        after = tuple(update(before.keys))
        if after == before.keys:
            return True
        version = str(uuid.uuid4())
        own_versions.add(version)
        self._add_version(version, after)
        return self._make_current(version, before.id)

    def _current_version(self) -> _Version:
        response = self._call("get_secret_value", VersionStage=_CURRENT)
        try:
            return _Version(response["VersionId"], decode_keys(response.get("SecretString") or ""))
        except ValueError as error:
            raise UnusableStore(
                f"The secret {self._secret} does not contain valid token signing keys: {error}. "
                "Restore an earlier version of the secret."
            ) from error

    def _add_version(self, version: str, keys: tuple[SigningKey, ...]) -> None:
        # The token makes the request idempotent: botocore can repeat it without adding a second version.
        self._call(
            "put_secret_value",
            ClientRequestToken=version,
            SecretString=encode_keys(keys),
            VersionStages=[_NEXT],
        )

    def _make_current(self, version: str, previous: str) -> bool:
        """Make a version current if `previous` still is; return whether this certainly succeeded."""
        move = partial(self._client.call, "update_secret_version_stage", SecretId=self._secret)
        try:
            move(VersionStage=_CURRENT, MoveToVersionId=version, RemoveFromVersionId=previous)
        except SecretsError as error:
            # Either `previous` is no longer current, or the response was lost. The next attempt finds out.
            if error.may_have_run or error.code in ("InvalidParameterException", "ResourceNotFoundException"):
                return False
            raise self._map_error(error) from error
        return True

    def _call(self, operation: str, **parameters: object) -> dict[str, str]:
        try:
            return self._client.call(operation, SecretId=self._secret, **parameters)
        except SecretsError as error:
            raise self._map_error(error) from error

    def _map_error(self, error: SecretsError) -> Exception:
        """Return the exception to raise for a failed call."""
        if error.code in CONFIGURATION_ERRORS:
            return UnusableStore(
                f"The secret {self._secret} with the token signing keys cannot be used: "
                f"{error.message} ({error.code}). "
                "Check STRATABASE_SIGNING_KEYS (the secret) and AWS_REGION (its region)."
            )
        return Unavailable(_("The token signing keys are temporarily unavailable. Try again later."), 5)
