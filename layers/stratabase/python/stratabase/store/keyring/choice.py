"""Which keyring there is: a secret of Secrets Manager if one is named, otherwise a file in the home."""

from pathlib import Path

from stratabase.store.dynamodb.aws import Endpoint
from stratabase.store.keyring.file import FileKeyring
from stratabase.store.keyring.secrets_client import SecretsClient
from stratabase.store.keyring.secrets_manager import SecretsManagerKeyring


def keyring_of(home: Path, secret: str | None, place: Endpoint) -> FileKeyring | SecretsManagerKeyring:
    """Return the keyring; `place` is where the secret is. Nothing is read or made before it is used."""
    return FileKeyring(home) if secret is None else SecretsManagerKeyring(secret, SecretsClient(place))
