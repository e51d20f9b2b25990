"""The socket on which the service listens, and its URL."""

import errno
import socket
import time
from collections.abc import Callable

from stratabase.core.setting_values import root_url
from stratabase.terminal.command_error import CommandError

BACKLOG = 2048
BIND_TIMEOUT = 2.0
"""The seconds to wait for a port in use. The worker of a supervisor that was killed needs a moment to end."""


def listen(host: str, port: int, timeout: float = BIND_TIMEOUT) -> socket.socket:
    """Return a socket that listens on an address. Wait up to `timeout` seconds for a port in use.

    Raises CommandError.
    """
    family, address = _resolve(host, port)
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        _bind_with_retries(lambda: listener.bind(address), timeout)
        listener.listen(BACKLOG)
    except OSError as error:
        listener.close()
        raise CommandError(_explain_failure(error, host, port)) from error
    return listener


def listener_url(listener: socket.socket) -> str:
    """Return the base URL by which clients on this machine reach the service."""
    return root_url(*listener.getsockname()[:2])


def _resolve(host: str, port: int) -> tuple[socket.AddressFamily, tuple[str, int]]:
    try:
        addresses = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError) as error:
        raise CommandError(
            f'HOST: "{host}" is not an address of this machine. Use an address such as 127.0.0.1 or ::1.'
        ) from error
    family, _, _, _, address = addresses[0]
    return family, address  # type: ignore[return-value]


def _bind_with_retries(bind: Callable[[], None], timeout: float) -> None:
    deadline = time.monotonic() + timeout
    while True:
        try:
            return bind()
        except OSError as error:
            if error.errno != errno.EADDRINUSE or time.monotonic() > deadline:
                raise
        time.sleep(0.02)


def _explain_failure(error: OSError, host: str, port: int) -> str:
    if error.errno == errno.EADDRINUSE:
        return (
            f"PORT: {port} is in use on {host}. Stop the other program, or use another port: PORT={port + 1}."
        )
    if error.errno == errno.EACCES:
        return f"PORT: {port} requires administrator rights on this machine. Use another port: PORT=8000."
    return f'HOST: "{host}" cannot be used ({error.strerror}). Use an address such as 127.0.0.1.'
