"""Functions of days, times and moments."""

from collections.abc import Sequence

from stratabase.model.expressions import moments
from stratabase.model.expressions.functions.function import Function, Signature, function
from stratabase.model.expressions.kinds import DATE, DATETIME, INT, TEXT, TIME
from stratabase.model.expressions.meaning import Meaning


def _never(_: Sequence[Meaning]) -> bool:
    return False


def _with_offset(arguments: Sequence[Meaning]) -> bool:
    return all(moments.has_offset(text) for text, _ in arguments[0].texts or ())


def _part(name: str) -> Function:
    return function(
        f"{name}(d)",
        Signature((DATE,), INT, moments.part(moments.day, name)),
        Signature((DATETIME,), INT, moments.part(moments.local, name), pure=_never),
    )


FUNCTIONS_OF_MOMENTS = (
    function(
        "date('2020-12-31')",
        Signature((TEXT,), DATE, moments.date_of_text, example="'2020-12-31'"),
        Signature((DATETIME,), DATE, moments.day_of, pure=_never),
    ),
    function(
        "time('18:30')",
        Signature((TEXT,), TIME, moments.time_of_text, example="'18:30' or '18:30:00'"),
        Signature((DATETIME,), TIME, moments.time_of, pure=_never),
    ),
    function(
        "datetime('2020-12-31T18:30:00Z')",
        Signature(
            (TEXT,), DATETIME, moments.datetime_of_text, pure=_with_offset, example="'2020-12-31T18:30:00Z'"
        ),
        Signature((DATE,), DATETIME, moments.start_of, pure=_never),
    ),
    function("today()", Signature((), DATE, moments.today, pure=_never)),
    function("now()", Signature((), DATETIME, moments.now, pure=_never)),
    _part("year"),
    _part("month"),
    _part("day"),
    function(
        "dateDiff(a, b)",
        Signature((DATE, DATE), INT, moments.days_between(moments.day, moments.day)),
        Signature((DATE, DATETIME), INT, moments.days_between(moments.day, moments.local), pure=_never),
        Signature((DATETIME, DATE), INT, moments.days_between(moments.local, moments.day), pure=_never),
        Signature((DATETIME, DATETIME), INT, moments.days_between(moments.local, moments.local), pure=_never),
    ),
)
