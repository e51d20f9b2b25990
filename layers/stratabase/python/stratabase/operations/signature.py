"""Signs tokens and opens signed ones: JSON Web Tokens with HMAC-SHA-256, and nothing else."""

import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

import orjson

from stratabase.domain.signing_key import SigningKey

if TYPE_CHECKING:
    from jwt import PyJWS

LONGEST = 8 * 1024
"""Characters of a token; no gateway lets through more."""
_LONGEST_ID = 64
_ALGORITHM = "HS256"
_FORM = re.compile(r"[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]{43}")
"""Three parts; the last is the base64url of 32 bytes."""


class BadSignature(Exception):
    """What is no token of this service."""


def signed(claims: Mapping[str, Any], key: SigningKey) -> str:
    """Return a token that says these claims."""
    return _jws().encode(orjson.dumps(claims), key.secret, _ALGORITHM, {"kid": key.id})


def opened(token: str, find: Callable[[str], SigningKey | None]) -> tuple[object, SigningKey]:
    """Return what a token says, and the key that signed it, which `find` finds by its id.

    Raises BadSignature; `find` is asked only about ids that could be some.
    """
    if len(token) > LONGEST or not _FORM.fullmatch(token):
        raise BadSignature("it has not the form of a token")
    key = find(_key_id(token))
    if key is None:
        raise BadSignature("no such key is known")
    return _verified(token, key), key


def _key_id(token: str) -> str:
    """Return the id of the key that a token claims to be signed with."""
    from jwt import PyJWTError  # noqa: PLC0415 - see _jws

    try:
        header = _jws().get_unverified_header(token)
    except PyJWTError as error:
        raise BadSignature(str(error)) from error
    id_ = header.get("kid")
    # A header that says more, or something else, is none that this service writes.
    if header != {"alg": _ALGORITHM, "typ": "JWT", "kid": id_}:
        raise BadSignature("its header is none of ours")
    if not isinstance(id_, str) or not 0 < len(id_) <= _LONGEST_ID:
        raise BadSignature("the id of its key can be none")
    return id_


def _verified(token: str, key: SigningKey) -> object:
    from jwt import PyJWTError  # noqa: PLC0415 - see _jws

    try:
        return orjson.loads(_jws().decode(token, key.secret, [_ALGORITHM]))
    except (PyJWTError, ValueError) as error:
        raise BadSignature(str(error)) from error


@cache
def _jws() -> "PyJWS":
    # Imported at first use: a request with a password has no token, and need not pay for it.
    from jwt import PyJWS  # noqa: PLC0415 - see above

    return PyJWS(algorithms=[_ALGORITHM])
