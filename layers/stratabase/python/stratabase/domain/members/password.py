"""The rules for passwords: their normal form, and which ones may be chosen."""

import unicodedata
from collections.abc import Callable, Collection
from dataclasses import dataclass
from enum import Enum, auto

from stratabase.domain.members.fields import stray_character
from stratabase.domain.members.member import fold_name

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

    def advice(self, weakness: Weakness) -> str:
        """Return what is wrong, and what would be right."""
        return _ADVICE[weakness].format(shortest=self.shortest, longest=LONGEST_PASSWORD)


_ADVICE = {
    Weakness.SHORT: "is too short: give at least {shortest} characters, such as a few words",
    Weakness.LONG: "is too long: give at most {longest} characters",
    Weakness.UNWRITABLE: "has a character that nobody can type: leave control characters out",
    Weakness.COMMON: "is one of those that everybody tries first: give one that others would not think of",
    Weakness.NAME: "is the username or the e-mail address: give another one",
}
