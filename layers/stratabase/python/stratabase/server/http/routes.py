"""Routing of requests to the addresses of endpoints. Exact segments precede parameters, as in API Gateway."""

import re
from collections.abc import Iterable, Mapping
from http import HTTPStatus
from typing import NamedTuple

from stratabase.core.http.base.messages import decode_parameters
from stratabase.core.http.handler import CATCH_ALL
from stratabase.server.http.errors import HttpError
from stratabase.values.text_cache import cache_short_texts

METHODS = ("DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT")
"""The methods that endpoints can have. API Gateway does not route other methods."""
_PARAMETER = re.compile(r"\{([^{}+]+)(\+?)\}")
"""Matches a parameter: its name, and whether it takes the rest of a path instead of one segment."""


class RouteMatch(NamedTuple):
    """The address of a request, such as `/files/{id}`, and its parameters without percent-encoding."""

    resource: str
    parameters: Mapping[str, str]


class _Address:
    """The address of an endpoint."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._segments = [(part, _PARAMETER.fullmatch(part)) for part in text.split("/")]
        self._names = [match[1] for _, match in self._segments if match]
        patterns = (
            re.escape(part) if match is None else "(.+)" if match[2] else "([^/]+)"
            for part, match in self._segments
        )
        self._pattern = re.compile("/".join(patterns))

    def match(self, path: str) -> RouteMatch | None:
        """Return the match of a path, or None."""
        match = self._pattern.fullmatch(path)
        if match is None:
            return None
        return RouteMatch(self.text, decode_parameters(dict(zip(self._names, match.groups(), strict=True))))

    def rank(self) -> tuple[int, ...]:
        """Return the sort key by which more specific addresses come first."""
        return tuple(0 if match is None else 2 if match[2] else 1 for _, match in self._segments)


class Routes:
    """The addresses of all endpoints."""

    def __init__(self, addresses: Iterable[str]) -> None:
        self._addresses = sorted((_Address(text) for text in addresses), key=_Address.rank)
        self._find = cache_short_texts(512)(self._find_anew)

    def match(self, method: str, path: str) -> RouteMatch:
        """Return the match of a percent-encoded path, that of CATCH_ALL if no endpoint has the address.

        Raises HttpError for a method that no endpoint has.
        """
        if method not in METHODS:
            raise HttpError(HTTPStatus.METHOD_NOT_ALLOWED, f"The service does not have the method {method}.")
        return self._find(path)

    def _find_anew(self, path: str) -> RouteMatch:
        bare = path.rstrip("/") or "/"
        found = (address.match(bare) for address in self._addresses)
        unknown = RouteMatch(CATCH_ALL, decode_parameters({"proxy": bare[1:]}))
        return next((match for match in found if match is not None), unknown)
