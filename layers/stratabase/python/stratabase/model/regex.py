"""Regular expressions of models and clients, matched by RE2: in linear time, whoever wrote them.

Python's `re` backtracks, so a short text can keep it busy for hours. RE2 does not, and therefore knows no
lookaround and no back references. The size of a program bounds the time that each byte of a text takes.
"""

import re
from collections.abc import Mapping
from typing import Any

from stratabase.model.malformed import Malformed

LONGEST_PATTERN = 1000
"""Characters."""
_MEMORY = 2**18
"""Bytes for a program and the states met in matching; a larger program is refused.

With more, RE2 goes on making states that it never meets again, which takes several times longer.
"""

_LOOKAROUND = (
    "RE2 has no lookahead or lookbehind: write each condition as a matches('…') of its own in an expression, "
    "joined by && and !, such as that of a blocking @warning"
)
_BACK_REFERENCE = "RE2 has no back references: write the alternatives out"
_CODE = r"write a character by its code, as in \x{20AC}"
_ADVICE: Mapping[str, str] = {
    r"invalid perl operator: \(\?<?[=!]": _LOOKAROUND,
    r"invalid perl operator: \(\?P$": f"{_BACK_REFERENCE}; a group is named as in (?P<name>…)",
    r"invalid perl operator: \(\?>": "RE2 never backtracks, so it has no atomic groups: write (?:…)",
    r"invalid perl operator: \(\?\(": "RE2 has no conditions: write both cases as alternatives",
    r"invalid perl operator: \(\?#": "RE2 has no comments: leave it out",
    r"invalid perl operator: \(\?[a-zA-Z-]": "the flags of RE2 are i, m, s and U: leave others out",
    r"invalid escape sequence: \\[1-9k]": f"{_BACK_REFERENCE}, or {_CODE}",
    r"invalid escape sequence: \\Z": r"the end of a text is \z, and implied in the pattern of a domain",
    r"invalid escape sequence: \\[uUN]": _CODE,
    r"invalid escape sequence: \\b": r"a backspace is \x08",
    r"invalid escape sequence: \\[^\x00-\x7f]": "only ASCII characters have a backslash: leave it out",
    r"bad repetition operator": (
        "RE2 never backtracks, so it has no possessive repetitions: write one repetition sign, or brackets "
        "between two, as in (?:a{2})+"
    ),
    r"invalid repetition size": (
        "write {least,most}, up to 1000 for repetitions within one another taken together; or write * or +, "
        "and bound the length of the value"
    ),
    r"pattern too large": r"it is too large: repeat less, such as \p{L}+ in place of \p{L}{1,100}",
}
"""What to write instead, by what RE2's reason begins with."""
_ADVICE_OF = {re.compile(beginning): advice for beginning, advice in _ADVICE.items()}


def compile_regex(pattern: str) -> Any:
    """Return a pattern compiled by RE2, without groups.

    Raises Malformed with the reason why it cannot be, and what to write instead.
    """
    if len(pattern) > LONGEST_PATTERN:
        raise Malformed(f"it has more than {LONGEST_PATTERN} characters")
    # Here and not above: few requests need it.
    import re2  # type: ignore[import-untyped] # noqa: PLC0415

    options = re2.Options()
    options.log_errors, options.never_capture, options.max_mem = False, True, _MEMORY
    try:
        return re2.compile(pattern, options)
    except UnicodeEncodeError:
        raise Malformed("half of a surrogate pair is no character: write both halves") from None
    except re2.error as error:
        raise Malformed(_explained(error.args[0])) from None


def work(compiled: Any, text: str) -> int:
    """Return how many instructions matching a text takes at most: about 6 ns each where RE2 is slowest."""
    # What is not ASCII has several bytes; the work is counted as if all were like the longest.
    return int(compiled.programsize) * len(text) * (1 if text.isascii() else 4)


def _explained(reason: Any) -> str:
    """Return RE2's reason, which it gives in bytes, and what to write instead where that is known."""
    said = reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)
    advice = next((advice for beginning, advice in _ADVICE_OF.items() if beginning.match(said)), None)
    return f"{said} ({advice})" if advice else said
