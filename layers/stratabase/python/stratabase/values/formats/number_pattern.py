"""Java's number patterns (DecimalFormat). Rounding is HALF_EVEN, as in Java.

There are two differences from Java: digits are always 0 to 9, and pattern characters after the digits must be
quoted. A pattern has a prefix and a suffix (`Affixes`) around its digits (`DigitFormat`).
"""

import re
from collections.abc import Callable
from decimal import ROUND_HALF_EVEN, Context, Decimal
from enum import Enum
from functools import lru_cache
from typing import NamedTuple

from stratabase.values.formats import locales
from stratabase.values.formats.date_fields import check_length, unmatched_quote
from stratabase.values.formats.invalid_value import InvalidValue, describe_value
from stratabase.values.formats.locales import NumberSymbols
from stratabase.values.frozen import frozen
from stratabase.values.messages import Message, _, or_list

EXACT_CONTEXT = Context(prec=1000, rounding=ROUND_HALF_EVEN)
"""A context that is wide enough for every Real, with as many decimals as a pattern can have."""
_QUOTED = re.compile(r"'[^']*'?")
_PATTERN = re.compile(
    # Possessive quantifiers: backtracking could take time in proportion to the fourth power of the length.
    r"(?P<prefix>[^#0,.;]*+)"
    r"(?P<number>(?P<integer>[#,]*+[0,]*+)(?P<point>\.(?P<fraction>0*+\#*+))?+(?:E(?P<exponent>0++)|(?!E)))"
    r"(?P<suffix>[^#0,.;]*+)"
    r"(?P<negative>;(?P<negative_prefix>[^#0,.;]*+)(?:[#0,.][#0,.E]*+)?+(?P<negative_suffix>[^#0,.;]*+))?+"
)
_PIECE = re.compile(r"''|'(?P<quoted>(?:[^']|'')*)'|(?P<text>[^'])")


@frozen
class DigitFormat:
    """How a pattern formats the digits of a number."""

    min_integer_digits: int = 0
    max_integer_digits: int = 0
    """Used in scientific notation only."""
    min_fraction_digits: int = 0
    max_fraction_digits: int = 0
    group: int = 0
    """The number of digits between group separators; 0 for none."""
    point: bool = False
    """Whether the decimal separator is written even without decimals."""
    exponent: int = 0
    """The minimum number of digits of the exponent; 0 for no exponent."""

    def format(self, number: Decimal, symbols: NumberSymbols) -> str:
        """Return the digits of a number that is not negative."""
        return self._scientific(number, symbols) if self.exponent else self._plain(number, symbols)

    def _plain(self, number: Decimal, symbols: NumberSymbols) -> str:
        rounded = number.quantize(Decimal(1).scaleb(-self.max_fraction_digits), context=EXACT_CONTEXT)
        integer, _point, fraction = f"{rounded:f}".partition(".")
        integer = integer.lstrip("0").zfill(self.min_integer_digits)
        fraction = fraction.rstrip("0").ljust(self.min_fraction_digits, "0")
        if not integer and not fraction:
            integer = "0"
        return self._joined(self._grouped(integer, symbols.group), fraction, symbols)

    def _scientific(self, number: Decimal, symbols: NumberSymbols) -> str:
        rounded = Context(
            prec=self.max_integer_digits + self.max_fraction_digits, rounding=ROUND_HALF_EVEN
        ).plus(number)
        shown = "".join(map(str, rounded.as_tuple().digits)).rstrip("0")
        size = rounded.adjusted() + 1
        exponent = self._exponent(size) if shown else 0
        before = size - exponent if shown else self._min_mantissa_digits
        # Trailing zeros were removed above; the pattern may require some of them.
        shown = shown.ljust(max(self.min_integer_digits + self.min_fraction_digits, before), "0")
        mantissa = self._joined(shown[:before], shown[before:], symbols)
        sign = symbols.minus if exponent < 0 else ""
        return f"{mantissa}{symbols.exponent}{sign}{abs(exponent):0{self.exponent}d}"

    def _exponent(self, size: int) -> int:
        """Return the exponent of a number with `size` integer digits."""
        if self._engineering:
            return (size - 1) // self.max_integer_digits * self.max_integer_digits
        return size - self.min_integer_digits

    @property
    def _engineering(self) -> bool:
        """Whether the exponent is a multiple of the maximum number of integer digits."""
        return self.max_integer_digits > max(1, self.min_integer_digits)

    @property
    def _min_mantissa_digits(self) -> int:
        return 1 if self._engineering else self.min_integer_digits

    def _grouped(self, integer: str, sign: str) -> str:
        if not self.group:
            return integer
        first = len(integer) % self.group
        groups = [integer[at : at + self.group] for at in range(first, len(integer), self.group)]
        return sign.join([integer[:first], *groups] if first else groups)

    def _joined(self, integer: str, fraction: str, symbols: NumberSymbols) -> str:
        return integer + (symbols.decimal if fraction or self.point else "") + fraction


class Sign(Enum):
    """A sign that languages write differently. The value is the name of the symbol."""

    MINUS = "minus"
    PERCENT = "percent"
    PER_MILLE = "per_mille"


_SIGNS = {"-": Sign.MINUS, "%": Sign.PERCENT, "‰": Sign.PER_MILLE}
_MULTIPLIERS = {Sign.PERCENT: 2, Sign.PER_MILLE: 3}


