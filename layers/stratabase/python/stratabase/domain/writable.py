"""Which characters a text may hold, so that it can be written and read in JSON, in XML and by people."""

import re

_STRAY = re.compile("[\\x00-\\x1f\\x7f-\\x9f\\ud800-\\udfff\\ufffe\\uffff]")
_STRAY_IN_LINES = re.compile(
    "[\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f\\ud800-\\udfff\\ufffe\\uffff]|\\r(?!\\n)"
)


def stray_character(text: str, *, lines: bool = False) -> str | None:
    """Return the first character that has no place in a text, such as U+0007; None when there is none.

    Those are control characters, halves of surrogate pairs, U+FFFE and U+FFFF; a text of several `lines` may
    hold tabs and the ends of lines.
    """
    match = (_STRAY_IN_LINES if lines else _STRAY).search(text)
    return f"U+{ord(match.group()):04X}" if match else None
