"""HTTP responses: converted from the result of a function, or from an error of the gateway.

A result that API Gateway would reject as malformed is an error too. The GatewayResponses of template.yaml
define the error responses.
"""

import json
import re
from binascii import Error as NotBase64
from collections.abc import Iterable, Mapping
from functools import lru_cache
from http import HTTPStatus
from itertools import chain
from typing import Any, NamedTuple

import pybase64

from stratabase.core.http.base.messages import BodyStream, Headers, Response
from stratabase.core.http.base.response_size import size_over_limit, values_by_name
from stratabase.server.http.errors import BUSY_SECONDS, MAX_RESULT, ErrorType, GatewayError
from stratabase.server.http.template import GatewayResponse
from stratabase_aws.functions.events import StreamedResponse

_RESULT_FIELDS = frozenset({"statusCode", "headers", "multiValueHeaders", "body", "isBase64Encoded"})
BODILESS = frozenset({204, 304})
_KNOWN_STATUSES = frozenset(HTTPStatus)
_OWN_HEADERS = frozenset(
    {"connection", "content-length", "keep-alive", "trailer", "transfer-encoding", "upgrade"}
)
"""Headers that only the gateway sets, because they describe the connection."""
_CONTENT_TYPE = b"Content-Type"
_LENGTH = re.compile("[0-9]{1,15}")
_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_HEADER_VALUE = re.compile(r"[\t\x20-\x7e\x80-\xff]*")
_BEFORE_ANY_API = frozenset(
    {ErrorType.BAD_REQUEST, ErrorType.BODY_TIMEOUT, ErrorType.HEAD_TOO_LARGE, ErrorType.BUSY}
)
"""Errors that the template does not cover. Its default would show a response type that AWS does not have."""


ResponseHeaders = tuple[tuple[bytes, bytes], ...]


class HttpResponse(NamedTuple):
    """An HTTP response without the headers that the connection adds."""

    status: int
    headers: ResponseHeaders
    body: bytes
    content_length: int | None
    """The size in bytes of the body, or of the body that a GET would get, or None if it isn't told."""
    stream: BodyStream | None = None
    """The body, in place of `body`, if the function streams it."""
    closes_connection: bool = False
    """Whether the next bytes from the client can't be interpreted."""


def api_response(response: Response, method: str) -> HttpResponse:
    """Return the HTTP response of a response of this service, as if it were a proxy response."""
    status, body = response.status, response.body
    headers = _api_headers(response.headers)
    if status in BODILESS:
        return HttpResponse(status, headers, b"", None)
    length = _declared_length(response.headers) if method == "HEAD" else len(body)
    return HttpResponse(status, _with_type(headers), body, length)


def function_response(result: Any, method: str) -> HttpResponse:
    """Return the HTTP response of a function's result. Raises GatewayError if the result is malformed."""
    if not isinstance(result, dict) or not result.keys() <= _RESULT_FIELDS:
        raise _malformed(f"it should be an object of {', '.join(sorted(_RESULT_FIELDS))}")
    status = _status(result.get("statusCode", 200))
    body = _body(result.get("body"), result.get("isBase64Encoded"))
    _check_size(result)
    headers = _headers(result)
    if status in BODILESS:
        return HttpResponse(status, headers, b"", None)
    length = len(body) if body or method != "HEAD" else _declared_length(chain(*_header_texts(result)))
    return HttpResponse(status, _with_type(headers), body, length)


def streaming_response(result: StreamedResponse) -> HttpResponse:
    """Return the HTTP response of a function that streams. Raises GatewayError if the result is malformed.

    The function sets the Content-Length. Without one, the server sends the body in HTTP's chunks.
    """
    try:
        status, headers = _status(result.status), _headers({"multiValueHeaders": result.headers})
    except GatewayError:
        result.body.close()
        raise
    length = result.headers.get("Content-Length", [""])[0]
    return HttpResponse(status, headers, b"", int(length) if length.isdecimal() else None, result.body)


def _declared_length(headers: Iterable[tuple[str, str]]) -> int | None:
    """Return the Content-Length that a function sets in its response to HEAD, which has no body."""
    values = {value for name, value in headers if name.lower() == "content-length"}
    value = values.pop() if len(values) == 1 else ""
    return int(value) if _LENGTH.fullmatch(value) else None


def with_headers(response: HttpResponse, headers: Headers) -> HttpResponse:
    """Return a response with more headers."""
    added = tuple((name.encode(), value.encode("latin-1")) for name, value in headers)
    return response._replace(headers=response.headers + added)


@lru_cache(maxsize=512)
def render_head(status: int, headers: ResponseHeaders) -> bytes:
    """Return the status line and headers of a response as bytes, each with its line break."""
    phrase = HTTPStatus(status).phrase if status in _KNOWN_STATUSES else ""
    lines = [
        f"HTTP/1.1 {status} {phrase}".encode(),
        *(name.lower() + b": " + value for name, value in headers),
    ]
    return b"".join(line + b"\r\n" for line in lines)


def _malformed(reason: str) -> GatewayError:
    return GatewayError(ErrorType.FAILED, f"The function's answer is malformed: {reason}.")


def _check_size(result: Mapping[str, Any]) -> None:
    """Raise GatewayError if a result exceeds Lambda's limit."""
    try:
        size = size_over_limit(result, MAX_RESULT)
    except TypeError as error:
        raise _malformed(f"it is not JSON ({error})") from error
    if size is not None:
        text = f"The answer has {size} bytes; Lambda carries at most {MAX_RESULT}."
        raise GatewayError(ErrorType.FAILED, text)


