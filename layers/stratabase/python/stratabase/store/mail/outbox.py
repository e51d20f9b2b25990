"""Mail that goes nowhere: files in a folder, for those who try the service on their own machine."""

import os
import re
import secrets
from collections.abc import Callable
from datetime import UTC, datetime
from email.headerregistry import Address
from pathlib import Path

from stratabase.domain.issues.refusals import Unavailable
from stratabase.domain.members.mail.template import Mail
from stratabase.store.mail.message import message_of

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL
_LINK = re.compile(r"https?://[!-~]+")
"""In what a terminal takes for letters, and not for orders."""


class Outbox:
    """Puts each mail into a file that only its owner may read, and tells a person about it.

    `tell` gets one text, with the links of the mail: it is for a console, never for a log that others read.
    """

    def __init__(self, folder: Path, sender: Address, tell: Callable[[str], None]) -> None:
        self._folder = folder
        self._sender = sender
        self._tell = tell

    def send(self, mail: Mail) -> None:
        """Write a mail. Raises Unavailable."""
        try:
            message = message_of(mail, self._sender)
            path = self._written(bytes(message))
        except (OSError, ValueError) as error:
            raise Unavailable("The mail could not be put into the outbox.") from error
        links = "".join(f"\n  {link}" for link in _LINK.findall(mail.text))
        self._tell(f"A mail to {message['To']} lies in {path}{links}")

    def _written(self, content: bytes) -> Path:
        """Write a file under a name of its own, which appears when it is whole."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        path = self._folder / f"{datetime.now(UTC):%Y%m%dT%H%M%S%f}-{secrets.token_hex(4)}.eml"
        unfinished = path.with_suffix(".part")
        with os.fdopen(os.open(unfinished, _NEW, 0o600), "wb") as file:
            file.write(content)
        return unfinished.rename(path)
