"""Regular expressions of models and clients, matched by RE2 in linear time.

Python's `re` backtracks, so a short text can keep it busy for hours. RE2 does not, and therefore has no
lookaround and no back references. The size of its program limits the time for each byte of a text.

Errors are in English only. They quote RE2, for people who write expressions and models.
"""

import re
from collections.abc import Mapping
from typing import Any

from stratabase.values.formats.invalid_value import InvalidValue
from stratabase.values.messages import verbatim

MAX_REGEX_LENGTH = 1000
"""The maximum number of characters."""
_MEMORY = 2**18
"""The bytes for a program and the states that matching creates. RE2 refuses a larger program.

With more, RE2 creates states that it never meets again, which takes several times longer.
"""
_LOOKAROUND = (
    "RE2 has no lookahead or lookbehind: write one matches('…') for each condition in an expression, "
    "joined by && and !, such as that of a blocking @warning"
)
_BACK_REFERENCE = "RE2 has no back references: list the alternatives"
_CODE = r"write a character by its code, as in \x{20AC}"
_ADVICE: Mapping[str, str] = {
    r"invalid perl operator: \(\?<?[=!]": _LOOKAROUND,
    r"invalid perl operator: \(\?P$": f"{_BACK_REFERENCE}; a group is named as in (?P<name>…)",
    r"invalid perl operator: \(\?>": "RE2 never backtracks, so it has no atomic groups: write (?:…)",
    r"invalid perl operator: \(\?\(": "RE2 has no conditions: write both cases as alternatives",
    r"invalid perl operator: \(\?#": "RE2 has no comments: remove this one",
    r"invalid perl operator: \(\?[a-zA-Z-]": "RE2 only has the flags i, m, s and U: remove the others",
    r"invalid escape sequence: \\[1-9k]": f"{_BACK_REFERENCE}, or {_CODE}",
    r"invalid escape sequence: \\Z": r"the end of a text is \z, and implied in the pattern of a domain",
    r"invalid escape sequence: \\[uUN]": _CODE,
    r"invalid escape sequence: \\b": r"a backspace is \x08",
    r"invalid escape sequence: \\[^\x00-\x7f]": "only ASCII characters can be escaped: remove the backslash",
    r"bad repetition operator": (
        "RE2 never backtracks, so it has no possessive repetitions: write one repetition sign, or a group "
        "between two, as in (?:a{2})+"
    ),
    r"invalid repetition size": (
        "write {min,max}, up to 1000; nested repetitions count as their product. Or write * or +, and limit "
        "the length of the value"
    ),
    r"pattern too large": (
        r"it is too large: use lower repetition limits or none, such as \p{L}+ instead of \p{L}{1,100}"
    ),
}
"""What to write instead, by a regular expression for the beginning of RE2's reason."""
_ADVICE_OF = {re.compile(beginning): advice for beginning, advice in _ADVICE.items()}
_TOKEN = re.compile(
    r"\\Q.*?(?:\\E|\Z)"  # a literal text
    r"|\\(?:[0-7]{3}|(?P<octal>[1-7][0-7])|.)"
    r"|\[\^?\]?(?:\[:\^?\w+:\]|\\.|[^\]\\])*\]"  # a set of characters
    r"|(?P<repetition>\{(?:[0-9]+(?:,[0-9]*)?|,[0-9]*)\})"
    r"|.",
    re.DOTALL,
)
_ESCAPE = re.compile(r"\\.", re.DOTALL)
_REPETITION = re.compile(r"\{(?:0|[1-9][0-9]{0,7})(?:,(?:0|[1-9][0-9]{0,7})?)?\}")
"""The repetitions that RE2 understands. It refuses them if a number is over 1000."""


def compile_regex(pattern: str) -> Any:
    """Return a pattern compiled by RE2, without groups.

    Raises InvalidValue with the reason, and with what to write instead.
    """
    if len(pattern) > MAX_REGEX_LENGTH:
        raise InvalidValue(verbatim(f"it has more than {MAX_REGEX_LENGTH} characters"))
    # Imported here, because few requests need it.
    import re2  # type: ignore[import-untyped] # noqa: PLC0415

    options = re2.Options()
    options.log_errors, options.never_capture, options.max_mem = False, True, _MEMORY
    try:
        return re2.compile(pattern, options)
    except UnicodeEncodeError:
        raise InvalidValue(
            verbatim("half of a surrogate pair is not a character: write both halves")
        ) from None
    except re2.error as error:
        raise InvalidValue(verbatim(_explained(error.args[0]))) from None


def matching_cost(compiled: Any, text: str) -> int:
    """Return the maximum number of instructions to match a text. At worst, one takes about 6 ns."""
    # RE2 matches bytes. A character that is not ASCII has up to four.
    return int(compiled.programsize) * len(text) * (1 if text.isascii() else 4)


def _explained(reason: Any) -> str:
    """Return RE2's reason, with what to write instead if that is known."""
    text = reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)
    advice = next((advice for beginning, advice in _ADVICE_OF.items() if beginning.match(text)), None)
    return f"{text} ({advice})" if advice else text


def ascii_words(pattern: str) -> tuple[str, ...]:
    r"""Return which of `\w`, `\W`, `\b` and `\B` a pattern contains: their words have ASCII letters only."""
    tokens = (token[0] for token in _TOKEN.finditer(pattern) if not token[0].startswith("\\Q"))
    found = {escape for token in tokens for escape in _ESCAPE.findall(token)}
    return tuple(escape for escape in (r"\w", r"\W", r"\b", r"\B") if escape in found)


def check_portable(pattern: str) -> None:
    """Raise InvalidValue for syntax that RE2 silently reads otherwise than engines such as Python's."""
    for token in _TOKEN.finditer(pattern):
        if token["octal"]:
            code = token["octal"]
            reason = f"is not a back reference, because RE2 reads it as a character code: write \\0{code}"
            raise InvalidValue(verbatim(f"{token[0]} {reason}"))
        if token["repetition"] and not _REPETITION.fullmatch(token["repetition"]):
            reason = "is not a repetition, because RE2 reads it as plain text: write {min,max}, such as {0,5}"
            raise InvalidValue(verbatim(f"{token[0]} {reason}"))
