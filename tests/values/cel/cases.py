"""Random expressions, each with the value that a naive evaluation gives it.

A case is built from the inside out: its text beside its value, computed by other means than the service's
(fractions, and loops over what is there).
"""

from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

from hypothesis import strategies as st

from stratabase.core.model.types.base import Stored

LARGEST = 2**63 - 1


class Case(NamedTuple):
    """An expression and its expected value."""

    text: str
    value: Any
    """None is null; Fraction is a Real."""
    cel: bool = True
    """It means the same in CEL, which has no nulls, and none of the functions that are this service's own."""


Cases = st.SearchStrategy[Case]

NUMBERS: dict[str, tuple[Stored, Any]] = {"count": (3, 3), "other": (-7, -7), "missing": (None, None)}
REALS: dict[str, tuple[Stored, Any]] = {
    "price": ("1.5", Fraction(3, 2)),
    "cost": ("-0.25", Fraction(-1, 4)),
    "lost": (None, None),
}
TEXTS: dict[str, tuple[Stored, Any]] = {"name": ("Ada", "Ada"), "nick": ("é😀", "é😀"), "gone": (None, None)}
TRUTHS: dict[str, tuple[Stored, Any]] = {
    "good": (True, True),
    "bad": (False, False),
    "unclear": (None, None),
}
VALUES: dict[str, Stored] = {
    name: stored for table in (NUMBERS, REALS, TEXTS, TRUTHS) for name, (stored, _) in table.items()
}
_LETTERS = "aAz é'\"\\\n😀"


def _attributes(table: dict[str, tuple[Stored, Any]]) -> Cases:
    return st.sampled_from([Case(name, value, value is not None) for name, (_, value) in table.items()])


def _quoted(text: str) -> Case:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n")
    return Case(f"'{escaped}'", text)


def _whole(value: int) -> int | None:
    return value if -LARGEST - 1 <= value <= LARGEST else None


def _cut(left: int, right: int) -> int | None:
    return int(Fraction(left, right)) if right else None


def _rest(left: int, right: int) -> int | None:
    return left - right * int(Fraction(left, right)) if right else None


def _rounded(value: Fraction) -> Fraction | None:
    """Return a number rounded to 38 digits, half to even."""
    if not value:
        return value
    digits = 0
    while abs(value) >= Fraction(10) ** (digits + 1):
        digits += 1
    while abs(value) < Fraction(10) ** digits:
        digits -= 1
    last = Fraction(10) ** (digits - 37)
    result = round(value / last) * last
    return result if Fraction(10) ** -130 <= abs(result) < Fraction(10) ** 126 else None


def _is_float(value: Any) -> bool:
    """Return whether a value is none of the numbers that CEL's own cannot be."""
    return not isinstance(value, Fraction) or Fraction(float(value)) == value


def _over(left: Fraction, right: Fraction) -> Fraction | None:
    return left / right if right else None


_ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "+": lambda left, right: left + right,
    "-": lambda left, right: left - right,
    "*": lambda left, right: left * right,
}
_WHOLE = _ARITHMETIC | {"/": _cut, "%": _rest}
_REAL = _ARITHMETIC | {"/": _over}
_COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "==": lambda left, right: left == right,
    "!=": lambda left, right: left != right,
    "<": lambda left, right: left < right,
    "<=": lambda left, right: left <= right,
    ">": lambda left, right: left > right,
    ">=": lambda left, right: left >= right,
}


def _spread(calculate: Callable[..., Any], *operands: Any) -> Any:
    return None if None in operands else calculate(*operands)


def _both(cases: Cases, table: dict[str, Callable[[Any, Any], Any]], fit: Callable[[Any], Any]) -> Cases:
    def made(symbol: str, left: Case, right: Case) -> Case:
        value = _spread(fit, _spread(table[symbol], left.value, right.value))
        # Where a Real here is null, CEL has an infinity.
        infinite = value is None and table is _REAL
        return Case(
            f"({left.text} {symbol} {right.text})",
            value,
            left.cel and right.cel and _is_float(value) and not infinite,
        )

    return st.builds(made, st.sampled_from(sorted(table)), cases, cases)


