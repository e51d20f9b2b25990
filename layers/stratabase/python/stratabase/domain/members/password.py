"""The rules for passwords: their normal form, and which ones may be chosen."""

import unicodedata
from collections.abc import Callable, Collection
from dataclasses import dataclass
from enum import Enum, auto

from stratabase.domain.members.fields import stray_character
from stratabase.domain.members.member import fold_name
from stratabase.messages import Message, _

LONGEST_PASSWORD = 128
"""Characters; more are refused unhashed, so that nobody can keep the service busy with megabytes."""
SHORTEST_PASSWORD = 12
"""Characters, unless a setting says otherwise."""


def normalize_password(password: str) -> str:
    """Return the spelling that is hashed: NFC, so that one password is the same from every keyboard."""
    # One that is too long in every spelling is left as it is, since four characters make one at most:
    # the time that it would take grows with the square of its length.
    if len(password) > 4 * LONGEST_PASSWORD:
        return password
    return unicodedata.normalize("NFC", password)


class Weakness(Enum):
    """Why a password may not be chosen."""

    SHORT = auto()
    LONG = auto()
    UNWRITABLE = auto()
    COMMON = auto()
    NAME = auto()


@dataclass(frozen=True, slots=True)
class PasswordPolicy:
    """Which passwords may be chosen; there are no rules about what they are composed of."""

    is_common: Callable[[str], bool]
    """Whether a password is one of those that everybody tries first."""
    shortest: int = SHORTEST_PASSWORD
    """Characters."""

    def weaknesses(self, password: str, names: Collection[str]) -> tuple[Weakness, ...]:
        """Return all that is wrong with a password of a member with these names: username, e-mail address."""
        chosen = normalize_password(password)
        found = {
            Weakness.SHORT: len(chosen) < self.shortest,
            Weakness.LONG: len(chosen) > LONGEST_PASSWORD,
            Weakness.UNWRITABLE: stray_character(chosen) is not None,
            Weakness.COMMON: len(chosen) <= LONGEST_PASSWORD and self.is_common(chosen),
            Weakness.NAME: fold_name(chosen) in set(map(fold_name, names)),
        }
        return tuple(weakness for weakness, is_so in found.items() if is_so)

    def advice(self, weakness: Weakness) -> Message:
        """Return what is wrong with a password, and what would be right."""
        return weakness_advice(weakness, self.shortest)


def weakness_advice(weakness: Weakness, shortest: int) -> Message:
    """Return what is wrong with a password that must have `shortest` characters, and what would be right."""
    messages = {
        Weakness.SHORT: _(
            "The password is too short. Use at least {limit} characters, such as a phrase of several words.",
            limit=shortest,
        ),
        Weakness.LONG: _("The password is too long. Use at most {limit} characters.", limit=LONGEST_PASSWORD),
        Weakness.UNWRITABLE: _("The password contains an unsupported character. Remove control characters."),
        Weakness.COMMON: _("This password is too common. Choose one that is harder to guess."),
        Weakness.NAME: _(
            "The password must not be the username or the email address. Choose a different password."
        ),
    }
    return messages[weakness]
