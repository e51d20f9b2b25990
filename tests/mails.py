"""A mailer that keeps what it is given, for tests of what sends mail."""

import re
from urllib.parse import parse_qs, urlsplit

from stratabase.domain.mail import Mail
from stratabase.domain.refusal import Unavailable

_LINK = re.compile(r"https?://\S+")


class KeptMails:
    """Mails in a list; `refuse`: nobody takes any."""

    def __init__(self) -> None:
        self.mails: list[Mail] = []
        self.refuse = False

    def send(self, mail: Mail) -> None:
        if self.refuse:
            raise Unavailable("The mail could not be sent.")
        self.mails.append(mail)

    @property
    def link(self) -> str:
        """The link in the last mail."""
        (link,) = _LINK.findall(self.mails[-1].text)
        return str(link)

    @property
    def token(self) -> str:
        """The token in that link."""
        (token,) = parse_qs(urlsplit(self.link).query)["token"]
        return token