def _chosen(conditions: Cases, cases: Cases) -> Cases:
    def made(condition: Case, first: Case, second: Case) -> Case:
        value = first.value if condition.value else second.value
        text = f"({condition.text} ? {first.text} : {second.text})"
        return Case(text, value, condition.cel and first.cel and second.cel)

    return st.builds(made, conditions, cases, cases)


def _kleene(decisive: bool, values: list[Any]) -> Any:
    if decisive in values:
        return decisive
    return None if None in values else not decisive


def _joined(cases: Cases) -> Cases:
    def made(decisive: bool, parts: list[Case]) -> Case:
        text = f"({(' || ' if decisive else ' && ').join(part.text for part in parts)})"
        return Case(text, _kleene(decisive, [part.value for part in parts]), all(part.cel for part in parts))

    return st.builds(made, st.booleans(), st.lists(cases, min_size=2, max_size=4))


def _first(cases: Cases) -> Cases:
    def made(parts: list[Case]) -> Case:
        value = next((part.value for part in parts if part.value is not None), None)
        return Case(f"firstNotNull({', '.join(part.text for part in parts)})", value, cel=False)

    return st.builds(made, st.lists(cases, min_size=1, max_size=3))


def _applied(name: str, calculate: Callable[..., Any], *cases: Cases, cel: bool = True) -> Cases:
    def made(*parts: Case) -> Case:
        text = f"{name}({', '.join(part.text for part in parts)})"
        value = _spread(calculate, *(part.value for part in parts))
        return Case(text, value, cel and all(part.cel for part in parts) and _is_float(value))

    return st.builds(made, *cases)


def _asked(name: str, calculate: Callable[..., Any], text: Cases, part: Cases) -> Cases:
    def made(first: Case, second: Case) -> Case:
        value = _spread(calculate, first.value, second.value)
        return Case(f"{first.text}.{name}({second.text})", value, first.cel and second.cel)

    return st.builds(made, text, part)


def _negated(cases: Cases, sign: str, calculate: Callable[[Any], Any]) -> Cases:
    return cases.map(lambda case: Case(f"{sign}({case.text})", _spread(calculate, case.value), case.cel))


def _null_asked(cases: Cases) -> Cases:
    return cases.map(lambda case: Case(f"isNull({case.text})", case.value is None, cel=False))


def _listed(cases: Cases) -> Cases:
    def made(parts: list[Case]) -> Case:
        text = f"[{', '.join(part.text for part in parts)}]"
        return Case(text, [part.value for part in parts], all(part.cel for part in parts))

    return st.builds(made, st.lists(cases, min_size=1, max_size=4))


def _found(cases: Cases, lists: Cases) -> Cases:
    def made(one: Case, many: Case) -> Case:
        value = (
            None
            if one.value is None
            else _kleene(
                True, [_spread(lambda left, right: left == right, one.value, item) for item in many.value]
            )
        )
        return Case(f"({one.text} in {many.text})", value, one.cel and many.cel)

    return st.builds(made, cases, lists)


def _walked(lists: Cases, wholes: Cases) -> Cases:
    """Return what is said of the items of a list: they are compared with a number."""

    def made(name: str, many: Case, symbol: str, limit: Case) -> Case:
        truths = [_spread(_COMPARISONS[symbol], item, limit.value) for item in many.value]
        if name == "exists_one":
            value = False if truths.count(True) > 1 else None if None in truths else truths.count(True) == 1
        else:
            value = _kleene(name == "exists", truths)
        return Case(f"{many.text}.{name}(x, x {symbol} {limit.text})", value, many.cel and limit.cel)

    names = st.sampled_from(["all", "exists", "exists_one"])
    return st.builds(made, names, lists, st.sampled_from(sorted(_COMPARISONS)), wholes)


def _counted(lists: Cases, wholes: Cases) -> Cases:
    """Return how many items of a list are left by a filter, and what a sum of changed ones begins with."""

    def filtered(many: Case, limit: Case) -> Case:
        left = [item for item in many.value if _spread(lambda a, b: a > b, item, limit.value)]
        text = f"{many.text}.filter(x, x > {limit.text}).size()"
        return Case(text, len(left), many.cel and limit.cel)

    def mapped(many: Case, other: Case) -> Case:
        first = _spread(lambda a, b: _whole(a + b), many.value[0], other.value)
        return Case(f"{many.text}.map(x, x + {other.text})[0]", first, many.cel and other.cel)

    return st.builds(filtered, lists, wholes) | st.builds(mapped, lists, wholes)


