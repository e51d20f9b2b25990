"""Construction of the mailer that the settings select (outbox, SMTP, or Amazon SES), and of its queue."""

import sys
from collections.abc import Callable, Mapping
from email.headerregistry import Address
from typing import TYPE_CHECKING

from stratabase.adapters.mail.message import parse_sender
from stratabase.aws import AwsEndpoint
from stratabase.domain.objects.instant import Instant
from stratabase.operations.ports import Mailer
from stratabase.settings import BadSettings, Settings

if TYPE_CHECKING:
    from stratabase.adapters.mail.outbox import Outbox
    from stratabase.adapters.mail_queue.lambda_function import LambdaMailQueue
    from stratabase.adapters.mail_queue.sqlite import SqliteMailQueue


def _outbox(settings: Settings) -> "Outbox":
    from stratabase.adapters.mail.outbox import Outbox  # noqa: PLC0415 - imported only if it is selected

    return Outbox(settings.home / "outbox", _sender(settings), _print_to_console)


def _smtp(settings: Settings) -> Mailer:
    from stratabase.adapters.mail.smtp import SmtpMailer, parse_smtp_url  # noqa: PLC0415 - see above

    if settings.smtp is None and settings.smtp_secret is not None:
        from stratabase.adapters.keyring.secrets_manager import SecretsClient  # noqa: PLC0415 - see above
        from stratabase.adapters.mail.smtp_secret import SecretSmtpMailer  # noqa: PLC0415 - see above

        client = SecretsClient(AwsEndpoint(settings.region, settings.endpoint))
        return SecretSmtpMailer(settings.smtp_secret, client, _sender(settings))
    if settings.smtp is None:
        message = (
            "STRATABASE_SMTP is required when STRATABASE_MAIL is smtp. Use smtp://host:port or "
            "smtps://host:port, with user:password@ if the server requires it."
        )
        raise BadSettings([message])
    return SmtpMailer(parse_smtp_url(settings.smtp), _sender(settings))


def _ses(settings: Settings) -> Mailer:
    from stratabase.adapters.mail.ses import SesMailer  # noqa: PLC0415 - see above

    return SesMailer(settings.region, _sender(settings), settings.endpoint)


_MAILERS: Mapping[str, Callable[[Settings], Mailer]] = {"outbox": _outbox, "smtp": _smtp, "ses": _ses}
"""The functions that build a mailer, by the value of the setting `mail`."""


def build_mailer(settings: Settings) -> Mailer:
    """Return the mailer that the settings select. Raises BadSettings."""
    return _MAILERS[settings.mail](settings)


def check_mailer(settings: Settings) -> None:
    """Raise UnusableStore if the outbox of the settings can't be written, so that all mail would be lost."""
    if settings.mail == "outbox":
        _outbox(settings).check()


def open_mail_queue(settings: Settings, now: Callable[[], Instant]) -> "LambdaMailQueue | SqliteMailQueue":
    """Return the queue of requests for links of forgotten passwords. Raises BadSettings, UnusableStore."""
    if settings.mail_function is not None:
        from stratabase.adapters.mail_queue.lambda_function import LambdaMailQueue  # noqa: PLC0415 - see above

        return LambdaMailQueue(settings.mail_function, AwsEndpoint(settings.region, settings.endpoint))
    if settings.function is not None:
        raise BadSettings(["STRATABASE_MAIL_FUNCTION is required on Lambda, which keeps no files."])
    from stratabase.adapters.mail_queue.sqlite import SqliteMailQueue  # noqa: PLC0415 - see above

    return SqliteMailQueue(settings.home / "mail-queue.db", now)


def _sender(settings: Settings) -> Address:
    try:
        return parse_sender(settings.mail_from)
    except ValueError as error:
        raise BadSettings([f'STRATABASE_MAIL_FROM: "{settings.mail_from}" is not valid. {error}']) from error


def _print_to_console(line: str) -> None:
    print(line, file=sys.stderr, flush=True)  # noqa: T201 - the console is the developer's mailbox
