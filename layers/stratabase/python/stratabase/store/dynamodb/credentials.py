"""As whom to call DynamoDB: known from the start, or found as the AWS tools do and renewed in time."""

from threading import Lock
from typing import Any, Protocol

from stratabase.store.botocore_session import new_session
from stratabase.store.dynamodb.client import Rejected
from stratabase.store.dynamodb.endpoint import Credentials


class Purse(Protocol):
    """Has credentials."""

    def current(self) -> Credentials:
        """Return credentials that have not expired. Raises Rejected when there are none."""

    def renew(self) -> None:
        """Forget what was found, since it is not accepted any more."""


class GivenCredentials:
    """Credentials that do not change."""

    def __init__(self, credentials: Credentials) -> None:
        self._credentials = credentials

    def current(self) -> Credentials:
        """Return them."""
        return self._credentials

    def renew(self) -> None:
        """Do nothing: there are no others."""


class FoundCredentials:
    """Credentials as botocore finds them (environment, files, the container's or machine's address)."""

    def __init__(self) -> None:
        self._door = Lock()
        self._found: Any = None

    def current(self) -> Credentials:
        """Return those of the moment; botocore renews them when they are about to expire."""
        with self._door:
            if self._found is None:
                self._found = _find()
            found = self._found
        return _frozen(found)

    def renew(self) -> None:
        """Look for them again."""
        with self._door:
            self._found = None


def _find() -> Any:
    found = new_session().get_credentials()
    if found is None:
        raise Rejected("NoCredentialsError", 0, "There are no credentials for AWS.")
    return found


def _frozen(found: Any) -> Credentials:
    from botocore.exceptions import BotoCoreError  # noqa: PLC0415 - loaded by now

    try:
        frozen = found.get_frozen_credentials()
    except BotoCoreError as error:
        raise Rejected(type(error).__name__, 0, str(error)) from error
    return Credentials(frozen.access_key, frozen.secret_key, frozen.token)
