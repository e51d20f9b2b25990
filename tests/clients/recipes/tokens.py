"""Signs in, and renews the token before it expires."""

import json
import time
from collections.abc import Callable
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

TRY_AGAIN = {502, 503, 504}


class Tokens:
    """Adds a valid token to each request, as `auth` of requests and of httpx."""

    def __init__(
        self,
        base_url: str,
        username: str,
        password: str,
        renew_after: float = 0.8,
        sleep: Callable[[float], object] = time.sleep,
    ) -> None:
        """`renew_after`: the part of a token's life after which it is renewed."""
        self._base_url, self._renew_after, self._sleep = base_url, renew_after, sleep
        self._credentials = json.dumps({"username": username, "password": password}).encode()
        self._token, self._renew_at, self._ends_at = "", 0.0, 0.0

    def __call__(self, request: Any) -> Any:
        """Return the request with a token. Raises PermissionError if the service refuses the password."""
        if time.monotonic() >= self._renew_at:
            try:
                self._keep(self._renew() or self._sign_in())
            except (ConnectionError, TimeoutError):
                if time.monotonic() >= self._ends_at:
                    raise
                self._renew_at = time.monotonic() + 10  # the token is still good
        request.headers["Authorization"] = f"Bearer {self._token}"
        return request

    def _keep(self, answer: dict[str, Any]) -> None:
        self._token, now, seconds = answer["access_token"], time.monotonic(), answer["expires_in"]
        self._renew_at, self._ends_at = now + seconds * self._renew_after, now + seconds

    def _renew(self) -> dict[str, Any] | None:
        if not self._token:
            return None
        headers = {"Authorization": f"Bearer {self._token}"}
        try:
            return self._send(Request(f"{self._base_url}/auth/token/refreshJwtToken", headers=headers))
        except PermissionError:
            return None  # after 12 hours

    def _sign_in(self) -> dict[str, Any]:
        headers = {"Content-Type": "application/json"}
        return self._send(Request(f"{self._base_url}/public/token/getJwtToken", self._credentials, headers))

    def _send(self, request: Request) -> dict[str, Any]:
        """Return the answer. Raises PermissionError if refused, and ConnectionError after four attempts."""
        reason: Exception | None = None
        for pause in (0.5, 1, 2, 0):
            try:
                with urlopen(request, timeout=30) as response:
                    return dict(json.load(response))
            except HTTPError as error:
                with error:
                    if error.code not in TRY_AGAIN:
                        raise PermissionError(json.load(error)["detail"]) from error
                reason = error
            except OSError as error:
                reason = error
            self._sleep(pause)
        raise ConnectionError(f"{self._base_url} can't be reached: {reason}") from reason
