"""The keys of tokens as text: a JSON object with all of them, or the first secret, which a template makes."""

import base64
from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from stratabase.domain.members.key_rotation import SigningKey

FIRST = "first"
"""The field of the first secret, of 32 random characters or more, and the id of the key that it is."""
LAYOUT = 1
_SHORTEST = 32
"""Bytes of a secret."""


def written(keys: Sequence[SigningKey]) -> str:
    """Return the text that holds these keys."""
    return orjson.dumps({"layout": LAYOUT, "keys": [_fields(key) for key in keys]}).decode()


def read(text: str | bytes) -> tuple[SigningKey, ...]:
    """Return the keys that a text holds. Raises ValueError, which says nothing that is secret."""
    try:
        document = orjson.loads(text)
    except ValueError:
        # Its own words may show a piece of what it could not read.
        raise ValueError("it is not JSON") from None
    if not isinstance(document, dict):
        raise ValueError("it is not a JSON object")  # noqa: TRY004 - as all that is wrong with the text
    return _first(document[FIRST]) if FIRST in document else _all(document)


def _fields(key: SigningKey) -> dict[str, Any]:
    return {"id": key.id, "secret": base64.urlsafe_b64encode(key.secret).decode(), "since": key.since}


def _first(secret: object) -> tuple[SigningKey, ...]:
    if not isinstance(secret, str):
        raise ValueError(f'"{FIRST}" is not a string')  # noqa: TRY004 - see read
    return (_long_enough(SigningKey(FIRST, secret.encode(), 0)),)


def _all(document: Mapping[str, Any]) -> tuple[SigningKey, ...]:
    if document.get("layout") != LAYOUT:
        raise ValueError(f"its layout is not {LAYOUT}, the one that this version of Stratabase knows")
    listed = document.get("keys")
    if not isinstance(listed, list):
        raise ValueError('its "keys" are no list')  # noqa: TRY004 - see read
    keys = tuple(_key(fields, number) for number, fields in enumerate(listed))
    if len({key.id for key in keys}) < len(keys):
        raise ValueError("two of its keys have the same id")
    return keys


def _key(fields: object, number: int) -> SigningKey:
    match fields:
        case {"id": str(id_), "secret": str(secret), "since": int(since)} if id_ and type(since) is int:
            return _long_enough(SigningKey(id_, _decoded(secret, number), since))
    raise ValueError(f'its key {number} lacks an "id", a "secret" or a "since"')


def _decoded(secret: str, number: int) -> bytes:
    try:
        return base64.b64decode(secret, altchars=b"-_", validate=True)
    except ValueError:
        raise ValueError(f"the secret of its key {number} is not base64") from None


def _long_enough(key: SigningKey) -> SigningKey:
    if len(key.secret) < _SHORTEST:
        raise ValueError(f"the secret of its key {key.id} is shorter than {_SHORTEST} bytes")
    return key
