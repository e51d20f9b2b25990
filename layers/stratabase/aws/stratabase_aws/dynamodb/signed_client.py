"""A client that signs requests itself. It takes a fifth of the time that botocore takes for a request.

It has what a client needs to be safe: it checks the checksum of each response, uses no connection that was
idle for long, has timeouts, corrects its clock by that of the server, and renews credentials. urllib3, which
botocore brings, keeps the connections and reads the responses.
"""

import hmac
import ssl
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from functools import cached_property, lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import unquote, urlsplit

import orjson

from stratabase.core.waiting import remaining_seconds
from stratabase_aws.addresses import ServiceAddress, find_address
from stratabase_aws.dynamodb.client import (
    CHECKSUM_HEADER,
    Rejected,
    Unanswered,
    Unreached,
    verify_checksum,
)
from stratabase_aws.endpoint import (
    AwsEndpoint,
    BotocoreCredentials,
    Credentials,
    CredentialsProvider,
    NoCredentials,
    StaticCredentials,
)

if TYPE_CHECKING:
    from urllib3 import HTTPConnectionPool, Timeout

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


_TARGET = "DynamoDB_20120810."
_STALE_CREDENTIALS = frozenset({"ExpiredTokenException", "UnrecognizedClientException"})
_WRONG_TIME = frozenset({"InvalidSignatureException", "RequestExpired", "RequestTimeTooSkewed"})
_MIN_CLOCK_SKEW = 60.0
"""The difference between the clocks in seconds from which on it may be the reason for a rejection."""

_MIN_TIMEOUT = 0.001
"""Seconds. A timeout of 0 would mean not to wait at all."""

MAX_IDLE = 20.0
"""The seconds after which idle connections are not used again. The server closes them a little later."""


class Answer(NamedTuple):
    """An HTTP response. `date`: the server's time, in the format of HTTP."""

    status: int
    body: bytes
    date: str | None


class SignedClient:
    """A client for DynamoDB with its own connections."""

    def __init__(self, endpoint: AwsEndpoint, credentials: CredentialsProvider | None = None) -> None:
        fixed = endpoint.credentials
        self._endpoint = endpoint
        self._credentials = credentials or (StaticCredentials(fixed) if fixed else BotocoreCredentials())
        self._clock_skew = 0.0
        """The seconds by which the clock of the server is ahead of this machine's."""
        self._used = 0.0
        """When a request was last sent, in seconds since 1970."""

    def call(self, operation: str, parameters: Mapping[str, Any]) -> Mapping[str, Any]:
        """Send a request; return the response. Raises Rejected, Unanswered.

        If the credentials or the clock were wrong, correct them and send the request once more.
        """
        target, body = _TARGET + operation, _body(parameters)
        try:
            return _parse(self._send(target, body))
        except Rejected as rejected:
            if not self._can_correct(rejected):
                raise
        return _parse(self._send(target, body))

    def close(self) -> None:
        """Close the connections."""
        if "_connections" in self.__dict__:
            self._connections.close()

    # The address needs botocore, which takes long to load, so it waits for the first request.
    @cached_property
    def _address(self) -> ServiceAddress:
        return find_address("dynamodb", self._endpoint)

    @cached_property
    def _connections(self) -> "HTTPConnectionPool":
        return _pool(self._address, self._endpoint.connections)

    @cached_property
    def _signer(self) -> RequestSigner:
        return RequestSigner(self._address.signing_region, urlsplit(self._address.url).netloc)

    def _send(self, target: str, body: bytes) -> Answer:
        headers = self._signed_headers(target, body)
        if remaining_seconds() <= 0:
            raise Unreached("The deadline of the current request is over.")
        # Wall-clock time, because the monotonic clock stops while Lambda freezes the process.
        if not 0 <= time.time() - self._used < MAX_IDLE:
            self.__dict__.pop("_connections", None)  # other threads may use it, so nobody closes it
        self._used = time.time()
        return _exchange(self._connections, body, headers, self._timeout())

    def _timeout(self) -> "Timeout":
        from urllib3 import Timeout  # noqa: PLC0415 - see _pool

        endpoint, remaining = self._endpoint, remaining_seconds()
        times = (min(each, remaining) for each in (endpoint.connect_timeout, endpoint.read_timeout))
        connect, read = (max(_MIN_TIMEOUT, each) for each in times)
        return Timeout(connect=connect, read=read)

    def _signed_headers(self, target: str, body: bytes) -> dict[str, str]:
        try:
            credentials = self._credentials.current()
        except NoCredentials as error:
            raise Rejected(error.code, 0, str(error)) from error
        return self._signer.signed_headers(target, body, credentials, time.time() + self._clock_skew)

    def _can_correct(self, rejected: Rejected) -> bool:
        """Correct the credentials or the clock after a rejection; return whether a retry may succeed."""
        if rejected.code in _STALE_CREDENTIALS:
            self._credentials.discard()
            return True
        return rejected.code in _WRONG_TIME and self._adjust_clock(rejected.date)

    def _adjust_clock(self, date: str | None) -> bool:
        """Adjust to the clock of the server; return whether this changes anything."""
        skew = self._clock_skew if date is None else parsedate_to_datetime(date).timestamp() - time.time()
        changed = abs(skew - self._clock_skew) > _MIN_CLOCK_SKEW
        self._clock_skew = skew if changed else self._clock_skew
        return changed


