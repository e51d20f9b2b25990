"""`in`: whether a value is an item of a list."""

from dataclasses import replace
from typing import Any

from stratabase.model.expressions.checker import Checker
from stratabase.model.expressions.kinds import TEXT
from stratabase.model.expressions.meaning import Meaning, Run, nowhere
from stratabase.model.expressions.operators.comparable import comparable
from stratabase.model.expressions.operators.comparing import of_both
from stratabase.model.expressions.syntax import Word


def membership(checker: Checker, word: Word, left: Meaning, right: Meaning) -> Run | None:
    """Return what looks for a value in a list, or None after reporting why it cannot."""
    if right.kind.element is None:
        advice = "x.contains(y) looks into a text" if right.kind is TEXT else "write one as ['a', 'b']"
        checker.refuse(word.at, f"in looks into a list; this is {right.kind.name}: {advice}.")
        return None
    if comparable(checker, word, left, replace(right, kind=right.kind.element)) is None:
        return None
    items = right.run(nowhere()) if right.constant else None
    if items is None or None in items:
        return of_both(left.run, _is_in, right.run)
    return _among(left.run, items)


def _among(left: Run, items: tuple[Any, ...]) -> Run:
    admitted = frozenset(items)
    return lambda environment: None if (value := left(environment)) is None else value in admitted


def _is_in(value: Any, items: tuple[Any, ...]) -> bool | None:
    if value in items:
        return True
    return None if None in items else False