def _level(below: tuple[Cases, Cases, Cases, Cases]) -> tuple[Cases, Cases, Cases, Cases]:
    wholes, reals, texts, truths = below
    lists = _listed(wholes)
    return (
        st.one_of(
            wholes,
            _both(wholes, _WHOLE, _whole),
            _negated(wholes, "-", lambda value: _whole(-value)),
            _chosen(truths, wholes),
            _first(wholes),
            _applied("size", len, texts),
            _applied("int", lambda value: _whole(int(value)), reals),
            _counted(lists, wholes),
        ),
        st.one_of(
            reals,
            _both(reals, _REAL, _rounded),
            _negated(reals, "-", lambda value: -value),
            _chosen(truths, reals),
            _first(reals),
            _applied("double", Fraction, wholes),
        ),
        st.one_of(
            texts,
            _both(texts, {"+": lambda left, right: left + right}, lambda text: text),
            _chosen(truths, texts),
            _first(texts),
            _applied("upper", str.upper, texts, cel=False),
            _applied("trim", str.strip, texts, cel=False),
            _applied("concat", lambda *parts: "".join(parts), texts, texts, cel=False),
            _applied("string", str, wholes),
        ),
        st.one_of(
            truths,
            _joined(truths),
            _negated(truths, "!", lambda value: not value),
            _both(wholes, _COMPARISONS, bool),
            _both(reals, _COMPARISONS, bool),
            _both(texts, _COMPARISONS, bool),
            _asked("contains", lambda text, part: part in text, texts, texts),
            _asked("startsWith", str.startswith, texts, texts),
            _asked("endsWith", str.endswith, texts, texts),
            _found(wholes, lists),
            _found(texts, _listed(texts)),
            _walked(lists, wholes),
            _null_asked(wholes | texts | truths),
        ),
    )


_QUARTERS = st.integers(-40, 40).map(lambda number: Fraction(number, 4))
_EDGES = st.sampled_from([0, 1, -1, 2, LARGEST, -LARGEST - 1, 2**62, 2**31])
_LEAVES: tuple[Cases, Cases, Cases, Cases] = (
    (st.integers(-9, 9) | _EDGES).map(lambda number: Case(str(number), number)) | _attributes(NUMBERS),
    _QUARTERS.map(lambda number: Case(f"{float(number):f}", number)) | _attributes(REALS),
    st.text(_LETTERS, max_size=3).map(_quoted) | _attributes(TEXTS),
    st.booleans().map(lambda truth: Case(str(truth).lower(), truth)) | _attributes(TRUTHS),
)


def cases(levels: int = 3) -> Cases:
    """Return random expressions with a number of levels."""
    below = _LEAVES
    for _ in range(levels):
        below = _level(below)
    return st.one_of(*below)


def _chain(operands: st.SearchStrategy[str], operators: list[str]) -> st.SearchStrategy[str]:
    more = st.tuples(st.sampled_from(operators), operands).map(" ".join)
    return st.tuples(operands, st.lists(more, max_size=3).map(" ".join)).map(
        lambda parts: " ".join(parts).strip()
    )


def flat() -> st.SearchStrategy[str]:
    """Return expressions without brackets: sums and products, compared, joined, chosen between."""
    operands = st.sampled_from(["1", "2", "7", "-3", "count", "- count", "-other", "[4, 5][1]", "size(name)"])
    sums = _chain(operands, ["+", "-", "*", "/", "%"])
    compared = st.tuples(sums, st.sampled_from(["<", "<=", "==", "!=", ">", ">="]), sums).map(" ".join)
    truths = st.one_of(compared, st.sampled_from(["good", "!good", "!!bad", "true", "5 in [4, 5]"]))
    joined = _chain(truths, ["&&", "||"])
    chosen = st.tuples(joined, sums, joined, sums, sums).map(
        lambda parts: "{} ? {} : {} ? {} : {}".format(*parts)
    )
    return st.one_of(sums, joined, chosen)
