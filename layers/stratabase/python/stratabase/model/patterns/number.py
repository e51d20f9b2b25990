"""Java's decimal patterns, as DecimalFormat understands them; rounding is HALF_EVEN, as there.

They differ from Java in this: digits are always 0 to 9, and a digit sign behind the digits stands in quotes.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

from stratabase.model.malformed import Malformed, shown
from stratabase.model.patterns import language as languages
from stratabase.model.patterns.affix import Affixes, affix
from stratabase.model.patterns.digits import EXACT, Digits
from stratabase.model.patterns.run import check_length

_QUOTED = re.compile(r"'[^']*'?")
_PATTERN = re.compile(
    # Possessive: no part may give back what it has taken, which would take the fourth power of the length.
    r"(?P<prefix>[^#0,.;]*+)"
    r"(?P<number>(?P<integer>[#,]*+[0,]*+)(?P<point>\.(?P<fraction>0*+\#*+))?+(?:E(?P<exponent>0++)|(?!E)))"
    r"(?P<suffix>[^#0,.;]*+)"
    r"(?P<negative>;(?P<negative_prefix>[^#0,.;]*+)(?:[#0,.][#0,.E]*+)?+(?P<negative_suffix>[^#0,.;]*+))?+"
)
_EVERYTHING = Digits(most_fraction=200, group=3)
"""What Java makes of the empty pattern."""


@dataclass(frozen=True, slots=True)
class NumberPattern:
    """A decimal pattern that Java would take."""

    pattern: str
    digits: Digits
    positive: Affixes
    negative: Affixes

    def writer(self, language: str) -> Callable[[Decimal], str]:
        """Return what writes a number in a language."""
        symbols = languages.symbols(language)
        power = self.positive.power
        positive, negative = self.positive.texts(symbols), self.negative.texts(symbols)

        def write(number: Decimal) -> str:
            before, behind = negative if number < 0 else positive
            digits = self.digits.write(EXACT.scaleb(number.copy_abs(), power), symbols)
            return f"{before}{digits}{behind}"

        return write


@lru_cache(maxsize=512)
def compile_number_pattern(pattern: str) -> NumberPattern:
    """Return a pattern ready for use. Raises Malformed for one that Java would refuse."""
    check_length(pattern)
    match = _PATTERN.fullmatch(_QUOTED.sub(_masked, pattern))
    if match is None or (match["negative"] and not match["number"]):
        raise Malformed(_refusal(pattern))
    positive = _affixes(pattern, match, "prefix", "suffix")
    negative = _affixes(pattern, match, "negative_prefix", "negative_suffix")
    if match["negative"] in (None, ";") or negative == positive:
        negative = positive.minus()
    return NumberPattern(pattern, _digits(pattern, match), positive, negative)


def _masked(match: re.Match[str]) -> str:
    return "\0" * len(match.group())


def _affixes(pattern: str, match: re.Match[str], prefix: str, suffix: str) -> Affixes:
    """Return the affixes that two groups of the match span; they are cut out of the pattern itself."""
    spans = [slice(*match.span(group)) if match[group] else slice(0) for group in (prefix, suffix)]
    affixes = Affixes(*(affix(pattern[span], pattern) for span in spans))
    affixes.check()
    return affixes


def _digits(pattern: str, match: re.Match[str]) -> Digits:
    if not pattern:
        return _EVERYTHING
    integer, fraction = match["integer"].replace(",", ""), match["fraction"] or ""
    if match["integer"].endswith(",") or (match["exponent"] and not integer + fraction):
        raise Malformed(_refusal(pattern))
    least_integer, least_fraction = integer.count("0"), fraction.count("0")
    if match["point"] and not least_integer + least_fraction:
        least_integer, least_fraction = (1, 0) if integer else (0, min(1, len(fraction)))
    return Digits(
        least_integer=least_integer,
        most_integer=len(integer),
        least_fraction=least_fraction,
        most_fraction=len(fraction),
        group=len(match["integer"].rpartition(",")[2]) if "," in match["integer"] else 0,
        point=bool(match["point"]) and not (integer and fraction),
        exponent=len(match["exponent"] or ""),
    )


def _refusal(pattern: str) -> str:
    return (
        f"{shown(pattern)} is no pattern of numbers: give one such as '#,##0.00', '0.###' or '0.0%', "
        "with other text in quotes"
    )
