"""Parsers that convert environment variables to the values of settings."""

from collections.abc import Callable, Collection
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, urlsplit

from stratabase.values.frozen import frozen

AWS_CLIENTS = ("signed", "botocore")
LOG_LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR")
MAX_PASSWORD_LENGTH = 128
"""The same limit as in the domain, which this module must not import."""


@frozen
class Variable:
    """An environment variable. `parse` converts its text, or raises a ValueError that says what to use."""

    name: str
    parse: Callable[[str], Any]
    description: str
    secret: bool = False
    instead_if_unset: str = ""
    """The name of another variable, which applies if this one is not set."""

    def error_message(self, text: str, error: ValueError) -> str:
        """Return a line that explains why a text is invalid, without showing a secret."""
        shown = "its value" if self.secret else f'"{text}"'
        return f"{self.name}: {shown} is not valid. {error}"


def parse_port(text: str) -> int:
    """Return a port number. 0 means any free port."""
    if not (text.isascii() and text.isdigit() and len(text) <= 5 and int(text) <= 65535):
        raise ValueError("Use a whole number from 0 (any free port) to 65535.")
    return int(text)


def parse_switch(text: str) -> bool:
    """Return True for `on` and False for `off`."""
    if text not in ("on", "off"):
        raise ValueError("Use on or off.")
    return text == "on"


def whole_number(minimum: int, maximum: int) -> Callable[[str], int]:
    """Return a parser of whole numbers from `minimum` to `maximum`."""

    def parse(text: str) -> int:
        if not (text.isascii() and text.isdigit() and len(text) <= 9 and minimum <= int(text) <= maximum):
            raise ValueError(f"Use a whole number from {minimum:,} to {maximum:,}.")
        return int(text)

    return parse


def one_of(choices: Collection[str]) -> Callable[[str], str]:
    """Return a parser that accepts one of the choices."""

    def parse(text: str) -> str:
        if text not in choices:
            raise ValueError(f"Use one of: {', '.join(choices)}.")
        return text

    return parse


def parse_instance(text: str) -> str:
    """Return the ID of an instance unchanged if it is valid."""
    if not (len(text) <= 64 and text.isascii() and text.replace("-", "").isalnum()):
        raise ValueError("Use at most 64 ASCII letters, digits and hyphens.")
    return text


def parse_smtp_address(text: str) -> str:
    """Return the URL of an SMTP server unchanged if it is valid."""
    parts = _split_url(text)
    if parts.scheme not in ("smtp", "smtps") or not parts.hostname or parts.path.strip("/"):
        raise ValueError(
            "Use smtp://host:port or smtps://host:port, with user:password@ if the server requires it."
        )
    return text


def parse_path(text: str) -> Path:
    """Return a path. Raises ValueError for one that begins with a tilde, which only shells replace."""
    if text.startswith("~"):
        replaced = Path(text).expanduser() if text[1:2] in ("", "/") else "/home/NAME"
        raise ValueError(
            "Only shells replace ~, and only without quotation marks. "
            f"Use the whole path, such as {replaced}. For a folder that is called ~, use ./{text}"
        )
    return Path(text)


def parse_networks(text: str) -> tuple[IPv4Network | IPv6Network, ...]:
    """Return the networks of a list that is separated by commas. An address is a network of its own."""
    networks, invalid = [], []
    for each in filter(None, map(str.strip, text.split(","))):
        try:
            networks.append(ip_network(each))
        except ValueError:
            invalid.append(each)
    if invalid or not networks:
        raise ValueError(
            f"Invalid networks: {', '.join(invalid) or 'none'}. "
            "Use addresses and networks such as 127.0.0.1, 10.0.0.0/8 or fd00::/8, separated by commas."
        )
    return tuple(networks)


def parse_log_level(text: str) -> str:
    """Return a log level in uppercase. The text can have any case."""
    if text.upper() not in LOG_LEVELS:
        raise ValueError(f"Use one of: {', '.join(LOG_LEVELS)}.")
    return text.upper()


def parse_password(text: str) -> str:
    """Return a password unchanged if it is valid."""
    if len(text) > MAX_PASSWORD_LENGTH or not text.isprintable():
        raise ValueError(f"Use at most {MAX_PASSWORD_LENGTH} printable characters.")
    return text


def parse_base_url(text: str) -> str:
    """Return the base URL of all links, without a trailing slash."""
    parts = _split_url(text)
    if not _is_http(parts) or parts.query or parts.fragment or "@" in parts.netloc:
        raise ValueError("Use an absolute URL without a query, such as https://api.example.com/hr.")
    return text.rstrip("/")


def root_url(host: str, port: int) -> str:
    """Return the base URL of a service that listens on a host and port, for clients on this machine."""
    reachable = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 - only a comparison
    return f"http://[{reachable}]:{port}" if ":" in reachable else f"http://{reachable}:{port}"


def parse_page_url(text: str) -> str:
    """Return the URL of a page, which may have a query and a fragment."""
    parts = _split_url(text)
    if not _is_http(parts) or "@" in parts.netloc or not text.isprintable() or " " in text:
        raise ValueError("Use the absolute URL of a page, such as https://app.example.com/#/sign-in.")
    return text


def parse_origins(text: str) -> tuple[str, ...]:
    """Return the origins in a text, separated by commas. `*` stands for all origins."""
    origins = tuple(origin.strip() for origin in text.split(",") if origin.strip())
    invalid = [origin for origin in origins if origin != "*" and not _is_origin(origin)]
    if invalid:
        raise ValueError(
            f"Invalid origins: {', '.join(invalid)}. Use origins such as https://app.example.com."
        )
    return origins


def _is_origin(text: str) -> bool:
    parts = _split_url(text)
    return _is_http(parts) and text == f"{parts.scheme}://{parts.netloc}".lower() and "@" not in text


def _is_http(parts: SplitResult) -> bool:
    return parts.scheme in ("http", "https") and bool(parts.hostname)


def _split_url(text: str) -> SplitResult:
    """Return the parts of a URL, or empty parts if the text is not a URL."""
    try:
        parts = urlsplit(text)
        _ = parts.port  # a bad port raises ValueError only when it is read
    except ValueError:
        return urlsplit("")
    return parts
