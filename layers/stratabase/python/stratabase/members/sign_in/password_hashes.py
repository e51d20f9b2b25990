"""Password hashing with argon2id, and detection of common passwords."""

import unicodedata
from functools import cache, cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from argon2 import PasswordHasher

MEMORY = 19 * 1024
"""In KiB. With two passes and one lane, a hash takes 20 to 30 ms. OWASP recommends this for scarce memory."""
PASSES = 2
LANES = 1

_DUMMY_HASH = (
    "$argon2id$v=19$m=19456,t=2,p=1$/7yWTFlfbzOMmXtaGHAo0g$FmTLfFR4jRIxbhE/MaZr+nVDokGZETsbKJW58ExewwY"
)
"""A hash whose password nobody knows. Verifying it when a member has no hash makes timing uniform."""

_SEQUENCES = (
    "abcdefghijklmnopqrstuvwxyz",
    "0123456789",
    "qwertyuiopasdfghjklzxcvbnm",
    "1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik9ol0p",
)
"""The alphabet, the digits and keyboard patterns. The lists of common passwords have few parts of them."""
_MAX_TRIVIAL_LENGTH = 3
"""The maximum length of a text whose repetition is always a common password."""


class Argon2Passwords:
    """Password hashing by argon2id. A hash includes its parameters, so it stays valid if they change here."""

    def hash(self, password: str) -> str:
        """Return a new hash of a password in PHC string format."""
        return self._hasher.hash(password)

    def verify(self, hashed: str | None, password: str) -> bool:
        """Return whether a hash belongs to a password. `hashed` is None if the member has no password."""
        from argon2.exceptions import VerifyMismatchError  # noqa: PLC0415 - see _hasher

        try:
            return self._hasher.verify(hashed or _DUMMY_HASH, password) and hashed is not None
        except VerifyMismatchError:
            return False

    def is_common(self, password: str) -> bool:
        """Return whether a password is common: on a list, a repetition, or a keyboard sequence.

        Case does not matter.
        """
        folded = unicodedata.normalize("NFC", password).casefold()
        # The shortest text whose repetition is the password, or the password itself.
        unit = folded[: (folded * 2).find(folded, 1)]
        return len(unit) <= _MAX_TRIVIAL_LENGTH or unit in _listed_passwords() or _is_sequence(folded)

    @cached_property
    def _hasher(self) -> "PasswordHasher":
        # Imported on first use, because requests with a token do not need it.
        from argon2 import PasswordHasher  # noqa: PLC0415 - see above

        return PasswordHasher(time_cost=PASSES, memory_cost=MEMORY, parallelism=LANES)


@cache
def _listed_passwords() -> frozenset[str]:
    # Imported only when somebody chooses a password: the lists take 20 ms and some megabytes.
    from zxcvbn.frequency_lists import FREQUENCY_LISTS  # noqa: PLC0415 - see above

    return frozenset[str]().union(*FREQUENCY_LISTS.values())


def _is_sequence(password: str) -> bool:
    """Return whether a password is a part of a repeated sequence, forward or backward."""
    return any(
        password in sequence * (len(password) // len(sequence) + 2)
        for forwards in _SEQUENCES
        for sequence in (forwards, forwards[::-1])
    )
