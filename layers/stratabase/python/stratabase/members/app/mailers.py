"""The mailers that need no other service than a mail server, built from the settings."""

import sys
from typing import TYPE_CHECKING

from stratabase.core.features import open_service
from stratabase.core.settings import BadSettings, Settings
from stratabase.members.ports import Mailer

if TYPE_CHECKING:
    from email.headerregistry import Address

    from stratabase.members.mailers.outbox import Outbox


def outbox(settings: Settings) -> "Outbox":
    """Return the mailer that writes mails into the data folder. Raises BadSettings."""
    from stratabase.members.mailers.outbox import Outbox  # noqa: PLC0415 - only one mailer is imported

    return Outbox(settings.home / "outbox", sender(settings), _print_to_console)


def smtp(settings: Settings) -> Mailer:
    """Return a client of the mail server that the settings, or a secret, name. Raises BadSettings."""
    if settings.smtp is not None:
        from stratabase.members.mailers.smtp import SmtpMailer, parse_smtp_url  # noqa: PLC0415 - see `outbox`

        return SmtpMailer(parse_smtp_url(settings.smtp), sender(settings))
    mailer: Mailer | None = open_service("smtp_secret", settings)
    if mailer is not None:
        return mailer
    message = (
        "STRATABASE_SMTP is required when STRATABASE_MAIL is smtp. Use smtp://host:port or "
        "smtps://host:port, with user:password@ if the server requires it."
    )
    raise BadSettings([message])


def sender(settings: Settings) -> "Address":
    """Return the sender of mails. Raises BadSettings."""
    from stratabase.members.mailers.message import parse_sender  # noqa: PLC0415 - most functions send no mail

    try:
        return parse_sender(settings.mail_from)
    except ValueError as error:
        message = f'STRATABASE_MAIL_FROM: "{settings.mail_from}" is not valid. {error}'
        raise BadSettings([message]) from error


def _print_to_console(line: str) -> None:
    print(line, file=sys.stderr, flush=True)  # noqa: T201 - the console is the developer's mailbox
