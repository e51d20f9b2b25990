"""What every text must be."""

from typing import Any

from stratabase.model.malformed import Malformed, shown


def text(given: Any, what: str) -> str:
    """Return a JSON value that is a text of Unicode characters. Raises Malformed for any other."""
    if not isinstance(given, str):
        raise Malformed(f"{shown(given)} is not {what}: give a text in quotes")
    if not given.isascii():
        _refuse_surrogates(given, what)
    return given


def _refuse_surrogates(given: str, what: str) -> None:
    """Raise Malformed for half a character, which no other program could read again."""
    try:
        given.encode()
    except UnicodeEncodeError as half:
        raise Malformed(
            f"not {what}: the character at {half.start} is a lone surrogate "
            f"(U+{ord(given[half.start]):04X}); give both halves of the pair"
        ) from None
