"""Turns what a function answers into an HTTP response, or finds it malformed as API Gateway does."""

import re
from base64 import b64decode
from binascii import Error as NotBase64
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from cli.gateway.limits import ANSWER
from cli.gateway.refusals import Kind, Refused
from cli.gateway.reply import Reply
from stratabase.http_api.http.api_gateway import size_over_limit

_FIELDS = frozenset({"statusCode", "headers", "multiValueHeaders", "body", "isBase64Encoded"})
_BODILESS = frozenset({204, 304})
_OURS = frozenset({"connection", "content-length", "keep-alive", "trailer", "transfer-encoding", "upgrade"})
"""Headers that are the gateway's to set, since they tell how the body travels."""
_CONTENT_TYPE = b"Content-Type"
_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_VALUE = re.compile(r"[\t\x20-\x7e\x80-\xff]*")


def to_reply(answer: Any, method: str) -> Reply:
    """Return the response that an answer stands for. Raises Refused when it stands for none."""
    if not isinstance(answer, dict) or not answer.keys() <= _FIELDS:
        raise _malformed(f"it should be an object of {', '.join(sorted(_FIELDS))}")
    status = _status(answer.get("statusCode", 200))
    body = _body(answer.get("body"), answer.get("isBase64Encoded"))
    _check_size(answer)
    headers = _headers(answer)
    if status in _BODILESS:
        return Reply(status, headers, b"")
    if not any(name is _CONTENT_TYPE for name, _ in headers):
        headers.append((_CONTENT_TYPE, b"application/json"))
    # An answer to HEAD may come without the body that GET would have; then its length is unknown.
    if body or method != "HEAD":
        headers.append((b"Content-Length", b"%d" % len(body)))
    return Reply(status, headers, body)


def _malformed(what: str) -> Refused:
    return Refused(Kind.FAILED, f"The function's answer is malformed: {what}.")


def _check_size(answer: Mapping[str, Any]) -> None:
    """Refuse what Lambda would not carry."""
    try:
        size = size_over_limit(answer, ANSWER)
    except TypeError as error:
        raise _malformed(f"it is not JSON ({error})") from error
    if size is not None:
        raise Refused(Kind.FAILED, f"The answer has {size} bytes; Lambda carries at most {ANSWER}.")


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
        return b64decode(body, validate=True) if encoded else body.encode()
    except NotBase64 as error:
        raise Refused(Kind.MISCONFIGURED, f"The function's body is not base64: {error}.") from error
    except UnicodeEncodeError as error:
        raise _malformed(f"body is no Unicode text ({error.reason})") from error


def _headers(answer: Mapping[str, Any]) -> list[tuple[bytes, bytes]]:
    """Return the headers of both fields; a pair that is in both comes once."""
    single, multiple = answer.get("headers") or {}, answer.get("multiValueHeaders") or {}
    if not isinstance(single, dict) or not isinstance(multiple, dict):
        raise _malformed("headers and multiValueHeaders should be objects")
    headers = [_header(name, value) for name, values in multiple.items() for value in _texts(name, values)]
    for name, value in single.items():
        header = _header(name, *_texts(name, [value]))
        if header not in headers:
            headers.append(header)
    return [header for header in headers if header is not None]


def _texts(name: Any, values: Any) -> list[str]:
    """Return a header's values, those that are no texts as API Gateway writes them."""
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
    """Return a header as bytes, None when it is not the function's to set. Nothing in it can end it."""
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise _malformed(f"{name!r} is no header's name")
    if not _VALUE.fullmatch(value):
        raise _malformed(f"the header {name} cannot be {value!r}")
    if name.lower() in _OURS:
        return None
    raw_name = _CONTENT_TYPE if name.lower() == "content-type" else name.encode("ascii")
    return raw_name, value.encode("latin-1")
