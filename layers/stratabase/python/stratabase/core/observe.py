"""Logging: JSON lines with the trace id of the request and without secrets."""

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cached_property
from threading import Lock
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from aws_lambda_powertools import Logger

_LEVELS = {"DEBUG": 10, "INFO": 20, "WARNING": 30, "ERROR": 40}
_SECRET_WORDS = ("authorization", "password", "secret", "token")
REDACTED = "***"

_invocation: ContextVar[Mapping[str, object]] = ContextVar("invocation", default={})  # noqa: B039 - never changed
_is_cold_start = True


@contextmanager
def invocation(context: object) -> Iterator[None]:
    """Let each line inside the `with` block name an invocation, by its context object from Lambda."""
    global _is_cold_start  # noqa: PLW0603 - a process starts once
    fields = {
        "function_request_id": getattr(context, "aws_request_id", ""),
        "function_name": getattr(context, "function_name", ""),
        "cold_start": _is_cold_start,
    }
    _is_cold_start = False
    token = _invocation.set({name: value for name, value in fields.items() if value != ""})
    try:
        yield
    finally:
        _invocation.reset(token)


def invocation_fields() -> Mapping[str, object]:
    """Return the fields that name the current invocation, none outside of an invocation."""
    return _invocation.get()


_TIMESTAMP = "%Y-%m-%dT%H:%M:%S.%FZ"
"""The format of timestamps, as in the access log (`request_log.timestamp`). %F stands for milliseconds."""


class Log:
    """A log that writes one line per call. It has no state per request, because requests run concurrently."""

    def __init__(
        self, level: str = "INFO", stream: IO[str] | None = None, service: str = "stratabase"
    ) -> None:
        self._level = level
        self._min_level = _LEVELS[level]
        self._stream = stream
        self._service = service
        self._making = Lock()

    def prepare(self) -> None:
        """Import what writes lines, so that a process can log when it can open no more files."""
        _ = self._logger

    def debug(self, message: str, *, trace_id: str = "", **fields: object) -> None:
        """Log an event that helps with debugging."""
        self._write("DEBUG", message, trace_id, fields)

    def info(self, message: str, *, trace_id: str = "", **fields: object) -> None:
        """Log a normal event."""
        self._write("INFO", message, trace_id, fields)

    def warning(self, message: str, *, trace_id: str = "", **fields: object) -> None:
        """Log an event that somebody should investigate eventually."""
        self._write("WARNING", message, trace_id, fields)

    def error(
        self, message: str, *, trace_id: str = "", error: BaseException | None = None, **fields: object
    ) -> None:
        """Log an event that somebody should investigate now, with the stack trace of `error`."""
        self._write("ERROR", message, trace_id, fields, error)

    def _write(
        self,
        level: str,
        message: str,
        trace_id: str,
        fields: Mapping[str, object],
        error: BaseException | None = None,
    ) -> None:
        # Check the level first, so that a request that logs nothing does not import the logger.
        if _LEVELS[level] < self._min_level:
            return
        extra = {"traceId": trace_id, **_invocation.get(), **_redact(fields)}
        write = getattr(self._logger, level.lower())
        write(message, exc_info=error, extra=extra)

    @property
    def _logger(self) -> "Logger":
        # `cached_property` has no lock, and a Logger that two threads make at the same time is broken.
        with self._making:
            return self._made_logger

    @cached_property
    def _made_logger(self) -> "Logger":
        from aws_lambda_powertools import Logger  # noqa: PLC0415 - it would cost each cold start 60 ms

        stream = self._stream or sys.stderr
        return Logger(
            service=self._service,
            level=self._level,
            stream=stream,
            utc=True,
            location=None,
            datefmt=_TIMESTAMP,
        )


def causes(error: BaseException) -> list[str]:
    """Return the exceptions that led to an error, the nearest first: each as its type and its arguments."""
    found: list[str] = []
    seen = {id(error)}
    cause = _cause(error)
    while cause is not None and id(cause) not in seen:
        found.append(repr(cause))
        seen.add(id(cause))
        cause = _cause(cause)
    return found


def _cause(error: BaseException) -> BaseException | None:
    return error.__cause__ or (None if error.__suppress_context__ else error.__context__)


def _redact(fields: Mapping[str, object]) -> dict[str, object]:
    """Return the fields, with the values redacted if their names suggest a secret."""
    return {name: REDACTED if _is_secret(name) else value for name, value in fields.items()}


def _is_secret(name: str) -> bool:
    return any(word in name.lower() for word in _SECRET_WORDS)
