"""The registry of keyrings with their properties. A new keyring is one more line."""

import itertools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from botocore.session import Session
from moto import mock_aws

from stratabase.members.keys.file import FileKeyring
from stratabase.members.ports import Keyring
from stratabase_aws.endpoint import AwsEndpoint, Credentials
from stratabase_aws.keys.secrets_manager import SecretsClient, SecretsManagerKeyring
from tests import ministack

Open = Callable[[], Keyring]
"""Opens the keyring once more, as another process would."""
_numbers = itertools.count(1)


@dataclass(frozen=True)
class KeyringImplementation:
    """A keyring, and how to open one in its own storage."""

    name: str
    place: Callable[[Path], Any]
    starts_empty: bool
    threads: int = 8
    """How many callers may race."""


@contextmanager
def _file(folder: Path) -> Iterator[Open]:
    yield lambda: FileKeyring(folder / "home")


@contextmanager
def _over_moto(_: Path) -> Iterator[Open]:
    with mock_aws(), _secret(AwsEndpoint("us-east-1", credentials=Credentials("test", "test"))) as open_:
        yield open_


@contextmanager
def _over_ministack(_: Path) -> Iterator[Open]:
    with _secret(ministack.endpoint()) as open_:
        yield open_


@contextmanager
def _secret(endpoint: AwsEndpoint) -> Iterator[Open]:
    """Create a secret as the template does. Several keyrings can open it."""
    name = f"signing-keys-{next(_numbers)}"
    client(endpoint).create_secret(Name=name, SecretString='{"first": "' + "x7" * 32 + '"}')
    yield lambda: SecretsManagerKeyring(name, secrets_client(endpoint), pause=lambda _: None)


@cache
def secrets_client(endpoint: AwsEndpoint) -> SecretsClient:
    """Return a shared client of Secrets Manager, because creating one is slow."""
    return SecretsClient(endpoint)


@cache
def client(endpoint: AwsEndpoint) -> Any:
    """Return a botocore client that creates and reads secrets."""
    assert endpoint.credentials is not None
    return Session().create_client(
        "secretsmanager",
        endpoint.region,
        endpoint_url=endpoint.url,
        aws_access_key_id=endpoint.credentials.access_key,
        aws_secret_access_key=endpoint.credentials.secret_key,
    )


KINDS = (
    KeyringImplementation("file", _file, starts_empty=True),
    KeyringImplementation("secrets-manager-ministack", _over_ministack, starts_empty=False, threads=4),
    # It is not made for several threads.
    KeyringImplementation("secrets-manager-moto", _over_moto, starts_empty=False, threads=1),
)

CONCURRENT = tuple(kind for kind in KINDS if kind.threads > 1)
"""Those that bear several callers."""
