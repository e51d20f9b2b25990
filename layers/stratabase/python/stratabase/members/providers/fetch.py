"""Requests to a provider, with limits that no answer can exceed, however it comes.

A request goes only to an address that was checked after the name was looked up. It follows no redirects, uses
no proxy, and ends after some seconds in total, even if a byte comes now and then.
"""

import ssl
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import closing, suppress
from functools import cached_property
from http.client import HTTPConnection, HTTPException
from ipaddress import ip_address
from socket import IPPROTO_TCP, SHUT_RDWR, create_connection, getaddrinfo, socket
from threading import BoundedSemaphore, Lock, Thread, Timer
from typing import Any, NamedTuple
from urllib.parse import urlencode

import orjson

from stratabase.core import waiting
from stratabase.members.providers.addresses import (
    IPAddress,
    ProviderUrl,
    Reach,
    parse_url,
    require_reachable,
)
from stratabase.members.providers.refusals import ProviderFault, ProviderUnavailable

MAX_SECONDS = 5.0
"""The time that a request may take in total, from looking up the name to the last byte."""
MAX_BODY_BYTES = 1_000_000
_CONNECT_SECONDS = 2.0
"""The time for a connection to one address, so that there is time for another one."""
_MAX_ADDRESSES = 3
MAX_EXCHANGES = 32
"""Requests to a provider that a process has under way. More are refused, so that they don't pile up."""

Resolve = Callable[[str, int], Sequence[IPAddress]]
"""Returns the addresses of a name, for a port. Raises OSError."""
Connect = Callable[[tuple[str, int], float], socket]
"""Returns a connection to an IP address and a port, within some seconds. Raises OSError."""


def resolve_name(host: str, port: int) -> Sequence[IPAddress]:
    """Return the addresses of a host. Raises OSError."""
    try:
        found = getaddrinfo(host, port, proto=IPPROTO_TCP)
    except UnicodeError as error:  # a part of the name is empty or too long
        raise OSError(str(error)) from error
    return [ip_address(str(each[4][0]).partition("%")[0]) for each in found]


class ProviderResponse(NamedTuple):
    """A whole response, whose status is not one of a redirect."""

    status: int
    body: bytes

    def json(self) -> Mapping[str, Any] | None:
        """Return the JSON object in the body, None if it has another content."""
        try:
            content = orjson.loads(self.body)
        except ValueError:
            return None
        return content if isinstance(content, dict) else None


class _Request(NamedTuple):
    method: str
    url: str
    headers: Mapping[str, str]
    body: bytes | None = None

    def fault(self, fault: ProviderFault, text: object) -> ProviderUnavailable:
        """Return the exception for a request that has failed. `text` says why."""
        return ProviderUnavailable(fault, f"{self.url}: {text}")


class Fetcher:
    """Sends the requests to one provider. `seconds`: the limit for each.

    The functions that look up names and connect, and the TLS context, differ in tests only. By default, the
    certificate authorities of this machine are trusted, or those that the variable SSL_CERT_FILE names.
    """

    def __init__(
        self,
        reach: Reach,
        *,
        seconds: float = MAX_SECONDS,
        resolve: Resolve = resolve_name,
        connect: Connect = create_connection,
        tls_context: ssl.SSLContext | None = None,
    ) -> None:
        self._reach = reach
        self._seconds = seconds
        self._resolve = resolve
        self._connect = connect
        self._custom_tls_context = tls_context
        self._free = BoundedSemaphore(MAX_EXCHANGES)

    def get_json(
        self, url: str, headers: Mapping[str, str] | None = None, *, is_shared: bool = False
    ) -> Mapping[str, Any]:
        """Return the JSON object at an address. Raises ProviderUnavailable.

        `is_shared`: whether all sign-ins wait for it, so that it is never one too many.
        """
        request = _Request("GET", url, headers or {})
        response = self._send(request, is_counted=not is_shared)
        if response.status != 200:
            raise request.fault(ProviderFault.STATUS, f"the status is {response.status}, not 200")
        content = response.json()
        if content is None:
            raise request.fault(ProviderFault.CONTENT, "the response is not a JSON object")
        return content

    def post_form(self, url: str, fields: Mapping[str, str], headers: Mapping[str, str]) -> ProviderResponse:
        """Send a form, and return the response with any status. Raises ProviderUnavailable."""
        form = {"Content-Type": "application/x-www-form-urlencoded", **headers}
        return self._send(_Request("POST", url, form, urlencode(fields, errors="replace").encode()))

    def _send(self, request: _Request, *, is_counted: bool = True) -> ProviderResponse:
        try:
            target = parse_url(request.url, self._reach)
        except ValueError as error:
            raise request.fault(ProviderFault.ADDRESS, error) from error
        if is_counted and not self._free.acquire(blocking=False):
            message = f"{MAX_EXCHANGES} requests are under way already"
            raise request.fault(ProviderFault.BUSY, message)
        exchange = _Exchange(request, target, self._open, self._free.release if is_counted else _do_nothing)
        # No thread of the server waits here, so a slow provider holds up nothing but its own sign-ins.
        return waiting.until(exchange.start(min(self._seconds, waiting.remaining_seconds())))

    def _open(self, exchange: "_Exchange", target: ProviderUrl) -> socket:
        """Return a connection to a host. Raises OSError, or ProviderUnavailable if it may not be reached."""
        addresses = self._resolve(target.host, target.port)
        for address in addresses:
            try:
                require_reachable(address, self._reach)
            except ValueError as error:
                raise exchange.request.fault(ProviderFault.ADDRESS, error) from error
        connection = self._connect_to_any(addresses[:_MAX_ADDRESSES], target)
        connection.settimeout(self._seconds)
        exchange.take(connection)
        if target.scheme == "http":
            return connection
        return self._tls_context.wrap_socket(connection, server_hostname=target.host)

    def _connect_to_any(self, addresses: Sequence[IPAddress], target: ProviderUrl) -> socket:
        """Return a connection to the first address that takes one. Raises OSError."""
        failure = OSError(f"{target.host} has no address")
        for address in addresses:
            try:
                return self._connect((str(address), target.port), min(self._seconds, _CONNECT_SECONDS))
            except OSError as error:
                failure = error
        raise failure

    @cached_property
    def _tls_context(self) -> ssl.SSLContext:
        # Created on first use, because it reads hundreds of certificates.
        return self._custom_tls_context or ssl.create_default_context()


