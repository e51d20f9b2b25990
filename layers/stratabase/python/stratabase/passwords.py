"""Hashes passwords with argon2id."""

from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from argon2 import PasswordHasher

MEMORY = 19 * 1024
"""KiB. With two passes and one lane: 20 to 30 ms, and OWASP's first choice where memory is dear."""
PASSES = 2
LANES = 1

_NOBODYS = "$argon2id$v=19$m=19456,t=2,p=1$/7yWTFlfbzOMmXtaGHAo0g$FmTLfFR4jRIxbhE/MaZr+nVDokGZETsbKJW58ExewwY"
"""A hash whose password nobody knows. It is verified in place of one that is missing, to take as long."""


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

    @cached_property
    def _hasher(self) -> "PasswordHasher":
        # Imported at first use: a request with a token has no password, and need not pay for it.
        from argon2 import PasswordHasher  # noqa: PLC0415 - see above

        return PasswordHasher(time_cost=PASSES, memory_cost=MEMORY, parallelism=LANES)
