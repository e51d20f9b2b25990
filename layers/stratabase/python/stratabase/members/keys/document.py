"""The text format of the keys that sign tokens: a JSON object with all keys, or with an initial secret."""

import base64
from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from stratabase.members.keys.key_rotation import SigningKey

INITIAL_KEY = "first"
"""The field for the secret that the template generates (32 or more random characters). Also the key's id."""
LAYOUT = 1
"""The version of the format with all keys."""
_MIN_SECRET_BYTES = 32


def encode_keys(keys: Sequence[SigningKey]) -> str:
    """Return the keys as text."""
    return orjson.dumps({"layout": LAYOUT, "keys": [_encode_key(key) for key in keys]}).decode()


def decode_keys(text: str | bytes) -> tuple[SigningKey, ...]:
    """Return the keys in a text. Raises ValueError with a message that contains no secret."""
    try:
        document = orjson.loads(text)
    except ValueError:
        # The message of this error can contain a part of the secret, so do not chain it.
        raise ValueError("it is not JSON") from None
    if not isinstance(document, dict):
        raise ValueError("it is not a JSON object")  # noqa: TRY004 - all faults of the text are ValueErrors
    if INITIAL_KEY in document:
        return (_initial_key(document[INITIAL_KEY]),)
    return _decode_all(document)


def _encode_key(key: SigningKey) -> dict[str, Any]:
    return {"id": key.id, "secret": base64.urlsafe_b64encode(key.secret).decode(), "since": key.since}


def _initial_key(secret: object) -> SigningKey:
    if not isinstance(secret, str):
        raise ValueError(f'"{INITIAL_KEY}" is not a string')  # noqa: TRY004 - see decode_keys
    return _check_length(SigningKey(INITIAL_KEY, secret.encode(), 0))


def _decode_all(document: Mapping[str, Any]) -> tuple[SigningKey, ...]:
    if document.get("layout") != LAYOUT:
        raise ValueError(f"its layout is not {LAYOUT}, which this version of Stratabase requires")
    listed = document.get("keys")
    if not isinstance(listed, list):
        raise ValueError('its "keys" are not a list')  # noqa: TRY004 - see decode_keys
    keys = tuple(_decode_key(fields, number) for number, fields in enumerate(listed))
    if len({key.id for key in keys}) < len(keys):
        raise ValueError("two keys have the same id")
    return keys


def _decode_key(fields: object, number: int) -> SigningKey:
    """Return the key at position `number` of the list. Raises ValueError, which names the position."""
    match fields:
        case {"id": str(id_), "secret": str(secret), "since": int(since)} if id_ and type(since) is int:
            return _check_length(SigningKey(id_, _decode_secret(secret, number), since))
    raise ValueError(f'key {number} requires an "id", a "secret" and a "since"')


def _decode_secret(secret: str, number: int) -> bytes:
    try:
        return base64.b64decode(secret, altchars=b"-_", validate=True)
    except ValueError:
        raise ValueError(f"the secret of key {number} is not base64") from None


def _check_length(key: SigningKey) -> SigningKey:
    """Return the key. Raises ValueError if its secret is too short."""
    if len(key.secret) < _MIN_SECRET_BYTES:
        raise ValueError(f"the secret of key {key.id} is shorter than {_MIN_SECRET_BYTES} bytes")
    return key
