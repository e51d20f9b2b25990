"""Signing in at an SMTP server (RFC 4954), where nobody can listen."""

import smtplib
import ssl
from base64 import b64encode
from ipaddress import ip_address

from stratabase.store.mail.smtp_server import Server

_SIGNED_IN = 235


def log_in(client: smtplib.SMTP, server: Server) -> None:
    """Sign in, if there is a name to do it with. Raises SMTPException, rather than show a password around."""
    if server.username is None:
        return
    if not _is_private(client):
        raise smtplib.SMTPException("the server offers no encryption, so the password was not sent")
    if f"{server.username}{server.password}".isascii():
        client.login(server.username, server.password)
    else:
        _log_in_beyond_ascii(client, server)


def _is_private(client: smtplib.SMTP) -> bool:
    """Return whether what is sent stays between here and the server."""
    sock = client.sock
    assert sock is not None, "it is connected"
    return isinstance(sock, ssl.SSLSocket) or ip_address(sock.getpeername()[0]).is_loopback


def _log_in_beyond_ascii(client: smtplib.SMTP, server: Server) -> None:
    # PLAIN takes any UTF-8 (RFC 4616), but smtplib does not write it.
    credentials = b64encode(f"\0{server.username}\0{server.password}".encode()).decode()
    code, reply = client.docmd("AUTH", f"PLAIN {credentials}")
    if code != _SIGNED_IN:
        raise smtplib.SMTPAuthenticationError(code, reply)
