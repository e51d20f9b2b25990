"""The parts of a request in the form of `Request`, made of what a server or a gateway has received."""

from collections.abc import Mapping, Sequence
from urllib.parse import unquote

_GATEWAY_HEADERS = frozenset({"x-amzn-trace-id", "x-forwarded-for", "x-forwarded-port", "x-forwarded-proto"})
"""Headers that the gateway adds to each request, and that nothing here needs."""

ValuesByName = dict[str, tuple[str, ...]]
"""The values of headers or parameters by name, in their original order."""


def decode_parameters(parameters: Mapping[str, str]) -> dict[str, str]:
    """Return path parameters decoded. REST APIs pass them on as the client sent them: percent-encoded."""
    return {name: unquote(value) for name, value in parameters.items()}


def request_headers(values_by_name: Mapping[str, Sequence[str]]) -> ValuesByName:
    """Return the headers of a request in the form of `Request.headers`, without those of the gateway.

    `values_by_name`: as in events, where the same name can occur in lower and upper case.
    """
    headers: ValuesByName = {}
    for name, values in values_by_name.items():
        key = name.lower()
        if key not in _GATEWAY_HEADERS:
            headers[key] = (*headers[key], *values) if key in headers else tuple(values)
    return headers
