"""How AWS is called: endpoints, credentials, and botocore's clients; botocore is loaded when it is used."""

from dataclasses import dataclass, field
from functools import cache
from threading import Lock
from typing import Any, NamedTuple, Protocol


class Credentials(NamedTuple):
    """The credentials that sign requests. Only temporary ones have a token."""

    access_key: str
    secret_key: str
    token: str | None = None


class NoCredentials(Exception):
    """There are no credentials for AWS, or they cannot be renewed; `code` names botocore's exception."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


@dataclass(frozen=True, slots=True)
class AwsEndpoint:
    """Where a client sends its requests, and how long it waits.

    Without a URL, requests go to AWS's own address in the region. Without credentials, those of the
    environment sign them.
    """

    region: str
    url: str | None = None
    credentials: Credentials | None = field(default=None, repr=False)
    connect_timeout: float = 1.0
    """Seconds."""
    read_timeout: float = 3.0
    """Seconds."""
    connections: int = 64
    """How many idle connections a client keeps open."""


class CredentialsProvider(Protocol):
    """Provides the credentials of each request."""

    def current(self) -> Credentials:
        """Return credentials that have not expired. Raises NoCredentials."""

    def discard(self) -> None:
        """Forget the current credentials, which AWS rejected."""


class StaticCredentials:
    """Provides credentials that do not change."""

    def __init__(self, credentials: Credentials) -> None:
        self._credentials = credentials

    def current(self) -> Credentials:
        """Return the credentials."""
        return self._credentials

    def discard(self) -> None:
        """Do nothing: there are no others."""


class BotocoreCredentials:
    """Provides the credentials that botocore finds: in the environment, in files, or from the machine."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._source: Any = None
        """Botocore's own object, which renews the credentials when they are about to expire."""

    def current(self) -> Credentials:
        """Return credentials that have not expired. Raises NoCredentials."""
        with self._lock:
            if self._source is None:
                self._source = _find_credentials()
            source = self._source
        return _read_credentials(source)

    def discard(self) -> None:
        """Look for credentials again when the next request needs them."""
        with self._lock:
            self._source = None


def _find_credentials() -> Any:
    source = new_session().get_credentials()
    if source is None:
        raise NoCredentials("NoCredentialsError", "There are no credentials for AWS.")
    return source


def _read_credentials(source: Any) -> Credentials:
    from botocore.exceptions import BotoCoreError  # noqa: PLC0415 - loaded by now

    try:
        frozen = source.get_frozen_credentials()
    except BotoCoreError as error:
        raise NoCredentials(type(error).__name__, str(error)) from error
    return Credentials(frozen.access_key, frozen.secret_key, frozen.token)


def create_client(service: str, endpoint: AwsEndpoint, **options: Any) -> Any:
    """Return botocore's client of a service, such as `sesv2`; `options` are further fields of its Config."""
    from botocore.config import Config  # noqa: PLC0415 - loading takes long

    access_key, secret_key, token = endpoint.credentials or (None, None, None)
    return new_session().create_client(
        service,
        region_name=endpoint.region,
        endpoint_url=endpoint.url,
        aws_access_key_id=access_key,
        aws_secret_access_key=secret_key,
        aws_session_token=token,
        config=Config(
            connect_timeout=endpoint.connect_timeout, read_timeout=endpoint.read_timeout, **options
        ),
    )


def new_session() -> Any:
    """Return a session of botocore with credentials of its own."""
    from botocore.session import Session  # noqa: PLC0415 - loading takes long

    return share_data_loader(Session())


def share_data_loader(session: Any) -> Any:
    """Return the session, which from now on shares with all others what it reads of botocore's data files.

    They describe services and their endpoints. Reading them takes longer than creating a client.
    """
    session.register_component("data_loader", _data_loader())
    return session


@cache
def _data_loader() -> Any:
    from botocore.session import Session  # noqa: PLC0415 - loaded by now

    return Session().get_component("data_loader")
