"""Signs requests to DynamoDB with AWS Signature Version 4."""

import hmac
import time
from functools import lru_cache
from hashlib import sha256

from stratabase_aws.endpoint import Credentials

CONTENT_TYPE = "application/x-amz-json-1.0"
_ALGORITHM = "AWS4-HMAC-SHA256"
_SERVICE = "dynamodb"
_INSTANT = "%Y%m%dT%H%M%SZ"


class RequestSigner:
    """A signer of requests to one host in one region."""

    def __init__(self, region: str, host: str) -> None:
        self._region = region
        self._host = host

    def signed_headers(
        self, target: str, body: bytes, credentials: Credentials, now: float
    ) -> dict[str, str]:
        """Return the headers of a request, signed as of `now`, in seconds since 1970."""
        instant = time.strftime(_INSTANT, time.gmtime(now))
        headers = {
            "content-type": CONTENT_TYPE,
            "host": self._host,
            "x-amz-date": instant,
            **({"x-amz-security-token": credentials.token} if credentials.token else {}),
            "x-amz-target": target,
        }
        return headers | {"authorization": self._authorization(headers, body, credentials, instant)}

    def _authorization(
        self, headers: dict[str, str], body: bytes, credentials: Credentials, instant: str
    ) -> str:
        day = instant[:8]
        scope = f"{day}/{self._region}/{_SERVICE}/aws4_request"
        names = ";".join(headers)
        request_digest = _digest(_canonical(headers, names, body).encode())
        key = _signing_key(credentials.secret_key, day, self._region)
        signature = hmac.digest(
            key, f"{_ALGORITHM}\n{instant}\n{scope}\n{request_digest}".encode(), "sha256"
        ).hex()
        return (
            f"{_ALGORITHM} Credential={credentials.access_key}/{scope}, "
            f"SignedHeaders={names}, Signature={signature}"
        )


def _canonical(headers: dict[str, str], names: str, body: bytes) -> str:
    """Return the canonical request. `headers`: sorted by name."""
    lines = "".join(f"{name}:{value}\n" for name, value in headers.items())
    return f"POST\n/\n\n{lines}\n{names}\n{_digest(body)}"


def _digest(content: bytes) -> str:
    return sha256(content).hexdigest()


@lru_cache(maxsize=4)  # it changes once a day, and with the credentials
def _signing_key(secret_key: str, day: str, region: str) -> bytes:
    key = f"AWS4{secret_key}".encode()
    for part in (day, region, _SERVICE, "aws4_request"):
        key = hmac.digest(key, part.encode(), "sha256")
    return key
