"""Mails as the bytes that travel (RFC 5322), whatever their texts are, and addresses as mail spells them."""

import re
from datetime import UTC, datetime
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP, SMTPUTF8
from email.utils import getaddresses, make_msgid

from stratabase.domain.members.mail import Mail
from stratabase.model.constraints.email import ascii_domain

MAIL_RETRY_AFTER = 30
"""Seconds after which another attempt makes sense when a mail could not be sent."""

_ENCODED_WORD = "=?"
"""How a header's encoded words begin (RFC 2047): the library decodes them, even to the end of a line."""
_HOST = re.compile(r"[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*")
_MAX_LINE = 998
"""Characters that a line of mail may have."""
_UNSAFE_IN_HEADER = re.compile(
    rf"(?:[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]|{re.escape(_ENCODED_WORD)})+"
)


def parse_sender(text: str) -> Address:
    """Return the address in a text such as `Hr <no-reply@example.com>`. Raises ValueError."""
    try:
        ((name, address),) = getaddresses([text])
        return parse_address(address, name)
    except ValueError:
        raise ValueError(
            f"{text!a} names no sender of mail; give one such as Hr <no-reply@example.com>"
        ) from None


def parse_address(text: str, display_name: str = "") -> Address:
    """Return the address of a text, its domain in ASCII as the net knows it (IDNA). Raises ValueError."""
    local, _, host = text.rpartition("@")
    domain = ascii_domain(host)
    if not local or not _is_literal(f"{local}{display_name}") or not _HOST.fullmatch(domain):
        raise ValueError("this is no e-mail address")
    return Address(display_name, local, domain)


def has_ascii_mailbox(address: Address) -> bool:
    """Return whether every mail server takes an address: not all take more than ASCII before the @."""
    return address.addr_spec.isascii()


def build_message(mail: Mail, sender: Address) -> EmailMessage:
    """Return the message of a mail. Raises ValueError when its recipient is no address."""
    recipient = parse_address(mail.to)
    is_ascii = has_ascii_mailbox(recipient) and has_ascii_mailbox(sender)
    message = EmailMessage(SMTP if is_ascii else SMTPUTF8)
    message["From"] = sender
    message["To"] = recipient
    message["Subject"] = _UNSAFE_IN_HEADER.sub(" ", mail.subject)
    message["Date"] = datetime.now(UTC)
    message["Message-ID"] = make_msgid(domain=sender.domain)
    # So that no vacation notice answers it (RFC 3834).
    message["Auto-Submitted"] = "auto-generated"
    text = mail.text.encode("utf-8", "replace").decode()
    message.set_content(text, cte="7bit" if _fits_7bit(text) else "quoted-printable")
    return message


def _is_literal(text: str) -> bool:
    """Return whether the library writes a text into a header as it is."""
    return text.isprintable() and _ENCODED_WORD not in text


def _fits_7bit(text: str) -> bool:
    return text.isascii() and all(len(line) <= _MAX_LINE for line in text.splitlines())
