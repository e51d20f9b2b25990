"""An address of the service, and what answers there."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from stratabase.domain.member import Caller
from stratabase.edge.refusals import MethodNotAllowed
from stratabase.edge.request import Request
from stratabase.edge.response import Response

Handler = Callable[[Request, Caller | None], Response]
"""Answers a request; the caller is known wherever the address is protected."""


def is_protected(address: str) -> bool:
    """Return whether an address (or a route's template) is answered only to members."""
    return address == "/auth" or address.startswith("/auth/")


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A route's template, and a handler for each method that it knows.

    `rest`: its bodies have the form that the query's `format` chooses. `head`: GET answers HEAD too, which
    is wrong where a GET does something.
    """

    resource: str
    handlers: Mapping[str, Handler]
    rest: bool = True
    head: bool = True

    @property
    def allowed(self) -> tuple[str, ...]:
        """The methods that the address knows, OPTIONS among them."""
        head = ("HEAD",) if self._answers_head() else ()
        return tuple(dict.fromkeys((*self.handlers, *head, "OPTIONS")))

    def handler(self, method: str) -> Handler:
        """Return what answers a method. Raises MethodNotAllowed."""
        handler = self.handlers.get("GET" if method == "HEAD" and self._answers_head() else method)
        if handler is None:
            allowed = ", ".join(self.allowed)
            raise MethodNotAllowed(f"{method} is not possible here; {allowed} are.", self.allowed)
        return handler

    def _answers_head(self) -> bool:
        return self.head and "GET" in self.handlers and "HEAD" not in self.handlers
