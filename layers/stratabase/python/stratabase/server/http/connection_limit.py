"""The limit of the connections from one address, so that one client can't use up the files of the process."""

import logging
from collections import Counter
from collections.abc import Callable
from http import HTTPStatus

from stratabase.members.attempts import network
from stratabase.server.http.errors import HttpError
from stratabase.server.http.responses import problem, render_head

MAX_LOGGED = 20
"""The number of addresses that a process logs, because a client can have many."""

log = logging.getLogger(__name__)


class ConnectionLimit:
    """Counts the connections from each address, and limits them.

    The IPv6 network of a customer counts as one address. A trusted proxy has no limit, because it has the
    connections of many clients.
    """

    def __init__(self, limit: int = 0, is_trusted: Callable[[str], bool] = lambda _address: False) -> None:
        """`limit`: 0 means no limit."""
        self._limit = limit
        self._is_trusted = is_trusted
        self._numbers: Counter[str] = Counter()
        self._logged: set[str] = set()

    def enter(self, address: str) -> bool:
        """Count a connection from an address. Return False if there are too many."""
        key = network(address)
        if self._limit and self._numbers[key] >= self._limit and not self._is_trusted(address):
            self._log(key)
            return False
        self._numbers[key] += 1
        return True

    def leave(self, address: str) -> None:
        """Count a connection no more, because it was closed."""
        key = network(address)
        self._numbers[key] -= 1
        if not self._numbers[key]:
            del self._numbers[key]

    def _log(self, key: str) -> None:
        if key not in self._logged and len(self._logged) < MAX_LOGGED:
            self._logged.add(key)
            log.warning(
                "Further connections from %s get the status 503: it has %d already "
                "(STRATABASE_ADDRESS_CONNECTIONS). If it is a reverse proxy, add it to "
                "STRATABASE_TRUSTED_PROXIES.",
                key,
                self._limit,
            )


def refusal() -> bytes:
    """Return the response on a connection that is one too many."""
    text = "There are too many connections from your address. Close some of them, or try again later."
    response = problem(HttpError(HTTPStatus.SERVICE_UNAVAILABLE, text), "")
    length = b"content-length: %d\r\nconnection: close\r\n\r\n" % len(response.body)
    return render_head(response.status, response.headers) + length + response.body
