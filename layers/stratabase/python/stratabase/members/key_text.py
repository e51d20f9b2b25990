"""The text of an API key, which the client sends and the service does not keep.

    stratabase_06h0591rh9cjbrhjuu6ae1f0ok_yhjskwdA6OZ1AL1YmHWZWm8LLG7HjnuCA2j5rOw8Xp13LL8yz

It has a prefix that scanners for secrets recognize, the ID of the member, and 49 letters and digits: 43 for
32 random bytes, and 6 for a checksum of all characters before it. So a mistyped or invented key is refused
before anything is read. All numbers are written in base 62, so a double click selects the whole key.
"""

import re
import secrets
from hashlib import sha256
from zlib import crc32

KEY_PREFIX = "stratabase_"
"""What all keys begin with, and no token."""
KEY_PATTERN = r"\bstratabase_[0-9a-v]{26}_[0-9A-Za-z]{49}\b"
"""A regular expression that finds keys in texts, for scanners."""
_SECRET_BYTES = 32
_SECRET_DIGITS = 43
_CHECKSUM_DIGITS = 6
_FORM = re.compile(rf"{KEY_PREFIX}([0-9a-z]{{1,64}})_[0-9A-Za-z]{{{_SECRET_DIGITS + _CHECKSUM_DIGITS}}}")
_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def new_key_text(member_id: str) -> str:
    """Return the text of a new key of a member, with 32 random bytes."""
    secret = int.from_bytes(secrets.token_bytes(_SECRET_BYTES), "big")
    checked = f"{KEY_PREFIX}{member_id}_{_base62(secret, _SECRET_DIGITS)}"
    return checked + _checksum(checked)


def member_of_key(text: str) -> str | None:
    """Return the ID of the member that the text of a key names, None if the text can't be a key."""
    match = _FORM.fullmatch(text)
    if match is None or _checksum(text[:-_CHECKSUM_DIGITS]) != text[-_CHECKSUM_DIGITS:]:
        return None
    return match[1]


def key_hash(text: str) -> str:
    """Return what the store keeps of a key: the SHA-256 of its text, in hexadecimal."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _checksum(text: str) -> str:
    return _base62(crc32(text.encode()), _CHECKSUM_DIGITS)


def _base62(number: int, digits: int) -> str:
    """Return a number with a fixed count of digits in base 62."""
    written = []
    for _position in range(digits):
        number, digit = divmod(number, len(_DIGITS))
        written.append(_DIGITS[digit])
    return "".join(reversed(written))
