"""Which values compare with one another."""

from collections.abc import Mapping

from stratabase.model.expressions.checker import Checker
from stratabase.model.expressions.kinds import (
    BOOLEAN,
    DATE,
    DATETIME,
    INT,
    REAL,
    TEXT,
    TIME,
    ValueKind,
    common_kind,
)
from stratabase.model.expressions.meaning import Meaning
from stratabase.model.expressions.syntax import Word
from stratabase.model.words import listed, shown

_ADVICE: Mapping[frozenset[ValueKind], str] = {
    frozenset({DATE, DATETIME}): "date(x) is the day of a Datetime",
    frozenset({DATE, TEXT}): "write a day as date('2020-12-31')",
    frozenset({TIME, TEXT}): "write a time as time('18:30')",
    frozenset({DATETIME, TEXT}): "write a moment as datetime('2020-12-31T18:30:00Z')",
    frozenset({INT, TEXT}): "write a number without quotes; int(x) makes one of a text",
    frozenset({REAL, TEXT}): "write a number without quotes; double(x) makes one of a text",
    frozenset({BOOLEAN, TEXT}): "write true or false without quotes",
}
"""What makes values of two kinds comparable."""


def comparable(checker: Checker, operator: Word, left: Meaning, right: Meaning) -> ValueKind | None:
    """Return the kind in which two values compare, or None after reporting that there is none."""
    kind = common_kind({left.kind, right.kind})
    if kind is None or (left.kind.values and right.kind.values and left.kind != right.kind):
        names = f"{left.kind.name} and {right.kind.name}"
        advice = _ADVICE.get(frozenset({left.kind, right.kind}))
        text = f"{operator.text} compares values of one kind; here are {names}"
        checker.refuse(operator.at, f"{text}: {advice}." if advice else f"{text}.")
        return None
    check_values(checker, left.kind, right)
    check_values(checker, right.kind, left)
    return kind


def check_values(checker: Checker, enum: ValueKind, other: Meaning) -> None:
    """Report texts that are no values of an enum; a kind that is none admits all."""
    for text, at in other.texts or ():
        if enum.values and text not in enum.values:
            message = f"{enum.name} has no value '{shown(text)}'; it has {listed(enum.values)}."
            checker.refuse(at, message, word=text, among=enum.values)
