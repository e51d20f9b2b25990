"""Hashes passwords with argon2id, and recognizes common ones."""

import unicodedata
from functools import cache, cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from argon2 import PasswordHasher

MEMORY = 19 * 1024
"""KiB. With two passes and one lane: 20 to 30 ms, and OWASP's first choice where memory is scarce."""
PASSES = 2
LANES = 1

_DUMMY_HASH = (
    "$argon2id$v=19$m=19456,t=2,p=1$/7yWTFlfbzOMmXtaGHAo0g$FmTLfFR4jRIxbhE/MaZr+nVDokGZETsbKJW58ExewwY"
)
"""A hash whose password nobody knows. It is verified where there is no hash, to take the same time."""

_SEQUENCES = (
    "abcdefghijklmnopqrstuvwxyz",
    "0123456789",
    "qwertyuiopasdfghjklzxcvbnm",
    "1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik9ol0p",
)
"""The alphabet, the digits and rows of keys: the lists of common passwords have few pieces of them."""
_MAX_TRIVIAL_LENGTH = 3
"""A text of at most so many characters makes no good password, however often it is repeated."""


class Argon2Passwords:
    """Passwords by argon2id. Each hash states its own cost, so hashes stay valid when the cost changes."""

    def hash(self, password: str) -> str:
        """Return a new hash of a password, in PHC spelling."""
        return self._hasher.hash(password)

    def verify(self, hashed: str | None, password: str) -> bool:
        """Return whether a hash was made of this password; None is the hash of no password at all."""
        from argon2.exceptions import VerifyMismatchError  # noqa: PLC0415 - see _hasher

        try:
            return self._hasher.verify(hashed or _DUMMY_HASH, password) and hashed is not None
        except VerifyMismatchError:
            return False

    def is_common(self, password: str) -> bool:
        """Return whether a password, in any case, is a listed one (or repeats one), or a sequence of keys."""
        folded = unicodedata.normalize("NFC", password).casefold()
        # The shortest text whose repetition is the password: the password itself, if none repeats.
        unit = folded[: (folded * 2).find(folded, 1)]
        return len(unit) <= _MAX_TRIVIAL_LENGTH or unit in _listed_passwords() or _is_sequence(folded)

    @cached_property
    def _hasher(self) -> "PasswordHasher":
        # Imported at first use: a request with a token has no password, and need not pay for it.
        from argon2 import PasswordHasher  # noqa: PLC0415 - see above

        return PasswordHasher(time_cost=PASSES, memory_cost=MEMORY, parallelism=LANES)


@cache
def _listed_passwords() -> frozenset[str]:
    # Imported when a password is chosen: the lists take 20 ms and some megabytes.
    from zxcvbn.frequency_lists import FREQUENCY_LISTS  # noqa: PLC0415 - see above

    return frozenset[str]().union(*FREQUENCY_LISTS.values())


def _is_sequence(password: str) -> bool:
    """Return whether a password is part of a sequence that starts again at its end, or of its reverse."""
    return any(
        password in sequence * (len(password) // len(sequence) + 2)
        for forwards in _SEQUENCES
        for sequence in (forwards, forwards[::-1])
    )