def _status(status: Any) -> int:
    if isinstance(status, str) and status.isdecimal():
        status = int(status)
    if not isinstance(status, int) or not 200 <= status <= 599:
        raise _malformed(f"statusCode is {status!r}")
    return status


def _body(body: Any, encoded: Any) -> bytes:
    if body is None:
        return b""
    if not isinstance(body, str):
        raise _malformed(f"body is a {type(body).__name__}, not a text")
    try:
        return pybase64.b64decode(body, validate=True) if encoded else body.encode()
    except NotBase64 as error:
        text = f"The function's body is not base64: {error}."
        raise GatewayError(ErrorType.MISCONFIGURED, text) from error
    except UnicodeEncodeError as error:
        raise _malformed(f"body is no Unicode text ({error.reason})") from error


def _headers(result: Mapping[str, Any]) -> ResponseHeaders:
    """Return the headers of both fields. A pair that occurs in both fields is returned once."""
    multiple, single = _header_texts(result)
    headers = [_header(name, value) for name, value in multiple]
    headers += [
        header for header in (_header(name, value) for name, value in single) if header not in headers
    ]
    return tuple(header for header in headers if header is not None)


def _header_texts(result: Mapping[str, Any]) -> tuple[list[tuple[Any, str]], list[tuple[Any, str]]]:
    """Return the pairs of multiValueHeaders and of headers, with values as texts."""
    single, multiple = result.get("headers") or {}, result.get("multiValueHeaders") or {}
    if not isinstance(single, dict) or not isinstance(multiple, dict):
        raise _malformed("headers and multiValueHeaders should be objects")
    return (
        [(name, value) for name, values in multiple.items() for value in _texts(name, values)],
        [(name, value) for name, each in single.items() for value in _texts(name, [each])],
    )


@lru_cache(maxsize=512)
def _api_headers(headers: Headers) -> ResponseHeaders:
    return _headers({"multiValueHeaders": values_by_name(headers)})


@lru_cache(maxsize=512)
def _with_type(headers: ResponseHeaders) -> ResponseHeaders:
    """Return headers with a content type. The default is JSON."""
    has_type = any(name is _CONTENT_TYPE for name, _ in headers)
    return headers if has_type else (*headers, (_CONTENT_TYPE, b"application/json"))


def _texts(name: Any, values: Any) -> list[str]:
    """Return the values of a header as texts. API Gateway converts numbers and booleans in the same way."""
    if not isinstance(values, list):
        raise _malformed(f"multiValueHeaders has no list for {name!r}")
    return [value if isinstance(value, str) else _text(name, value) for value in values]


def _text(name: Any, value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, int | float):
        raise _malformed(f"the header {name!r} is {value!r}")
    return str(value)


@lru_cache(maxsize=512)
def _header(name: Any, value: str) -> tuple[bytes, bytes] | None:
    """Return a header as bytes, or None if only the gateway sets it.

    Raises GatewayError for characters that could end the header, such as line breaks.
    """
    if not isinstance(name, str) or not _HEADER_NAME.fullmatch(name):
        raise _malformed(f"{name!r} is no header's name")
    if not _HEADER_VALUE.fullmatch(value):
        raise _malformed(f"the header {name} cannot be {value!r}")
    if name.lower() in _OWN_HEADERS:
        return None
    raw_name = _CONTENT_TYPE if name.lower() == "content-type" else name.encode("ascii")
    return raw_name, value.encode("latin-1")


class ErrorResponses:
    """Renders the errors of the gateway."""

    def __init__(self, templates: Mapping[str, GatewayResponse]) -> None:
        """`templates` has the GatewayResponses of template.yaml, by response type."""
        self._templates = templates

    def response(self, error: GatewayError, request_id: str) -> HttpResponse:
        """Return the response to an error, by the template if it covers the type of the error."""
        template = self._find_template(error.error_type)
        if template is None or template.body is None:
            return problem(error.error_type, error.detail, request_id)
        status = template.status or error.error_type.status
        return _text_response(status, template.headers.items(), _fill(template.body, error, request_id))

    def _find_template(self, error_type: ErrorType) -> GatewayResponse | None:
        if error_type in _BEFORE_ANY_API:
            return None
        default = f"DEFAULT_{error_type.status // 100}XX"
        return self._templates.get(error_type.response_type) or self._templates.get(default)


def problem(error_type: ErrorType, detail: str, request_id: str) -> HttpResponse:
    """Return the problem details of an error that the template does not cover."""
    body = {"type": "about:blank", "title": error_type.title, "status": error_type.status, "detail": detail}
    if request_id:
        body["traceId"] = request_id
    headers = [("Content-Type", "application/problem+json")]
    if error_type is ErrorType.BUSY:
        headers.append(("Retry-After", str(BUSY_SECONDS)))
    return _text_response(error_type.status, headers, json.dumps(body))


def _text_response(status: int, headers: Iterable[tuple[str, str]], body: str) -> HttpResponse:
    raw_body = body.encode()
    raw_headers = tuple((name.encode(), value.encode()) for name, value in headers)
    return HttpResponse(status, raw_headers, raw_body, len(raw_body))


def _fill(body: str, error: GatewayError, request_id: str) -> str:
    """Return a response template with its variables replaced: those that template.yaml uses."""
    return (
        body.replace("$context.error.messageString", json.dumps(error.detail))
        .replace("$context.error.responseType", error.error_type.response_type)
        .replace("$context.requestId", request_id)
    )