def _body(parameters: Mapping[str, Any]) -> bytes:
    try:
        return orjson.dumps(parameters)
    except TypeError as error:  # a text with a lone surrogate; the engine creates all other values
        raise ValueError(f"The store cannot keep this: {error}") from error


def _parse(answer: Answer) -> Mapping[str, Any]:
    """Return the content of a response. Raises Rejected, Unanswered."""
    try:
        content = orjson.loads(answer.body)
    except orjson.JSONDecodeError as error:  # such as an error page of a proxy
        if answer.status < 400:
            raise Unanswered("The answer is not JSON.") from error
        content = {}
    if answer.status == 200:
        return _object(content)
    raise _rejected(answer, _object(content))


def _object(content: Any) -> Mapping[str, Any]:
    if isinstance(content, dict):
        return content
    raise Unanswered("The answer is not an object.")


def _rejected(answer: Answer, content: Mapping[str, Any]) -> Rejected:
    code = content.get("__type", "").rpartition("#")[2]
    message = content.get("message") or content.get("Message") or ""
    return Rejected(code, answer.status, message, content, answer.date)


def _pool(address: ServiceAddress, connections: int) -> "HTTPConnectionPool":
    """Return the pool of connections to an address, directly or through a proxy.

    Requests to https go through the proxy in a tunnel, so that it sees neither them nor their signatures.
    """
    from urllib3 import PoolManager, ProxyManager, make_headers  # noqa: PLC0415 - a server with SQLite needs none

    options: dict[str, Any] = {"maxsize": connections, "ca_certs": address.certificates}
    if address.proxy is None:
        return PoolManager(**options).connection_from_url(address.url)
    proxy = urlsplit(address.proxy)
    user = f"{unquote(proxy.username)}:{unquote(proxy.password or '')}" if proxy.username else None
    headers = make_headers(proxy_basic_auth=user) if user else None
    return ProxyManager(address.proxy, proxy_headers=headers, **options).connection_from_url(address.url)


def _exchange(
    connections: "HTTPConnectionPool", body: bytes, headers: dict[str, str], timeout: "Timeout"
) -> Answer:
    """Send a request once; return the response. Raises Unreached, Unanswered."""
    from urllib3 import exceptions  # noqa: PLC0415 - see _pool

    try:
        response = connections.urlopen(
            "POST", "/", body, headers, retries=False, redirect=False, timeout=timeout, decode_content=False
        )
    except (exceptions.NewConnectionError, exceptions.ConnectTimeoutError, exceptions.ProxyError) as error:
        raise Unreached(str(error)) from error
    except exceptions.SSLError as error:
        # Without trust in the certificate, nothing is sent.
        is_untrusted = bool(error.args) and isinstance(error.args[0], ssl.SSLCertVerificationError)
        raise (Unreached if is_untrusted else Unanswered)(str(error)) from error
    except (exceptions.HTTPError, OSError, OverflowError) as error:  # a length can be too large for a size
        raise Unanswered(repr(error)) from error
    verify_checksum(response.headers.get(CHECKSUM_HEADER), response.data)
    return Answer(response.status, response.data, response.headers.get("date"))
