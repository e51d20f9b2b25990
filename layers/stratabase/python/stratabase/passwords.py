"""Hashes passwords with argon2id, and knows those that everybody tries first."""

import unicodedata
from functools import cache, cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from argon2 import PasswordHasher

MEMORY = 19 * 1024
"""KiB. With two passes and one lane: 20 to 30 ms, and OWASP's first choice where memory is dear."""
PASSES = 2
LANES = 1

_NOBODYS = "$argon2id$v=19$m=19456,t=2,p=1$/7yWTFlfbzOMmXtaGHAo0g$FmTLfFR4jRIxbhE/MaZr+nVDokGZETsbKJW58ExewwY"
"""A hash whose password nobody knows. It is verified in place of one that is missing, to take as long."""

_RUNS = (
    "abcdefghijklmnopqrstuvwxyz",
    "0123456789",
    "qwertyuiopasdfghjklzxcvbnm",
    "1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik9ol0p",
)
"""Along the alphabet, the digits and the keyboard; the lists leave out what is as easily made."""
_SHORT = 3
"""A piece of so few characters makes no good password, however often it is repeated."""


class Argon2Passwords:
    """Passwords by argon2id; the cost of new hashes is in their spelling, so old ones stay good."""

    def hash(self, password: str) -> str:
        """Return a new hash of a password, in PHC spelling."""
        return self._hasher.hash(password)

    def verify(self, hashed: str | None, password: str) -> bool:
        """Return whether a hash was made of this password; None is the hash of no password at all."""
        from argon2.exceptions import VerifyMismatchError  # noqa: PLC0415 - see _hasher

        try:
            return self._hasher.verify(hashed or _NOBODYS, password) and hashed is not None
        except VerifyMismatchError:
            return False

    def is_common(self, password: str) -> bool:
        """Return whether a password is listed, a listed one over and over, or a run of keys, in any case."""
        folded = unicodedata.normalize("NFC", password).casefold()
        piece = folded[: (folded * 2).find(folded, 1)]
        return len(piece) <= _SHORT or piece in _listed() or _is_run(folded)

    @cached_property
    def _hasher(self) -> "PasswordHasher":
        # Imported at first use: a request with a token has no password, and need not pay for it.
        from argon2 import PasswordHasher  # noqa: PLC0415 - see above

        return PasswordHasher(time_cost=PASSES, memory_cost=MEMORY, parallelism=LANES)


@cache
def _listed() -> frozenset[str]:
    # Imported when a password is chosen: the lists take 20 ms and some megabytes.
    from zxcvbn.frequency_lists import FREQUENCY_LISTS  # noqa: PLC0415 - see above

    return frozenset[str]().union(*FREQUENCY_LISTS.values())


def _is_run(password: str) -> bool:
    """Return whether a password goes along a run, forwards or backwards, and on from its beginning."""
    return any(
        password in run * (len(password) // len(run) + 2)
        for forwards in _RUNS
        for run in (forwards, forwards[::-1])
    )
