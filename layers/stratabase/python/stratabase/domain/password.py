"""What a password is, before anyone hashes or compares it."""

import unicodedata

LONGEST = 128
"""Characters; more are refused unhashed, so that nobody can keep the service busy with megabytes."""


def canonical(password: str) -> str:
    """Return the spelling that is hashed: NFC, so that one password is the same from every keyboard."""
    return unicodedata.normalize("NFC", password)
