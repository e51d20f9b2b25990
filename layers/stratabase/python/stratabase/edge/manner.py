"""How an operation says why it refuses."""

from collections.abc import Callable, Mapping

from stratabase.edge.format import Format, asked_if_any
from stratabase.edge.operation import Manner
from stratabase.edge.problem import problem
from stratabase.edge.refusals import Headers
from stratabase.edge.request import Request
from stratabase.edge.response import Response

TEXT = ("Content-Type", "text/plain; charset=utf-8")


def say(manner: Manner, request: Request, status: int, detail: str, headers: Headers = ()) -> Response:
    """Return a response that says what went wrong, in the manner of the operation that refuses."""
    return _MANNERS[manner](request, status, _whole(detail), headers)


def text(status: int, said: str, headers: Headers = ()) -> Response:
    """Return a response that is a plain text."""
    return Response(status, (TEXT, *headers), said.encode())


def _asked(request: Request, status: int, detail: str, headers: Headers) -> Response:
    return problem(asked_if_any(request), request, status, detail, headers)


def _json(request: Request, status: int, detail: str, headers: Headers) -> Response:
    return problem(Format.JSON, request, status, detail, headers)


def _text(_: Request, status: int, detail: str, headers: Headers) -> Response:
    return text(status, detail, headers)


def _whole(detail: str) -> str:
    # Half of a surrogate pair may come in with an address; no encoding could carry it out again.
    return detail.encode("utf-8", "replace").decode()


_MANNERS: Mapping[Manner, Callable[[Request, int, str, Headers], Response]] = {
    Manner.PROBLEM: _asked,
    Manner.JSON: _json,
    Manner.TEXT: _text,
}
