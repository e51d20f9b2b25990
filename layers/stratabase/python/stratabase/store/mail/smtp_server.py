"""An SMTP server, as the setting names it."""

from typing import NamedTuple
from urllib.parse import unquote, urlsplit

PORTS = {"smtp": 587, "smtps": 465}
"""Where servers take mail from those who write it (RFC 8314), by the scheme of their address."""


class Server(NamedTuple):
    """Where it is, and how one signs in."""

    host: str
    port: int
    encrypted: bool = False
    """From the first byte on; otherwise as soon as the server offers it."""
    username: str | None = None
    password: str = ""

    def __repr__(self) -> str:
        return f"Server({self.host!r}, {self.port})"


def server_of(url: str) -> Server:
    """Return the server of `smtp://user:password@host:port` or `smtps://…`, its name and password decoded."""
    parts = urlsplit(url)
    return Server(
        parts.hostname or "",
        parts.port or PORTS[parts.scheme],
        parts.scheme == "smtps",
        None if parts.username is None else unquote(parts.username),
        unquote(parts.password or ""),
    )
