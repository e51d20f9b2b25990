"""A text is like one of the patterns, or is one of the values."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from stratabase.model.attribute import Domain
from stratabase.model.malformed import Malformed, shown
from stratabase.model.regex import compile_regex, work
from stratabase.model.types.base import Breach, DomainMistake

MOST_WORK = 100_000_000
"""Instructions for one value and one pattern: some tenths of a second where RE2 is slowest."""

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
"""What RE2 takes as a repetition, and refuses if a number is over 1000."""


@lru_cache(maxsize=512)
def compiled(pattern: str) -> Any:
    """Return a pattern of a domain, compiled by RE2. Raises Malformed with the reason why it cannot be."""
    program = compile_regex(pattern)
    _check_meaning(pattern)
    return program


def pattern_mistakes(stored: str, domain: Domain) -> Iterator[DomainMistake]:
    """Yield a mistake for a text that no pattern matches as a whole, and that is none of the values.

    Yield one, too, for a text that is too long to be compared with a pattern.
    """
    admitted = [*domain.patterns, *map(str, domain.values)]
    if not admitted or stored in domain.values:
        return
    too_much = 0
    for program in map(compiled, domain.patterns):
        if (needed := work(program, stored)) > MOST_WORK:
            too_much = max(too_much, needed)
        elif program.fullmatch(stored):
            return
    if too_much:
        most = MOST_WORK * len(stored) // too_much
        text = f"{len(stored)} characters are too many to compare with the pattern: give at most {most}"
        yield DomainMistake(Breach.LENGTH, text)
    else:
        yield DomainMistake(Breach.PATTERN, f"{shown(stored)} is not admitted: give {' or '.join(admitted)}")


def ascii_words(pattern: str) -> tuple[str, ...]:
    r"""Return which of `\w`, `\W`, `\b` and `\B` a pattern has, for which only ASCII letters make words."""
    tokens = (token[0] for token in _TOKEN.finditer(pattern) if not token[0].startswith("\\Q"))
    found = {escape for token in tokens for escape in _ESCAPE.findall(token)}
    return tuple(escape for escape in (r"\w", r"\W", r"\b", r"\B") if escape in found)


def _check_meaning(pattern: str) -> None:
    """Raise Malformed for what other engines, Python's among them, read otherwise than RE2 does."""
    for token in _TOKEN.finditer(pattern):
        if token["octal"]:
            code = token["octal"]
            raise Malformed(f"{token[0]} is no back reference but the code of a character: write \\0{code}")
        if token["repetition"] and not _REPETITION.fullmatch(token["repetition"]):
            text = f"{token[0]} is no repetition but plain text in RE2: write {{least,most}}, such as {{0,5}}"
            raise Malformed(text)
