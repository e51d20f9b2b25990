"""The digits of a number: how many a pattern wants, and where it groups them."""

from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Context, Decimal

from stratabase.model.patterns.language import Symbols

EXACT = Context(prec=1000, rounding=ROUND_HALF_EVEN)
"""Wide enough for every Real, however many decimals a pattern wants."""


@dataclass(frozen=True, slots=True)
class Digits:
    """What a pattern says of the digits."""

    least_integer: int = 0
    most_integer: int = 0
    """Counts in scientific notation only."""
    least_fraction: int = 0
    most_fraction: int = 0
    group: int = 0
    """How many digits stand between the signs that group; 0: there are none."""
    point: bool = False
    """The decimal sign is written even when nothing follows it."""
    exponent: int = 0
    """How many digits the exponent has at least; 0: there is none."""

    def write(self, number: Decimal, symbols: Symbols) -> str:
        """Return the digits of a number that is not negative."""
        return self._scientific(number, symbols) if self.exponent else self._plain(number, symbols)

    def _plain(self, number: Decimal, symbols: Symbols) -> str:
        rounded = number.quantize(Decimal(1).scaleb(-self.most_fraction), context=EXACT)
        integer, _, fraction = f"{rounded:f}".partition(".")
        integer = integer.lstrip("0").zfill(self.least_integer)
        fraction = fraction.rstrip("0").ljust(self.least_fraction, "0")
        if not integer and not fraction:
            integer = "0"
        return self._joined(self._grouped(integer, symbols.group), fraction, symbols)

    def _scientific(self, number: Decimal, symbols: Symbols) -> str:
        rounded = Context(prec=self.most_integer + self.most_fraction, rounding=ROUND_HALF_EVEN).plus(number)
        shown = "".join(map(str, rounded.as_tuple().digits)).rstrip("0")
        size = rounded.adjusted() + 1
        exponent = self._exponent(size) if shown else 0
        before = size - exponent if shown else self._least_mantissa
        shown = shown.ljust(max(self.least_integer + self.least_fraction, before), "0")
        mantissa = self._joined(shown[:before], shown[before:], symbols)
        sign = symbols.minus if exponent < 0 else ""
        return f"{mantissa}{symbols.exponent}{sign}{abs(exponent):0{self.exponent}d}"

    def _exponent(self, size: int) -> int:
        """Return the exponent of a number with `size` integer digits."""
        if self._engineering:
            return (size - 1) // self.most_integer * self.most_integer
        return size - self.least_integer

    @property
    def _engineering(self) -> bool:
        """Whether the exponent is a multiple of the most integer digits."""
        return self.most_integer > max(1, self.least_integer)

    @property
    def _least_mantissa(self) -> int:
        return 1 if self._engineering else self.least_integer

    def _grouped(self, integer: str, sign: str) -> str:
        if not self.group:
            return integer
        first = len(integer) % self.group
        groups = [integer[at : at + self.group] for at in range(first, len(integer), self.group)]
        return sign.join([integer[:first], *groups] if first else groups)

    def _joined(self, integer: str, fraction: str, symbols: Symbols) -> str:
        return integer + (symbols.decimal if fraction or self.point else "") + fraction
