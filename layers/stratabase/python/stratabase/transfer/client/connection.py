"""The connection to an instance: requests with credentials, retries, and one clear line for each error."""

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from http import HTTPStatus
from random import uniform
from types import TracebackType
from typing import Any, Self

import requests
from requests.auth import AuthBase

from stratabase import __version__
from stratabase.core import waiting
from stratabase.terminal.command_error import CommandError
from stratabase.terminal.progress import print_note
from stratabase.transfer.client.credentials import TOKEN_VARIABLE, MemberCredentials, TokenCredentials

CONTINUE = "To continue, run the same command again."
"""How the user resumes a transfer."""
WAITS = (1, 2, 4, 8, 16, 30)
"""The seconds before each repetition of a request that fails again and again."""
_TIMEOUTS = (10, 90)
"""The maximum seconds for connecting, and between two receptions of bytes."""
_CHUNK_SIZE = 16 * 1024
"""The bytes that are received at once. A broken connection loses at most as many."""
_TOKEN_PATH = "/public/token/getJwtToken"  # noqa: S105 - an address
_MAX_DETAIL_LENGTH = 1000
_BYTE_COUNT = re.compile(r"[0-9]{1,18}", re.ASCII)


class Interruption(Exception):
    """A request failed for a reason that may pass, such as a lost connection. The text says why."""


class Retries:
    """Waits between the attempts of something that fails, longer each time, and in the end gives up."""

    def __init__(self) -> None:
        self._failures = 0

    def reset(self) -> None:
        """Forget the failures, because there was progress."""
        self._failures = 0

    def wait(self, interruption: Interruption) -> None:
        """Wait before the next attempt. Raises CommandError after the last one."""
        if self._failures == len(WAITS):
            raise CommandError(f"{interruption} {CONTINUE}") from interruption
        seconds = WAITS[self._failures]
        self._failures += 1
        print_note(f"{interruption} Trying again in {seconds} s.")
        waiting.pause(seconds * uniform(0.8, 1.2))  # noqa: S311 - jitter, not a secret


