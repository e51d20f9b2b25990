"""Access to AWS: endpoints, credentials, and botocore clients. Botocore is imported on first use."""

import gzip
import os
from dataclasses import field
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple, Protocol

import orjson

from stratabase.values.frozen import frozen
from stratabase_aws.tracing import trace_client


class Credentials(NamedTuple):
    """The credentials that sign requests. Only temporary credentials have a token."""

    access_key: str
    secret_key: str
    token: str | None = None


class NoCredentials(Exception):
    """AWS credentials are missing or cannot be renewed. `code` is the name of botocore's exception."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


@frozen
class AwsEndpoint:
    """The address, credentials and timeouts of an AWS client.

    The default of `url` is the AWS endpoint of the region. Without `credentials`, clients use those that
    botocore finds in the environment.
    """

    region: str
    url: str | None = None
    credentials: Credentials | None = field(default=None, repr=False)
    connect_timeout: float = 1.0
    """In seconds."""
    read_timeout: float = 3.0
    """In seconds."""
    connections: int = 64
    """The maximum number of idle connections that a client keeps open."""


class CredentialsProvider(Protocol):
    """Provides the credentials of each request."""

    def current(self) -> Credentials:
        """Return credentials that have not expired. Raises NoCredentials."""

    def discard(self) -> None:
        """Forget the current credentials after AWS has rejected them."""


class StaticCredentials:
    """Provides credentials that do not change."""

    def __init__(self, credentials: Credentials) -> None:
        self._credentials = credentials

    def current(self) -> Credentials:
        """Return the credentials."""
        return self._credentials

    def discard(self) -> None:
        """Do nothing, because no other credentials exist."""


class BotocoreCredentials:
    """Provides the credentials that botocore finds in the environment, in files, or on the machine."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._source: Any = None
        """Botocore's credentials object, which renews itself before it expires."""

    def current(self) -> Credentials:
        """Return credentials that have not expired. Raises NoCredentials."""
        with self._lock:
            if self._source is None:
                self._source = _find_credentials()
            source = self._source
        return _read_credentials(source)

    def discard(self) -> None:
        """Forget the current credentials, so that the next request searches again."""
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
    """Return a botocore client of a service such as `sesv2`. `options` are further fields of its Config."""
    from botocore.config import Config  # noqa: PLC0415 - loading takes a long time

    from stratabase_aws.deadline import bound_by_deadline  # noqa: PLC0415 - it needs botocore

    access_key, secret_key, token = endpoint.credentials or (None, None, None)
    with _creating:
        client = _session_of_clients().create_client(
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
    bound_by_deadline(client)
    trace_client(client)
    return client


_creating = Lock()
"""Sessions create only one client at a time."""


@cache
def _session_of_clients() -> Any:
    """Return the session of all clients. So a process searches credentials once, and renews them once."""
    return new_session()


def new_session() -> Any:
    """Return a new botocore session. Sessions share the loaded data files and no credentials."""
    from botocore.session import Session  # noqa: PLC0415 - loading takes a long time

    session = Session()
    session.register_component("data_loader", _data_loader(session.get_config_variable("data_path")))
    return session


@cache
def _data_loader(data_path: str | None) -> Any:
    """Return the loader of the files that describe services and endpoints, which keeps what it has loaded.

    It differs from that of botocore in what takes long: it reads files by orjson (`endpoints` has more than
    1 MB), and takes each folder for a service, instead of looking for a file in each of the 400 folders.
    """
    from botocore.loaders import JSONFileLoader, Loader  # noqa: PLC0415 - loaded by now

    class FileLoader(JSONFileLoader):  # type: ignore[misc] # botocore has no types
        """A loader of files whose paths it gets without their extension."""

        def load_file(self, file_path: str) -> Any:
            """Return the content of a file, None if it does not exist."""
            plain, packed = Path(f"{file_path}.json"), Path(f"{file_path}.json.gz")
            if plain.is_file():
                return orjson.loads(plain.read_bytes())
            return orjson.loads(gzip.decompress(packed.read_bytes())) if packed.is_file() else None

    class FolderLoader(Loader):  # type: ignore[misc] # botocore has no types
        """A loader with another list of services."""

        def list_available_services(self, type_name: str) -> list[str]:  # noqa: ARG002 - botocore names it
            """Return the names of all folders."""
            folders = filter(os.path.isdir, self.search_paths)
            return sorted(name for folder in folders for name in os.listdir(folder))  # noqa: PTH208 - ten times as fast

    paths = data_path.split(os.pathsep) if data_path else []
    expanded = [str(Path(os.path.expandvars(path)).expanduser()) for path in paths]
    return FolderLoader(expanded, FileLoader())