def _do_nothing() -> None:
    pass


class _Exchange:
    """One request and its response, in a thread of its own, which is given up at the deadline.

    Timeouts of a socket begin anew with each byte, and looking up a name has none.
    """

    def __init__(
        self,
        request: _Request,
        target: ProviderUrl,
        open_: Callable[["_Exchange", ProviderUrl], socket],
        on_end: Callable[[], None],
    ) -> None:
        """`open_` returns the connection, and gives it to `take`. `on_end` is called when the thread ends."""
        self.request = request
        self._target = target
        self._open = open_
        self._on_end = on_end
        self._future: Future[ProviderResponse] = Future()
        self._lock = Lock()
        self._connection: socket | None = None
        self._has_ended = False

    def start(self, seconds: float) -> "Future[ProviderResponse]":
        """Return the future response. It raises ProviderUnavailable if none has come after some seconds."""
        timer = Timer(max(seconds, 0), self._give_up, [seconds])
        timer.daemon = True
        Thread(target=self._run, args=(timer,), name="provider", daemon=True).start()
        timer.start()
        return self._future

    def take(self, connection: socket) -> None:
        """Let the deadline end a connection."""
        # A second descriptor, because TLS takes over the first one, and then closes it.
        own = connection.dup()
        with self._lock:
            self._connection = own
            has_ended = self._has_ended
        if has_ended:
            self._shut_down()

    def _give_up(self, seconds: float) -> None:
        """End what the thread waits for. Then it fails, and nobody looks at why."""
        message = f"the response has not come in {seconds:g} seconds"
        self._settle(self.request.fault(ProviderFault.TIMEOUT, message))
        self._shut_down()

    def _shut_down(self) -> None:
        with self._lock, suppress(OSError):
            if self._connection is not None:
                self._connection.shutdown(SHUT_RDWR)

    def _settle(self, outcome: ProviderResponse | BaseException) -> None:
        """Set the outcome, unless there is one already."""
        with self._lock:
            if self._has_ended:
                return
            self._has_ended = True
        if isinstance(outcome, ProviderResponse):
            self._future.set_result(outcome)
        else:
            self._future.set_exception(outcome)

    def _run(self, timer: Timer) -> None:
        try:
            self._settle(self._exchange())
        except TimeoutError as error:
            self._settle(self.request.fault(ProviderFault.TIMEOUT, error))
        except (OSError, HTTPException) as error:
            self._settle(self.request.fault(ProviderFault.UNREACHABLE, f"{type(error).__name__}: {error}"))
        except BaseException as error:  # noqa: BLE001 - raised where the result is awaited
            self._settle(error)
        finally:
            timer.cancel()
            with self._lock:
                if self._connection is not None:
                    self._connection.close()
                    self._connection = None
            self._on_end()

    def _exchange(self) -> ProviderResponse:
        with (
            closing(self._open(self, self._target)) as connection,
            closing(HTTPConnection(self._target.host, self._target.port)) as client,
        ):
            client.sock = connection
            client.auto_open = 0  # never connect to an address that was not checked
            headers = {"Host": self._target.authority, "Accept": "application/json", "Connection": "close"}
            client.request(
                self.request.method,
                self._target.target,
                self.request.body,
                {**headers, **self.request.headers},
            )
            with client.getresponse() as response:
                if 300 <= response.status < 400:
                    raise self.request.fault(ProviderFault.REDIRECT, f"it redirects ({response.status})")
                if response.getheader("Content-Encoding", "identity") != "identity":
                    raise self.request.fault(ProviderFault.CONTENT, "the response is compressed")
                body = response.read(MAX_BODY_BYTES + 1)
                if len(body) > MAX_BODY_BYTES or (response.length or 0) > MAX_BODY_BYTES:
                    message = f"the response has more than {MAX_BODY_BYTES:,} bytes"
                    raise self.request.fault(ProviderFault.SIZE, message)
                if response.length:
                    raise self.request.fault(ProviderFault.UNREACHABLE, "the response is incomplete")
                return ProviderResponse(response.status, body)
