"""A mail as the bytes that travel (RFC 5322), whatever is in its texts."""

import re
from datetime import UTC, datetime
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP, SMTPUTF8
from email.utils import make_msgid

from stratabase.domain.members.mail.template import Mail
from stratabase.store.mail.address import ENCODED, address_of

_LONGEST_LINE = 998
"""Characters that a line of mail may have."""
_NO_HEADER = re.compile(rf"(?:[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]|{re.escape(ENCODED)})+")


def message_of(mail: Mail, sender: Address) -> EmailMessage:
    """Return the message. Raises ValueError when it is to nobody whom mail can reach."""
    to = address_of(mail.to)
    message = EmailMessage(SMTP if is_plain(to) and is_plain(sender) else SMTPUTF8)
    message["From"] = sender
    message["To"] = to
    message["Subject"] = _NO_HEADER.sub(" ", mail.subject)
    message["Date"] = datetime.now(UTC)
    message["Message-ID"] = make_msgid(domain=sender.domain)
    # So that no vacation notice answers it (RFC 3834).
    message["Auto-Submitted"] = "auto-generated"
    text = mail.text.encode("utf-8", "replace").decode()
    message.set_content(text, cte="7bit" if _goes_as_it_is(text) else "quoted-printable")
    return message


def is_plain(address: Address) -> bool:
    """Return whether every mail server takes an address: not all take more than ASCII before the @."""
    return address.addr_spec.isascii()


def _goes_as_it_is(text: str) -> bool:
    return text.isascii() and all(len(line) <= _LONGEST_LINE for line in text.splitlines())
