"""Functions of numbers, and those that make one kind of value of another."""

from decimal import Decimal

from stratabase.model.expressions import conversions, numbers
from stratabase.model.expressions.environment import Environment
from stratabase.model.expressions.functions.function import Signature, function
from stratabase.model.expressions.kinds import BOOLEAN, INT, REAL, TEXT


def _rounded(_: Environment, number: Decimal, digits: int = 0) -> Decimal | None:
    return numbers.rounded(number, digits)


FUNCTIONS_OF_NUMBERS = (
    function(
        "round(x, digits)",
        Signature((REAL, INT), REAL, _rounded),
        Signature((REAL,), REAL, _rounded),
    ),
    function(
        "int(x)",
        Signature((INT,), INT, conversions.same),
        Signature((REAL,), INT, conversions.int_of_real),
        Signature((TEXT,), INT, conversions.int_of_text),
    ),
    function(
        "double(x)",
        Signature((REAL,), REAL, conversions.same),
        Signature((TEXT,), REAL, conversions.real_of_text),
    ),
    function(
        "bool(x)",
        Signature((BOOLEAN,), BOOLEAN, conversions.same),
        Signature((TEXT,), BOOLEAN, conversions.truth_of_text),
    ),
    function(
        "string(x)",
        *(Signature((kind,), TEXT, write) for kind, write in conversions.TEXTS.items()),
    ),
)
