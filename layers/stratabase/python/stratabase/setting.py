"""One setting: its variable, and how its text is read and checked."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import SplitResult, urlsplit

STORES = ("sqlite", "dynamodb")
MAILS = ("outbox", "smtp", "ses")
LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR")
LONGEST_PASSWORD = 128
"""As in the domain, which settings do not know."""


@dataclass(frozen=True, slots=True)
class Variable:
    """An environment variable. `read` turns its text into a value, or raises ValueError: "must be …"."""

    name: str
    read: Callable[[str], Any]
    about: str
    secret: bool = False

    def mistake(self, text: str, error: ValueError) -> str:
        """Say what is wrong with the variable's text."""
        shown = "its value" if self.secret else f'"{text}"'
        return f"{self.name}: {shown} {error}"


def port(value: str) -> int:
    """Read a port's number."""
    if not (value.isascii() and value.isdigit() and len(value) <= 5 and int(value) <= 65535):
        raise ValueError("must be a port: a whole number from 0 (any free one) to 65535")
    return int(value)


def switch(value: str) -> bool:
    """Read `on` or `off`."""
    if value not in ("on", "off"):
        raise ValueError("must be on or off")
    return value == "on"


def whole(least: int, most: int) -> Callable[[str], int]:
    """Return what reads a whole number within limits, both included."""

    def read(value: str) -> int:
        if not (value.isascii() and value.isdigit() and len(value) <= 9 and least <= int(value) <= most):
            raise ValueError(f"must be a whole number from {least:,} to {most:,}")
        return int(value)

    return read


def one_of(values: tuple[str, ...]) -> Callable[[str], str]:
    """Return what reads one of a few words."""

    def read(value: str) -> str:
        if value not in values:
            raise ValueError(f"must be one of {', '.join(values)}")
        return value

    return read


store = one_of(STORES)
mail = one_of(MAILS)


def smtp(value: str) -> str:
    """Read the address of an SMTP server."""
    parts = _split(value)
    if parts.scheme not in ("smtp", "smtps") or not parts.hostname or parts.path.strip("/"):
        raise ValueError(
            "must be smtp://host:port or smtps://host:port, with user:password@ where it is needed"
        )
    return value


def level(value: str) -> str:
    """Read a level of the log, in any case."""
    if value.upper() not in LEVELS:
        raise ValueError(f"must be one of {', '.join(LEVELS)}")
    return value.upper()


def password(value: str) -> str:
    """Read a password."""
    if len(value) > LONGEST_PASSWORD or not value.isprintable():
        raise ValueError(f"must be at most {LONGEST_PASSWORD} printable characters")
    return value


def base_url(value: str) -> str:
    """Read the root address of all links, without a slash at its end."""
    parts = _split(value)
    if not _is_web(parts) or parts.query or parts.fragment or "@" in parts.netloc:
        raise ValueError("must be an absolute address without a query, such as https://api.example.com/hr")
    return value.rstrip("/")


def origins(value: str) -> tuple[str, ...]:
    """Read origins with commas between them; `*` is any."""
    found = tuple(origin.strip() for origin in value.split(",") if origin.strip())
    strange = [origin for origin in found if origin != "*" and not _is_origin(origin)]
    if strange:
        raise ValueError(f"must be origins such as https://app.example.com, but not {', '.join(strange)}")
    return found


def _is_origin(value: str) -> bool:
    parts = _split(value)
    return _is_web(parts) and value == f"{parts.scheme}://{parts.netloc}".lower() and "@" not in value


def _is_web(parts: SplitResult) -> bool:
    return parts.scheme in ("http", "https") and bool(parts.hostname)


def _split(value: str) -> SplitResult:
    try:
        parts = urlsplit(value)
        _ = parts.port  # looked at, because a bad one is noticed only then
    except ValueError:
        return urlsplit("")
    return parts
