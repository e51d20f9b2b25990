"""The access log of the local server: a line for each request, as JSON or as text.

A line has the template of the address and the names of the operations. It never has a query string, a header,
a body, or a value of a filter. It has the address of the client.
"""

import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import IO

import orjson

from stratabase.core.request_log import RequestRecord, line_fields, timestamp

TEXT, JSON = "text", "json"
"""The styles of lines, as in the setting STRATABASE_ACCESS_LOG."""
_SERVICE = "stratabase"


class AccessLog:
    """Writes a line for each request to the standard output."""

    def __init__(self, style: str, stream: IO[str] | None = None) -> None:
        """`style`: TEXT or JSON."""
        self._render = _RENDERERS[style]
        self._stream = stream

    def write(self, record: RequestRecord) -> None:
        """Write the line of a request. If that is not possible, such as on a full disk, the line is lost."""
        stream = self._stream or sys.stdout
        with suppress(OSError):
            # One write for each line, so that the lines of several processes do not mix.
            stream.write(f"{self._render(record)}\n")
            stream.flush()


def _as_json(record: RequestRecord) -> str:
    fields = {"client": record.client, "milliseconds": round(record.milliseconds, 3)}
    refusals = {"refusals": dict(record.usage.refusals)} if record.usage.refusals else {}
    return orjson.dumps(line_fields("Request", _SERVICE, {**record.fields(), **fields, **refusals})).decode()


def _as_text(record: RequestRecord) -> str:
    names = ",".join([*record.usage.operations, *record.usage.refusals])
    return " ".join(
        [
            timestamp(),
            record.client or "-",
            record.method,
            record.route,
            str(record.status),
            f"{record.milliseconds:.1f}ms",
            record.trace_id,
            names or "-",
        ]
    )


_RENDERERS: Mapping[str, Callable[[RequestRecord], str]] = {TEXT: _as_text, JSON: _as_json}
