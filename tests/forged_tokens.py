"""Forged access tokens."""

import base64
import hmac
import json
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from tests.token_process import FIRST, TokenProcess

HEADER: Mapping[str, Any] = {"alg": "HS256", "kid": "first", "typ": "JWT"}
"""What the service writes."""


def part(content: object) -> str:
    """Return a part of a token: the content encoded as JSON, or the given bytes."""
    raw = content if isinstance(content, bytes) else json.dumps(content).encode()
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


def forged(header: object, payload: object, secret: bytes = FIRST.secret, digest: Any = sha256) -> str:
    """Return a token with any header and payload, signed with the service's key unless a secret is given."""
    signed = f"{part(header)}.{part(payload)}"
    return f"{signed}.{part(hmac.digest(secret, signed.encode(), digest))}"


def claims(process: TokenProcess, **changes: object) -> dict[str, object]:
    """Return valid claims with changes; the value `...` removes a claim."""
    good = {
        "sub": "Anna",
        "username": "Anna",
        "__id": "1",
        "__generation": 4,
        "iss": "stratabase",
        "aud": "Hr",
        "iat": process.now,
        "nbf": process.now,
        "exp": process.now + 1800,
        "jti": "some id",
        "auth_time": process.now,
    }
    return {name: value for name, value in {**good, **changes}.items() if value is not ...}