@frozen
class Affix:
    """The prefix or suffix of a number: literal texts and signs, in order."""

    pieces: tuple[str | Sign, ...] = ()

    def text(self, symbols: NumberSymbols) -> str:
        """Return the affix in a language."""
        return "".join(
            getattr(symbols, piece.value) if isinstance(piece, Sign) else piece for piece in self.pieces
        )

    @property
    def powers(self) -> list[int]:
        """The powers of ten by which the signs multiply the number."""
        return [_MULTIPLIERS[piece] for piece in self.pieces if piece in _MULTIPLIERS]


class Affixes(NamedTuple):
    """The prefix and the suffix of a number."""

    prefix: Affix
    suffix: Affix

    def texts(self, symbols: NumberSymbols) -> tuple[str, str]:
        """Return the prefix and the suffix in a language."""
        return self.prefix.text(symbols), self.suffix.text(symbols)

    def minus(self) -> "Affixes":
        """Return the default affixes of negative numbers."""
        return Affixes(Affix((Sign.MINUS, *self.prefix.pieces)), self.suffix)

    def check(self) -> None:
        """Raise InvalidValue if there is more than one percent or per mille sign."""
        if len(self.prefix.powers + self.suffix.powers) > 1:
            message = _(
                "A number pattern can have only one percent or per mille sign. "
                "Enclose the others in single quotes."
            )
            raise InvalidValue(message)

    @property
    def power(self) -> int:
        """The power of ten by which percent or per mille multiplies the number."""
        return sum(self.prefix.powers + self.suffix.powers)


_EMPTY_PATTERN = DigitFormat(max_fraction_digits=200, group=3)
"""What the empty pattern means in Java."""


def parse_affix(text: str, pattern: str) -> Affix:
    """Return the affix in a part of a pattern. Raises InvalidValue for an unmatched quote."""
    if _PIECE.sub("", text):
        raise unmatched_quote(pattern)
    return Affix(tuple(_piece(match) for match in _PIECE.finditer(text)))


def _piece(match: re.Match[str]) -> str | Sign:
    if match["text"]:
        return _SIGNS.get(match["text"], match["text"])
    return (match["quoted"] or "'").replace("''", "'")


@frozen
class NumberPattern:
    """A number pattern that Java accepts."""

    pattern: str
    digits: DigitFormat
    positive: Affixes
    negative: Affixes

    def formatter(self, language: str) -> Callable[[Decimal], str]:
        """Return a function that formats a number in a language."""
        symbols = locales.number_symbols(language)
        power = self.positive.power
        positive, negative = self.positive.texts(symbols), self.negative.texts(symbols)

        def write(number: Decimal) -> str:
            before, behind = negative if number < 0 else positive
            digits = self.digits.format(EXACT_CONTEXT.scaleb(number.copy_abs(), power), symbols)
            return f"{before}{digits}{behind}"

        return write


@lru_cache(maxsize=512)
def compile_number_pattern(pattern: str) -> NumberPattern:
    """Return a compiled pattern. Raises InvalidValue for a pattern that Java refuses."""
    check_length(pattern)
    # Quoted text is masked with as many characters, so that positions stay valid in the pattern itself.
    match = _PATTERN.fullmatch(_QUOTED.sub(_masked, pattern))
    if match is None or (match["negative"] and not match["number"]):
        raise InvalidValue(_refusal(pattern))
    positive = _affixes(pattern, match, "prefix", "suffix")
    negative = _affixes(pattern, match, "negative_prefix", "negative_suffix")
    if match["negative"] in (None, ";") or negative == positive:
        negative = positive.minus()
    return NumberPattern(pattern, _digits(pattern, match), positive, negative)


def _masked(match: re.Match[str]) -> str:
    return "\0" * len(match.group())


def _affixes(pattern: str, match: re.Match[str], prefix: str, suffix: str) -> Affixes:
    """Return the affixes in two groups of the match, taken from the pattern itself."""
    spans = [slice(*match.span(group)) if match[group] else slice(0) for group in (prefix, suffix)]
    affixes = Affixes(*(parse_affix(pattern[span], pattern) for span in spans))
    affixes.check()
    return affixes


def _digits(pattern: str, match: re.Match[str]) -> DigitFormat:
    if not pattern:
        return _EMPTY_PATTERN
    integer, fraction = match["integer"].replace(",", ""), match["fraction"] or ""
    if match["integer"].endswith(",") or (match["exponent"] and not integer + fraction):
        raise InvalidValue(_refusal(pattern))
    min_integer, min_fraction = integer.count("0"), fraction.count("0")
    if match["point"] and not min_integer + min_fraction:
        min_integer, min_fraction = (1, 0) if integer else (0, min(1, len(fraction)))
    return DigitFormat(
        min_integer_digits=min_integer,
        max_integer_digits=len(integer),
        min_fraction_digits=min_fraction,
        max_fraction_digits=len(fraction),
        group=len(match["integer"].rpartition(",")[2]) if "," in match["integer"] else 0,
        point=bool(match["point"]) and not (integer and fraction),
        exponent=len(match["exponent"] or ""),
    )


def _refusal(pattern: str) -> Message:
    return _(
        "{pattern} is not a valid number pattern. "
        "Use a pattern such as {examples}, and enclose other text in single quotes.",
        pattern=describe_value(pattern),
        examples=or_list(map(describe_value, ("#,##0.00", "0.###", "0.0%"))),
    )
