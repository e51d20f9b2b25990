"""The rules for passwords: their normal form, and which ones a member can choose."""

import unicodedata
from collections.abc import Callable, Collection
from enum import Enum, auto

from stratabase.members.fields import stray_character
from stratabase.members.member import fold_name
from stratabase.values.frozen import frozen
from stratabase.values.messages import Message, _

MAX_PASSWORD_LENGTH = 128
"""The maximum number of characters. A longer password is refused before hashing, which would take long."""
SHORTEST_PASSWORD = 12
"""The default minimum number of characters in an installation that did not begin with another one."""
NEW_SHORTEST_PASSWORD = 15
"""The default in a new installation. NIST SP 800-63B-4 demands it of a password that is used alone."""


def normalize_password(password: str) -> str:
    """Return the form that is hashed: NFC, so that a password is the same from every keyboard."""
    # NFC joins at most four characters to one, so this password is too long in any form. The time to
    # normalize it would grow with the square of its length.
    if len(password) > 4 * MAX_PASSWORD_LENGTH:
        return password
    return unicodedata.normalize("NFC", password)


class Weakness(Enum):
    """A reason why a password is refused."""

    SHORT = auto()
    LONG = auto()
    UNWRITABLE = auto()
    COMMON = auto()
    NAME = auto()


@frozen
class PasswordPolicy:
    """The passwords that members can choose. There are no rules about kinds of characters."""

    is_common: Callable[[str], bool]
    """Return whether a password is one of those that attackers try first."""
    shortest: int = SHORTEST_PASSWORD
    """The minimum number of characters."""

    def weaknesses(self, password: str, names: Collection[str]) -> tuple[Weakness, ...]:
        """Return everything that is wrong with a password of a member with these names.

        The names are the username and the email address.
        """
        normalized = normalize_password(password)
        checks = {
            Weakness.SHORT: len(normalized) < self.shortest,
            Weakness.LONG: len(normalized) > MAX_PASSWORD_LENGTH,
            Weakness.UNWRITABLE: stray_character(normalized) is not None,
            Weakness.COMMON: len(normalized) <= MAX_PASSWORD_LENGTH and self.is_common(normalized),
            Weakness.NAME: fold_name(normalized) in set(map(fold_name, names)),
        }
        return tuple(weakness for weakness, is_so in checks.items() if is_so)

    def advice(self, weakness: Weakness) -> Message:
        """Return what is wrong with a password, and what would be right."""
        return weakness_advice(weakness, self.shortest)


def weakness_advice(weakness: Weakness, shortest: int) -> Message:
    """Return what is wrong with a password, and what would be right.

    `shortest`: the minimum number of characters.
    """
    messages = {
        Weakness.SHORT: _(
            "The password is too short. Use at least {limit} characters, such as a phrase of several words.",
            limit=shortest,
        ),
        Weakness.LONG: _(
            "The password is too long. Use at most {limit} characters.", limit=MAX_PASSWORD_LENGTH
        ),
        Weakness.UNWRITABLE: _("The password contains an unsupported character. Remove control characters."),
        Weakness.COMMON: _("This password is too common. Choose one that is harder to guess."),
        Weakness.NAME: _(
            "The password must not be the username or the email address. Choose a different password."
        ),
    }
    return messages[weakness]
