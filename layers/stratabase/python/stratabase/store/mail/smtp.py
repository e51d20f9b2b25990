"""Mail by SMTP (RFC 5321), encrypted wherever the server can."""

import smtplib
import ssl
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from email.headerregistry import Address

from stratabase.domain.issues.refusals import Unavailable
from stratabase.domain.members.mail.template import Mail
from stratabase.store.mail.message import message_of
from stratabase.store.mail.smtp_login import log_in
from stratabase.store.mail.smtp_server import Server

PATIENCE = 10.0
"""Seconds to wait for each thing that a server does."""
RETRY_AFTER = 30
"""Seconds after which it makes sense to try again."""


class SmtpMailer:
    """Hands each mail to a server, over a connection of its own.

    What the server offers to encrypt is encrypted, and its certificate is checked against `trust`, or
    against what this machine trusts.
    """

    def __init__(
        self,
        server: Server,
        sender: Address,
        patience: float = PATIENCE,
        trust: ssl.SSLContext | None = None,
    ) -> None:
        self._server = server
        self._sender = sender
        self._patience = patience
        self._trust = trust

    def send(self, mail: Mail) -> None:
        """Send a mail. Raises Unavailable."""
        try:
            message = message_of(mail, self._sender)
            with self._connection() as client:
                client.send_message(message)
        except (OSError, ValueError, smtplib.SMTPException) as error:
            raise Unavailable("The mail could not be sent.", RETRY_AFTER) from error

    @contextmanager
    def _connection(self) -> Iterator[smtplib.SMTP]:
        client = self._connected()
        try:
            self._encrypt(client)
            log_in(client, self._server)
            yield client
            # The server has the mail: how it says goodbye changes nothing.
            with suppress(OSError, smtplib.SMTPException):
                client.quit()
        finally:
            client.close()

    def _connected(self) -> smtplib.SMTP:
        server, name = self._server, self._sender.domain
        if server.encrypted:
            return smtplib.SMTP_SSL(
                server.host, server.port, name, timeout=self._patience, context=self._context()
            )
        return smtplib.SMTP(server.host, server.port, name, timeout=self._patience)

    def _encrypt(self, client: smtplib.SMTP) -> None:
        client.ehlo_or_helo_if_needed()
        if not self._server.encrypted and client.has_extn("starttls"):
            client.starttls(context=self._context())
            client.ehlo_or_helo_if_needed()

    def _context(self) -> ssl.SSLContext:
        return self._trust or ssl.create_default_context()
