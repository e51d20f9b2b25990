"""Signs in, and renews the token before it expires."""

import json
import time
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen


class Tokens:
    """Adds a valid token to each request, as `auth` of requests and of httpx."""

    def __init__(self, base_url: str, username: str, password: str, renew_after: float = 0.8) -> None:
        """`renew_after`: the part of a token's life after which it is renewed."""
        self._base_url, self._renew_after = base_url, renew_after
        self._credentials = json.dumps({"username": username, "password": password}).encode()
        self._token, self._renew_at = "", 0.0

    def __call__(self, request: Any) -> Any:
        """Return the request with a token. Raises PermissionError if the service refuses the password."""
        if not self._token or time.monotonic() >= self._renew_at:
            answer = self._renew() or self._sign_in()
            self._token = answer["access_token"]
            self._renew_at = time.monotonic() + answer["expires_in"] * self._renew_after
        request.headers["Authorization"] = f"Bearer {self._token}"
        return request

    def _renew(self) -> Any:
        if not self._token:
            return None
        headers = {"Authorization": f"Bearer {self._token}"}
        try:
            return _send(Request(f"{self._base_url}/auth/token/refreshJwtToken", headers=headers))
        except HTTPError:
            return None  # after 12 hours

    def _sign_in(self) -> Any:
        headers = {"Content-Type": "application/json"}
        try:
            return _send(Request(f"{self._base_url}/public/token/getJwtToken", self._credentials, headers))
        except HTTPError as error:
            raise PermissionError(json.load(error)["detail"]) from error


def _send(request: Request) -> Any:
    with urlopen(request, timeout=30) as response:
        return json.load(response)
