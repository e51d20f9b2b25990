"""Email messages (RFC 5322) and email addresses."""

import re
from datetime import UTC, datetime
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP, SMTPUTF8
from email.utils import getaddresses, make_msgid

from stratabase.core.model.constraints.email import ascii_domain
from stratabase.members.mail import Mail
from stratabase.members.refusals import RecipientRefused
from stratabase.values.messages import _

MAIL_RETRY_AFTER = 30
"""The seconds after which a client can retry when a mail could not be sent."""

_ENCODED_WORD = "=?"
"""The beginning of an encoded word in a header (RFC 2047). Python decodes such words, even to line breaks."""
_HOST = re.compile(r"[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*")
_MAX_LINE = 998
"""The maximum number of characters in a line of a message."""
_UNSAFE_IN_HEADER = re.compile(
    rf"(?:[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]|{re.escape(_ENCODED_WORD)})+"
)


def parse_sender(text: str) -> Address:
    """Return the address of a sender from a text such as `Hr <no-reply@example.com>`. Raises ValueError."""
    try:
        ((name, address),) = getaddresses([text])
        return parse_address(address, name)
    except ValueError:
        raise ValueError("Use the address of a sender, such as Hr <no-reply@example.com>.") from None


def parse_address(text: str, display_name: str = "") -> Address:
    """Return the address in a text, with its domain in ASCII (IDNA). Raises ValueError."""
    local, _, host = text.rpartition("@")
    domain = ascii_domain(host)
    if not local or not _is_literal(f"{local}{display_name}") or not _HOST.fullmatch(domain):
        raise ValueError("this is not an e-mail address")
    return Address(display_name, local, domain)


def has_ascii_mailbox(address: Address) -> bool:
    """Return whether every mail server accepts an address: not all accept more than ASCII before the @."""
    return address.addr_spec.isascii()


def _parse_recipient(mail: Mail) -> Address:
    """Return the address of the recipient of a mail. Raises RecipientRefused if it is not a valid address."""
    try:
        return parse_address(mail.to)
    except ValueError as error:
        message = _(
            'No email can be sent to this "email", because it isn\'t a valid address. Use another one.'
        )
        raise RecipientRefused(message) from error


def unsupported_mailbox() -> RecipientRefused:
    """Return the refusal of an address that has more than ASCII before the @ (see `has_ascii_mailbox`)."""
    return RecipientRefused(
        _(
            'No email can be sent to this "email", because the email server supports only ASCII characters '
            "before the @. Use another address."
        )
    )


def build_message(mail: Mail, sender: Address) -> EmailMessage:
    """Return the email message of a mail. Raises RecipientRefused."""
    recipient = _parse_recipient(mail)
    is_ascii = has_ascii_mailbox(recipient) and has_ascii_mailbox(sender)
    message = EmailMessage(SMTP if is_ascii else SMTPUTF8)
    message["From"] = sender
    message["To"] = recipient
    message["Subject"] = _UNSAFE_IN_HEADER.sub(" ", mail.subject)
    message["Date"] = datetime.now(UTC)
    message["Message-ID"] = make_msgid(domain=sender.domain)
    # Prevents automatic replies such as vacation notices (RFC 3834).
    message["Auto-Submitted"] = "auto-generated"
    text = mail.text.encode("utf-8", "replace").decode()
    message.set_content(text, cte="7bit" if _fits_7bit(text) else "quoted-printable")
    return message


def _is_literal(text: str) -> bool:
    """Return whether Python's email package writes a text into a header unchanged."""
    return text.isprintable() and _ENCODED_WORD not in text


def _fits_7bit(text: str) -> bool:
    return text.isascii() and all(len(line) <= _MAX_LINE for line in text.splitlines())
