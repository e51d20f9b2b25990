"""Null propagates through arithmetic and comparison; logic has three values."""

from itertools import product

from tests.rows import each_row
from tests.values.cel.evaluation import environment, expression, value

NULL = (
    "missing + 1",
    "1 - missing",
    "missing * 0",
    "lost / 2",
    "-missing",
    "count + missing + 1",
    "name + gone",
    "missing == 1",
    "missing != 1",
    "missing == missing",
    "lost > 0",
    "gone < 'x'",
    "unclear == true",
    "missing in [1, 2]",
    "1 in [missing, 2]",
    "lower(gone)",
    "size(gone)",
    "round(lost, 2)",
    "round(price, missing)",
    "year(date(gone))",
    "dateDiff(day, date(gone))",
    "concat(name, gone)",
    "gone.contains('x')",
    "name.contains(gone)",
    "gone.matches('x')",
    "int(gone)",
    "string(missing)",
    "notes + 'x'",
    "shade == 'DARK'",
    "firstNotNull(missing, lost)",
    "[1, 2][missing]",
    "!unclear",
)
TRUTHS = {"good": True, "bad": False, "unclear": None}
CHOICES = {
    "unclear ? 1 : 2": 2,
    "missing > 1 ? 1 : unclear ? 2 : 3": 3,
    "isNull(missing) ? 0 : missing": 0,
    "isNull(count) ? 0 : count": 3,
    "firstNotNull(missing, lost, count)": "3",
    "firstNotNull(gone, nick, name)": "ada l",
    "firstNotNull(gone, 'none')": "none",
    "firstNotNull(shade, 'LIGHT')": "LIGHT",
    "isNull(picture)": False,
    "isNull(shelf)": False,
    "isNull(shelf.above.above)": True,
    "isNull(shelf.below)": True,
    "isNull(null)": True,
    "isNull(missing + 1)": True,
    "isNull(1 / 0)": True,
    "has(name)": True,
    "has(gone)": False,
    "has(shelf.above)": True,
    "has(shelf.above.above)": False,
    "1 in [missing, 1]": True,
    "[missing, 1].exists(x, x == 1)": True,
    "[missing, 2].exists(x, x == 1)": None,
    "[missing, 1].all(x, x == 2)": False,
    "[missing, 1].all(x, x == 1)": None,
    "[missing, 1].exists_one(x, x == 1)": None,
    "[missing, 1, 1].exists_one(x, x == 1)": False,
    "[missing, 1, 2].filter(x, x > 1)": (2,),
    "[missing, 1].map(x, x + 1)": (None, 2),
    "[missing, 1].size()": 2,
    "(bad ? [1] : null).all(x, x > 0)": None,
    "(bad ? [1] : null).map(x, x)": None,
    "(bad ? [1] : null).filter(x, x > 0)": None,
    "(bad ? [1] : null).exists_one(x, x > 0)": None,
    "1 in (bad ? [1] : null)": None,
    "(bad ? [1] : null)[0]": None,
}


@each_row("text", NULL)
def test_operators_on_null_give_null(text: str) -> None:
    assert value(text) is None


@each_row(("left", "right"), list(product(TRUTHS, TRUTHS)))
def test_logic_with_nulls_follows_kleene(left: str, right: str) -> None:
    """If one operand decides the result, the other may be null. Otherwise the result is null."""
    first, second = TRUTHS[left], TRUTHS[right]
    both = False if False in (first, second) else None if None in (first, second) else True
    either = True if True in (first, second) else None if None in (first, second) else False
    assert value(f"{left} && {right}") is both
    assert value(f"{left} || {right}") is either
    assert value(f"{left} && {right} && {left}") is both
    assert value(f"!({left} && {right}) == (!{left} || !{right})") is (None if both is None else True)


@each_row(("text", "wanted"), CHOICES.items())
def test_null_handling_expressions_have_their_values(text: str, wanted: object) -> None:
    assert value(text) == wanted


def test_a_null_condition_does_not_hold() -> None:
    assert not expression("unclear").holds(environment())
    assert not expression("!unclear").holds(environment())
    assert not expression("bad").holds(environment())
    assert expression("good").holds(environment())
