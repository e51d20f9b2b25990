"""Where AWS is called, as whom, and the sessions of botocore, which is loaded only when it is needed."""

from dataclasses import dataclass, field
from threading import Lock
from typing import Any, NamedTuple, Protocol

from stratabase.store.dynamodb.client import Rejected


class Credentials(NamedTuple):
    """As whom to call. Only temporary credentials have a token."""

    access_key: str
    secret_key: str
    token: str | None = None


@dataclass(frozen=True, slots=True)
class Endpoint:
    """What a client must know. Without a URL: AWS's own; without credentials: those of the environment."""

    region: str
    url: str | None = None
    credentials: Credentials | None = field(default=None, repr=False)
    connect_timeout: float = 1.0
    """Seconds."""
    read_timeout: float = 3.0
    """Seconds."""
    connections: int = 64
    """How many are kept open."""


class CredentialsProvider(Protocol):
    """Knows as whom to call."""

    def current(self) -> Credentials:
        """Return credentials that have not expired. Raises Rejected when there are none."""

    def discard(self) -> None:
        """Forget the current credentials, which were rejected."""


class StaticCredentials:
    """Credentials that do not change."""

    def __init__(self, credentials: Credentials) -> None:
        self._credentials = credentials

    def current(self) -> Credentials:
        """Return the credentials."""
        return self._credentials

    def discard(self) -> None:
        """Do nothing: there are no others."""


class BotocoreCredentials:
    """Credentials as botocore finds them (environment, files, the container's or machine's address)."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._found: Any = None

    def current(self) -> Credentials:
        """Return credentials; botocore renews them when they are about to expire."""
        with self._lock:
            if self._found is None:
                self._found = _find()
            found = self._found
        return _frozen(found)

    def discard(self) -> None:
        """Look for credentials again when they are needed next."""
        with self._lock:
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


_DATA_LOADER = "data_loader"
_shared: dict[str, Any] = {}
"""The data loader that all sessions share, once there is one."""


def new_session() -> Any:
    """Return a session of botocore with credentials of its own."""
    from botocore.session import Session  # noqa: PLC0415 - loading takes long

    return share_data_loader(Session())


def share_data_loader(session: Any) -> Any:
    """Return a session of botocore, which from now on shares with others what it reads of its descriptions.

    These describe services and their endpoints; reading them takes longer than making a client of them.
    """
    loader = _shared.get(_DATA_LOADER) or _shared.setdefault(
        _DATA_LOADER, session.get_component(_DATA_LOADER)
    )
    session.register_component(_DATA_LOADER, loader)
    return session
