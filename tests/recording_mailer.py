"""A mailer that records mails."""

import re
from urllib.parse import parse_qs, urlsplit

from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.core.observe import Log
from stratabase.members.mail import Mail
from stratabase.members.operations.email_change import EmailChange
from stratabase.members.ports import Members
from stratabase.members.refusals import RecipientRefused
from stratabase.values.messages import verbatim
from tests.fakes import FrozenClock
from tests.in_memory_attempts import InMemoryAttempts

_LINK = re.compile(r"https?://\S+")


class RecordingMailer:
    """Records mails. `refuse` refuses every mail, `unreachable` those to that address, `unknown` for good."""

    def __init__(self) -> None:
        self.mails: list[Mail] = []
        self.refuse = False
        self.unreachable: str | None = None
        self.unknown: str | None = None

    def send(self, mail: Mail) -> None:
        if self.refuse or mail.to == self.unreachable:
            raise Unavailable(verbatim("The email couldn't be sent."))
        if mail.to == self.unknown:
            raise RecipientRefused(verbatim("nobody there"))
        self.mails.append(mail)

    @property
    def link(self) -> str:
        """The link in the last mail."""
        (link,) = _LINK.findall(self.mails[-1].text)
        return str(link)

    @property
    def token(self) -> str:
        """The token in the last link."""
        (token,) = parse_qs(urlsplit(self.link).query)["token"]
        return token


def email_change(members: Members, mails: RecordingMailer | None = None) -> EmailChange:
    """Return the operation that confirms new addresses, with a frozen clock and no prior attempts."""
    return EmailChange(
        members,
        mails or RecordingMailer(),
        InMemoryAttempts(),
        FrozenClock(),
        log=Log("ERROR"),
        application="Hr",
    )
