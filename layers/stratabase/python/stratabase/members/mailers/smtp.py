"""The mailer for SMTP (RFC 5321). It encrypts the connection if the server supports that."""

import re
import smtplib
import ssl
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from email.headerregistry import Address
from ipaddress import ip_address
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.members.mail import Mail
from stratabase.members.mailers.message import (
    MAIL_RETRY_AFTER,
    build_message,
    has_ascii_mailbox,
    unsupported_mailbox,
)
from stratabase.members.refusals import RecipientRefused
from stratabase.values.messages import _

TIMEOUT = 10.0
"""The seconds to wait for each reply of a server."""
DEFAULT_PORTS = {"smtp": 587, "smtps": 465}
"""The default ports for mail submission (RFC 8314), by the scheme of the server's URL."""
_ADDRESS_CODES = frozenset({550, 551, 553, 556})
"""Reply codes to RCPT (RFC 5321 and 7504) that are about the address, unless an enhanced status says more."""
_ENHANCED_STATUS = re.compile(rb"5\.(\d{1,3})\.\d{1,3}\b")
"""A permanent enhanced status code (RFC 3463). The first group is its subject."""
_ADDRESS_SUBJECTS = frozenset({b"1", b"2", b"6"})
"""The subjects of enhanced status codes that are about an address, its mailbox, or its characters."""
_MAX_REPLY_LENGTH = 200
_AUTHENTICATED = 235
"""The reply code of a successful AUTH."""


class SmtpServer(NamedTuple):
    """The address and credentials of an SMTP server."""

    host: str
    port: int
    encrypted: bool = False
    """Whether the connection uses TLS from the start. If not, the mailer uses STARTTLS if offered."""
    username: str | None = None
    password: str = ""

    def __repr__(self) -> str:
        return f"SmtpServer({self.host!r}, {self.port})"


def parse_smtp_url(url: str) -> SmtpServer:
    """Return the server in a URL such as `smtp://user:password@host:port`, with decoded credentials."""
    parts = urlsplit(url)
    return SmtpServer(
        parts.hostname or "",
        parts.port or DEFAULT_PORTS[parts.scheme],
        parts.scheme == "smtps",
        None if parts.username is None else unquote(parts.username),
        unquote(parts.password or ""),
    )


class SmtpMailer:
    """A mailer that sends each mail over its own connection to an SMTP server.

    The connection is encrypted if the server supports it. `tls_context` verifies the server's certificate.
    The default trusts the certificate authorities of this machine. `timeout` is in seconds.
    """

    def __init__(
        self,
        server: SmtpServer,
        sender: Address,
        timeout: float = TIMEOUT,
        tls_context: ssl.SSLContext | None = None,
    ) -> None:
        self._server = server
        self._sender = sender
        self._timeout = timeout
        self._custom_tls_context = tls_context

    def send(self, mail: Mail) -> None:
        """Send a mail. Raises RecipientRefused, Unavailable."""
        try:
            message = build_message(mail, self._sender)
            with self._session() as client:
                (recipient,) = message["To"].addresses
                if not has_ascii_mailbox(recipient) and not client.has_extn("smtputf8"):
                    raise unsupported_mailbox()
                client.send_message(message)
        except smtplib.SMTPRecipientsRefused as error:
            raise _recipient_refusal(error) from error
        except (OSError, ValueError, smtplib.SMTPException) as error:
            raise Unavailable(_("The email couldn't be sent."), MAIL_RETRY_AFTER) from error

    @contextmanager
    def _session(self) -> Iterator[smtplib.SMTP]:
        """Yield a client that is connected, encrypted if possible, and logged in if there are credentials."""
        client = self._connect()
        try:
            self._start_tls(client)
            _log_in(client, self._server)
            yield client
            # The server has accepted the mail, so errors at QUIT do not matter.
            with suppress(OSError, smtplib.SMTPException):
                client.quit()
        finally:
            client.close()

    def _connect(self) -> smtplib.SMTP:
        host, port, own_name = self._server.host, self._server.port, self._sender.domain
        if self._server.encrypted:
            context = self._tls_context()
            return smtplib.SMTP_SSL(host, port, own_name, timeout=self._timeout, context=context)
        return smtplib.SMTP(host, port, own_name, timeout=self._timeout)

    def _start_tls(self, client: smtplib.SMTP) -> None:
        client.ehlo_or_helo_if_needed()
        if not self._server.encrypted and client.has_extn("starttls"):
            client.starttls(context=self._tls_context())
            client.ehlo_or_helo_if_needed()

    def _tls_context(self) -> ssl.SSLContext:
        return self._custom_tls_context or ssl.create_default_context()


def _recipient_refusal(error: smtplib.SMTPRecipientsRefused) -> RecipientRefused | Unavailable:
    """Return the refusal for the reply of a server to the only recipient of a mail."""
    ((code, reply),) = error.recipients.values()
    if not _is_about_address(code, reply):
        return Unavailable(_("The email couldn't be sent."), MAIL_RETRY_AFTER)
    return RecipientRefused(
        _(
            'The email server takes no email for this "email": {reply}. Use another address.',
            reply=_readable(code, reply),
        )
    )


def _is_about_address(code: int, reply: bytes) -> bool:
    """Return whether a server refuses a recipient for good, and because of the address.

    Other replies are about this service (such as a missing login, or no permission to relay), or temporary.
    """
    status = _ENHANCED_STATUS.match(reply)
    return status[1] in _ADDRESS_SUBJECTS if status else code in _ADDRESS_CODES


def _readable(code: int, reply: bytes) -> str:
    """Return a server's reply as a text for a message."""
    text = "".join(each if each.isprintable() else " " for each in reply.decode(errors="replace"))
    return f"{code} {text}".strip(" .")[:_MAX_REPLY_LENGTH]


def _log_in(client: smtplib.SMTP, server: SmtpServer) -> None:
    """Log in (RFC 4954) if the server's URL has a username.

    Raises SMTPException, also if the password would be sent unencrypted.
    """
    if server.username is None:
        return
    if not _is_private(client):
        raise smtplib.SMTPException("the server offers no encryption, so the password was not sent")
    if f"{server.username}{server.password}".isascii():
        client.login(server.username, server.password)
    else:
        _log_in_with_utf8(client, server)


def _is_private(client: smtplib.SMTP) -> bool:
    """Return whether a connection is encrypted or stays on this machine."""
    sock = client.sock
    assert sock is not None, "it is connected"
    return isinstance(sock, ssl.SSLSocket) or ip_address(sock.getpeername()[0]).is_loopback


def _log_in_with_utf8(client: smtplib.SMTP, server: SmtpServer) -> None:
    # PLAIN allows UTF-8 (RFC 4616), but smtplib encodes credentials as ASCII.
    credentials = b64encode(f"\0{server.username}\0{server.password}".encode()).decode()
    code, reply = client.docmd("AUTH", f"PLAIN {credentials}")
    if code != _AUTHENTICATED:
        raise smtplib.SMTPAuthenticationError(code, reply)
