"""A mailer for developers, which writes each mail to a file on this machine."""

import os
import re
import secrets
from collections.abc import Callable
from datetime import UTC, datetime
from email.headerregistry import Address
from pathlib import Path

from stratabase.core.data_folder import check_owner, create_data_folder
from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.core.unusable_store import UnusableStore
from stratabase.members.mail import Mail
from stratabase.members.mailers.message import build_message
from stratabase.values.messages import _

_CREATE_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL
_LINK = re.compile(r"https?://[!-~]+")
"""Matches links of printable ASCII characters only, since a terminal could execute control characters."""


class Outbox:
    """A mailer that writes each mail to a file that only its owner can read, and announces it.

    `folder` is in the data folder, which the first mail creates if it does not exist.
    `announce(text)` receives a text with the path of the file and the links in the mail. The links contain
    tokens, so show the text on a console only, never in a log.
    """

    def __init__(self, folder: Path, sender: Address, announce: Callable[[str], None]) -> None:
        self._folder = folder
        self._sender = sender
        self._announce = announce

    def check(self) -> None:
        """Raise UnusableStore if this process can't write to the folder, or must not, as root."""
        check_owner(self._folder.parent)
        if self._folder.exists() and not os.access(self._folder, os.W_OK | os.X_OK):
            raise UnusableStore(
                f"{self._folder} can't be written, so no mail could be sent. Allow the current user to write "
                "to it."
            )

    def send(self, mail: Mail) -> None:
        """Write a mail. Raises RecipientRefused, Unavailable, UnusableStore."""
        try:
            message = build_message(mail, self._sender)
            path = self._write_file(bytes(message))
        except (OSError, ValueError) as error:
            raise Unavailable(_("The email couldn't be written to the outbox.")) from error
        links = "".join(f"\n  {link}" for link in _LINK.findall(mail.text))
        self._announce(f"A mail to {message['To']} lies in {path}{links}")

    def _write_file(self, content: bytes) -> Path:
        """Write a new file and return its path. The file gets its final name only when it is complete."""
        create_data_folder(self._folder.parent)
        self._folder.mkdir(mode=0o700, exist_ok=True)
        path = self._folder / f"{datetime.now(UTC):%Y%m%dT%H%M%S%f}-{secrets.token_hex(4)}.eml"
        unfinished = path.with_suffix(".part")
        with os.fdopen(os.open(unfinished, _CREATE_NEW, 0o600), "wb") as file:
            file.write(content)
        return unfinished.rename(path)
