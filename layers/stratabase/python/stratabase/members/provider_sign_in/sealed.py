"""Small contents that a browser carries, encrypted so that only this service can read or make them."""

from collections.abc import Callable, Mapping
from os import urandom
from typing import TYPE_CHECKING, Any, Protocol

import orjson
import pybase64

from stratabase.members.keys.key_rotation import SigningKey

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

MAX_SEALED = 4096
"""The maximum number of characters. Browsers keep no longer cookies."""
_NONCE_BYTES = 12


class SealingKeys(Protocol):
    """The keys that sign tokens, from which those of seals are derived."""

    @property
    def find(self) -> Callable[[str], SigningKey | None]:
        """A function that returns the key with an id if it is still valid, else None. Raises Unavailable."""

    @property
    def signing_key(self) -> Callable[[], SigningKey]:
        """A function that returns the key that signs now. Raises Unavailable."""


class Seal:
    """Encrypts contents with AES-GCM. Each purpose has its own keys, derived from those that sign tokens."""

    def __init__(self, keys: SealingKeys, purpose: str) -> None:
        self._keys = keys
        self._purpose = purpose

    def close(self, content: Mapping[str, Any], place: str) -> str:
        """Return a sealed content, in letters that cookies and URLs can have. It opens only at its place."""
        key = self._keys.signing_key()
        id_, nonce = key.id.encode(), urandom(_NONCE_BYTES)
        head = bytes((len(id_),)) + id_
        sealed = self._cipher(key).encrypt(nonce, orjson.dumps(content), head + place.encode())
        return pybase64.urlsafe_b64encode(head + nonce + sealed).rstrip(b"=").decode()

    def open(self, text: str, place: str) -> Mapping[str, Any] | None:
        """Return the content that was sealed for a place; None if it was not, or its key has gone.

        Raises Unavailable.
        """
        from cryptography.exceptions import InvalidTag  # noqa: PLC0415 - see _cipher

        raw = _decoded(text)
        if raw is None:
            return None
        end = 1 + raw[0]
        head, nonce, sealed = raw[:end], raw[end : end + _NONCE_BYTES], raw[end + _NONCE_BYTES :]
        key = self._keys.find(head[1:].decode("utf-8", "replace"))
        if key is None or len(nonce) < _NONCE_BYTES:
            return None
        try:
            content: Mapping[str, Any] = orjson.loads(
                self._cipher(key).decrypt(nonce, sealed, head + place.encode("utf-8", "replace"))
            )
        except InvalidTag:
            return None
        return content

    def _cipher(self, key: SigningKey) -> "AESGCM":
        # Imported at first use: only the function that signs in has this package.
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # noqa: PLC0415 - see above
        from cryptography.hazmat.primitives.hashes import SHA256  # noqa: PLC0415
        from cryptography.hazmat.primitives.kdf.hkdf import HKDF  # noqa: PLC0415

        info = f"stratabase {self._purpose}".encode()
        return AESGCM(HKDF(SHA256(), 32, None, info).derive(key.secret))


def _decoded(text: str) -> bytes | None:
    if not text or len(text) > MAX_SEALED or not text.isascii():
        return None
    try:
        raw = pybase64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except ValueError:
        return None
    # A text has one form only: some characters that follow another in base64 are ignored when it is read.
    return raw if raw and pybase64.urlsafe_b64encode(raw).rstrip(b"=").decode() == text else None