class Connection:
    """A connection to an instance with the credentials of a member."""

    def __init__(self, base_url: str, credentials: MemberCredentials) -> None:
        self.base_url = base_url
        """The root of all addresses of the instance, without a slash at its end."""
        self._credentials = credentials
        self._token = credentials.token if isinstance(credentials, TokenCredentials) else None
        self._session = requests.Session()
        # An encoding would change the bytes that ranges count.
        self._session.headers.update(
            {"User-Agent": f"stratabase/{__version__}", "Accept-Encoding": "identity"}
        )
        self._was_reached = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _type: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self._session.close()

    def send(
        self, method: str, url: str, accepted: Collection[int] = (), **options: Any
    ) -> requests.Response:
        """Send a request as `send_once` does, and repeat it while it fails for a reason that may pass."""
        retries = Retries()
        while True:
            try:
                return self.send_once(method, url, accepted, **options)
            except Interruption as interruption:
                retries.wait(interruption)

    def send_once(  # noqa: PLR0913 - the parts of a request
        self,
        method: str,
        url: str,
        accepted: Collection[int] = (),
        *,
        headers: Mapping[str, str] | None = None,
        body: Callable[[], Any] | None = None,
        stream: bool = False,
    ) -> requests.Response:
        """Return the response to a request if its status is 2xx or in `accepted`.

        `body` returns the body, and is called again if the request is repeated with a new token. With
        `stream`, read the body with `read`. Raises Interruption, CommandError.
        """
        response = self._send(method, url, headers, body, stream=stream)
        if response.status_code == HTTPStatus.UNAUTHORIZED and not isinstance(
            self._credentials, TokenCredentials
        ):
            response.close()
            self._token = None
            response = self._send(method, url, headers, body, stream=stream)
        if response.status_code // 100 == 2 or response.status_code in accepted:
            return response
        with response, self._translate_errors(url):
            raise self._failure(response)

    def read(self, response: requests.Response) -> Iterator[bytes]:
        """Yield the body of a streamed response in chunks. Raises Interruption, CommandError."""
        with response, self._translate_errors(response.url):
            yield from response.iter_content(_CHUNK_SIZE)

    def _send(
        self,
        method: str,
        url: str,
        headers: Mapping[str, str] | None,
        body: Callable[[], Any] | None,
        *,
        stream: bool,
    ) -> requests.Response:
        auth = _Bearer(self._token or self._new_token()) if url.startswith(f"{self.base_url}/auth/") else None
        return self._request(
            method, url, headers=headers, data=body() if body else None, stream=stream, auth=auth
        )

    def _request(self, method: str, url: str, **options: Any) -> requests.Response:
        with self._translate_errors(url):
            # A redirection would lead the credentials and the file elsewhere.
            response = self._session.request(method, url, timeout=_TIMEOUTS, allow_redirects=False, **options)
        self._was_reached = True
        return response

    def _new_token(self) -> str:
        """Return a new token for the name and the password. Raises Interruption, CommandError."""
        assert not isinstance(self._credentials, TokenCredentials)
        credentials = {"username": self._credentials.username, "password": self._credentials.password}
        url = self.base_url + _TOKEN_PATH
        response = self._request("POST", url, json=credentials, auth=_NoAuthentication())
        if response.status_code != HTTPStatus.OK:
            raise self._failure(response)
        self._token = str(read_json(response).get("access_token", ""))
        return self._token

    def _failure(self, response: requests.Response) -> Interruption | CommandError:
        """Return the error for a response that is not the desired one."""
        status, detail = response.status_code, _detail(response)
        if status >= HTTPStatus.INTERNAL_SERVER_ERROR and status != HTTPStatus.NOT_IMPLEMENTED:
            return Interruption(f"The service at {self.base_url} answered {status}: {detail}")
        if status == HTTPStatus.UNAUTHORIZED and isinstance(self._credentials, TokenCredentials):
            detail = f"The token in {TOKEN_VARIABLE} is not valid, or has expired. Set it to a new token."
            return CommandError(f"{detail} {CONTINUE}")
        if status // 100 == 3:
            location = response.headers.get("Location", "")
            return CommandError(f"{response.url} redirects to {location}. Name the right URL with --url.")
        return CommandError(f"The service refused the request ({status}): {detail}")

    @contextmanager
    def _translate_errors(self, url: str) -> Iterator[None]:
        """Raise Interruption or CommandError for the errors of the HTTP client."""
        try:
            yield
        except requests.exceptions.SSLError as error:
            message = f"The certificate of {self.base_url} can't be verified: {reason_of(error)}."
            raise CommandError(message) from error
        except (
            requests.exceptions.ConnectionError,
            requests.exceptions.Timeout,
            requests.exceptions.ChunkedEncodingError,
        ) as error:
            if self._was_reached:
                raise Interruption(f"The connection to {self.base_url} broke: {reason_of(error)}.") from error
            raise CommandError(
                f"Can't connect to {self.base_url}: {reason_of(error)}. "
                "Check that the service runs at this URL, or name another one with --url."
            ) from error
        except requests.exceptions.RequestException as error:
            raise CommandError(f"The request to {url} failed: {reason_of(error)}.") from error


def read_json(response: requests.Response) -> Any:
    """Return the JSON object in a response. Raises CommandError, because another server may have answered."""
    try:
        document = response.json()
    except ValueError:
        document = None
    if not isinstance(document, dict):
        raise CommandError(
            f"{response.url} did not return JSON. Check that --url is the base URL of Stratabase."
        )
    return document


def parse_byte_count(text: str) -> int | None:
    """Return the number of bytes that a header states, or None if it states none."""
    return int(text) if _BYTE_COUNT.fullmatch(text) else None


class _Bearer(AuthBase):
    """Sends a token. Because it is a scheme of its own, requests doesn't send passwords from ~/.netrc."""

    def __init__(self, token: str) -> None:
        self._token = token

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        request.headers["Authorization"] = f"Bearer {self._token}"
        return request


class _NoAuthentication(AuthBase):
    """Sends no credentials, not even those in ~/.netrc."""

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        return request


def _detail(response: requests.Response) -> str:
    """Return the detail of a response with problem details (RFC 9457), on one line."""
    try:
        problem = response.json()
        detail = problem.get("detail") or problem.get("title") or problem.get("message") or ""
    except (ValueError, AttributeError, requests.exceptions.RequestException):
        detail = ""
    text = " ".join(str(detail or response.reason or "no reason given").split())[:_MAX_DETAIL_LENGTH]
    return text if text.endswith((".", "!", "?")) else f"{text}."


def reason_of(error: BaseException) -> str:
    """Return why a request failed: the text of the system's error behind an error, if there is one."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, OSError) and cause.strerror:
            return cause.strerror.lower()
        cause = cause.__cause__ or cause.__context__
    if isinstance(error, requests.exceptions.ChunkedEncodingError):
        return "the response ended too early"
    if isinstance(error, requests.exceptions.Timeout):
        return "no response in time"
    return " ".join(str(error).split())
