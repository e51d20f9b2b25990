"""Where DynamoDB is, as whom to call it, and how long to wait for it."""

from dataclasses import dataclass, field
from threading import Lock
from typing import Any, NamedTuple, Protocol

from stratabase.store.dynamodb.client import Rejected


class Credentials(NamedTuple):
    """As whom to call; `token` belongs to those that are only lent."""

    access_key: str
    secret_key: str
    token: str | None = None


@dataclass(frozen=True, slots=True)
class Endpoint:
    """What a client must know. Without a URL: AWS's own; without credentials: the environment's."""

    region: str
    url: str | None = None
    credentials: Credentials | None = field(default=None, repr=False)
    connect_timeout: float = 1.0
    """Seconds, as all of them."""
    read_timeout: float = 3.0
    connections: int = 64
    """How many are kept open."""


class CredentialsProvider(Protocol):
    """Has credentials."""

    def current(self) -> Credentials:
        """Return credentials that have not expired. Raises Rejected when there are none."""

    def discard(self) -> None:
        """Forget what was found, since it is not accepted any more."""


class StaticCredentials:
    """Credentials that do not change."""

    def __init__(self, credentials: Credentials) -> None:
        self._credentials = credentials

    def current(self) -> Credentials:
        """Return them."""
        return self._credentials

    def discard(self) -> None:
        """Do nothing: there are no others."""


class BotocoreCredentials:
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

    def discard(self) -> None:
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


_LOADER = "data_loader"
_shared: dict[str, Any] = {}


def new_session() -> Any:
    """Return a session with credentials of its own."""
    from botocore.session import Session  # noqa: PLC0415 - only now

    return share_data_loader(Session())


def share_data_loader(session: Any) -> Any:
    """Return a session, which from now on shares with others what it reads of botocore's descriptions.

    These are of services and their endpoints; to read them takes longer than to make a client of them.
    """
    loader = _shared.get(_LOADER) or _shared.setdefault(_LOADER, session.get_component(_LOADER))
    session.register_component(_LOADER, loader)
    return session
